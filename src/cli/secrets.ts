import { newSecretKey } from './dev-vars.ts'

/** `npm run secrets`: a fresh entry for `SECRET_KEYS`, and what to do with it. */
console.log(`${newSecretKey()}

This is one entry for SECRET_KEYS; nothing was changed.

On this machine:          put it into .dev.vars as SECRET_KEYS=<entry>
On the deployed site:     npm run deploy makes the first one, and keeps a copy in .production.vars
To rotate:                put it in front, with a comma: SECRET_KEYS=<new entry>,<old entries>, in .dev.vars, or in
                          .production.vars and by npx wrangler secret put SECRET_KEYS (paste the whole list).
                          New tokens and seals use the first entry, the others still verify and open; a sign-in with a
                          code seals its seed anew. Drop an old entry once every token it signed has expired (TOKEN_HOURS)
                          and all who use 2FA have signed in since: who has not is left with a recovery code.`)
