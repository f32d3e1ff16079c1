export const NEW_PHONE_PATH = '/account/security/phone'

/** A form with this field needs no code, because the user has signed in with a recovery code. */
export const RECOVERED = 'recovered'
