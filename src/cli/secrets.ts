import { newSecretKey } from './site/dev-vars.ts'

/** `npm run secrets`: prints a new entry for `SECRET_KEYS`, and what to do with it. */
console.log(`${newSecretKey()}

This is one entry for SECRET_KEYS; nothing was changed.

On this machine:          put it into .dev.vars as SECRET_KEYS=<entry>
On the deployed site:     npm run deploy creates the first entry, and keeps a copy in .production.vars
To rotate:                put it first, with a comma: SECRET_KEYS=<new entry>,<old entries>, in .dev.vars, or in
                          .production.vars and with npx wrangler secret put SECRET_KEYS (paste the whole list).
                          New tokens and seals use the first entry; the others still verify and open. A sign-in with a
                          code seals the user's seed with the first entry. Remove an old entry when all tokens that it
                          signed have expired (TOKEN_HOURS) and all users with 2FA have signed in: a user who has not
                          can then only sign in with a recovery code.`)
