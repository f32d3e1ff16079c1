import { createRequire } from 'node:module'
import { CommandError } from '../kit/command-error.ts'
import { isPacked } from '../kit/places.ts'

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

/** @throws {CommandError} When the packages here are for another CPU or system. */
export function loadMiniflare(): typeof import('miniflare') {
  try {
    return requireMiniflare('miniflare')
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('workerd on another platform')))
      throw error
    throw new CommandError(
      `This installation is for another CPU or system than this one: take the archive for ${process.platform}-${process.arch}, or run npm ci.`,
      { cause: error },
    )
  }
}

export function loadWrangler(): typeof import('wrangler') {
  refuseInPack()
  return requireWrangler('wrangler')
}

/** @throws {CommandError} Where there is no wrangler: a pack runs a site, and deploys none. */
export function refuseInPack(): void {
  if (isPacked())
    throw new CommandError(
      'This installation has no wrangler: --remote works in a checkout of the repository (docs/deploying.md).',
    )
}
