import { createRequire } from 'node:module'

/*
 * Wrangler and Miniflare are CommonJS files of 20 MB. `import` would read them twice more before it
 * runs them, for the kind of module and for the exported names: that takes as long as running them.
 */

const requireMiniflare: (name: 'miniflare') => typeof import('miniflare') = createRequire(
  import.meta.url,
)
const requireWrangler: (name: 'wrangler') => typeof import('wrangler') = createRequire(
  import.meta.url,
)

export function loadMiniflare(): typeof import('miniflare') {
  return requireMiniflare('miniflare')
}

export function loadWrangler(): typeof import('wrangler') {
  return requireWrangler('wrangler')
}
