import type { Deps } from '../deps.ts'

/** In the path that an operator has set for new accounts. */
export const PLACE_OF_NAME = '{username}'

/**
 * Returns the base path of a new account where an operator has named none: a folder of its own at a
 * file server, whose root is every storage.
 */
export function usualFolder({ fileServer }: Pick<Deps, 'fileServer'>): string {
  return fileServer() === undefined ? '/' : `/homes/${PLACE_OF_NAME}`
}
