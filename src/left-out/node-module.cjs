/**
 * Stands in the Worker for Node's modules that libraries of two-step verification name and never
 * use here (`[alias]` in `wrangler.toml`): crypto-js asks `crypto` for random numbers where there
 * is no WebCrypto, qrcode-svg writes files with `fs`. Workers would load the real ones at every
 * start.
 */
module.exports = {}
