/**
 * Stands in the Worker for the digests that one-time passwords here never use (`[alias]` in
 * `wrangler.toml`): @otplib/plugin-crypto-js loads SHA-256 and SHA-512 beside SHA-1, an eighth of
 * the bundle's code for nothing. Whoever would use one is told so.
 */
export default function refuseDigest(): never {
  throw new Error('only HMAC-SHA-1 is in the bundle: see [alias] in wrangler.toml')
}
