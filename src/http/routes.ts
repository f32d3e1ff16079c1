import { HonoBase } from 'hono/hono-base'
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { App } from './context.ts'

/**
 * Some routes, or all of them: Hono with the one router that takes every path of ours. By itself it
 * would bring two more along, try the other one first, and end up with this one.
 */
export class Routes extends HonoBase<App> {
  constructor() {
    super({ router: new LateRouter() })
  }
}

/**
 * Builds its trie at the first request, for routes that are mounted elsewhere never need one, and
 * remembers what it found for a path without parameters.
 */
class LateRouter<Handler> implements Router<Handler> {
  name = 'LateRouter'
  readonly #routes: Parameters<Router<Handler>['add']>[] = []
  #trie: TrieRouter<Handler> | undefined
  /** By method and path; only those that are routes, so that what is kept has an end. */
  readonly #found = new Map<string, Result<Handler> | undefined>()

  add(...route: Parameters<Router<Handler>['add']>): void {
    this.#routes.push(route)
    this.#trie = undefined
  }

  match(method: string, path: string): Result<Handler> {
    this.#trie ??= this.#build()
    const name = `${method} ${path}`
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const found = this.#trie.match(method, path)
    if (this.#found.has(name)) this.#found.set(name, found)
    return found
  }

  #build(): TrieRouter<Handler> {
    const trie = new TrieRouter<Handler>()
    for (const [method, path, handler] of this.#routes) {
      trie.add(method, path, handler)
      this.#found.set(`${method} ${path}`, undefined)
    }
    return trie
  }
}
