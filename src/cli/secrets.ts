import { newSecretKey } from './dev-vars.ts'

/** `npm run secrets`: a fresh entry for `SECRET_KEYS`, and what to do with it. */
console.log(`${newSecretKey()}

This is one entry for SECRET_KEYS; nothing was changed.

First secret of a site:   npx wrangler secret put SECRET_KEYS     (paste it)
On this machine:          put it into .dev.vars as SECRET_KEYS=<entry>
To rotate:                put it in front, with a comma: SECRET_KEYS=<new entry>,<old entries>
                          New tokens and seals use the first entry, the others still verify and open. Drop an old
                          entry when every token it signed has expired (48 h); a seed of 2FA that only a dropped
                          entry opens is lost, and its user has to enrol again.`)
