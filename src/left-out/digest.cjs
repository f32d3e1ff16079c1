/**
 * Stands in the Worker for the digests that one-time passwords here never use (`[alias]` in
 * `wrangler.toml`): `@otplib/plugin-crypto-js` loads SHA-256 and SHA-512 beside SHA-1. Not an ES
 * module, because it is loaded by one that isn't: turning one into the other takes code, too.
 */
module.exports = function refuseDigest() {
  throw new Error('only HMAC-SHA-1 is in the bundle: see [alias] in wrangler.toml')
}
