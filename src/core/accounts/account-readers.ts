/** Convert the columns of an account from what D1 stores, for prepared queries. */
export const accountReaders = { disabled: Boolean, hasTwoFactor: Boolean, hasPasskey: Boolean }
