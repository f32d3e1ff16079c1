/** What the providers of the tests know the site as. */
export const CLIENT_ID = 'latchkey-client'
export const CLIENT_SECRET = 'client-Secret-4711'
