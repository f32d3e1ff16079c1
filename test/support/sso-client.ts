/** The credentials of the site at the providers of the tests. */
export const CLIENT_ID = 'latchkey-client'
export const CLIENT_SECRET = 'client-Secret-4711'
