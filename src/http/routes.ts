import { HonoBase } from 'hono/hono-base'
import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { App } from './context.ts'

/**
 * Some routes, or all of them: Hono with the trie router alone, which takes every path of ours. Its
 * default would load two routers more, and fall back to this one at the first request.
 */
export class Routes extends HonoBase<App> {
  constructor() {
    super({ router: new LateRouter() })
  }
}

/**
 * Builds its trie at the first request, for routes that are mounted elsewhere never need one, and
 * remembers what it found for a path that is a route as it stands: there is an end to those.
 */
class LateRouter<Handler> implements Router<Handler> {
  name = 'LateRouter'
  readonly #routes: Parameters<Router<Handler>['add']>[] = []
  #trie: TrieRouter<Handler> | undefined
  /** By path, then by method, of which workerd lets some thirty in. Hono only reads them. */
  #found = new Map<string, Map<string, Result<Handler>>>()

  add(...route: Parameters<Router<Handler>['add']>): void {
    this.#routes.push(route)
    this.#trie = undefined
  }

  match(method: string, path: string): Result<Handler> {
    this.#trie ??= this.#build()
    const known = this.#found.get(path)
    let found = known?.get(method)
    if (found === undefined) {
      found = this.#trie.match(method, path)
      known?.set(method, found)
    }
    return found
  }

  #build(): TrieRouter<Handler> {
    const trie = new TrieRouter<Handler>()
    this.#found = new Map()
    for (const [method, path, handler] of this.#routes) {
      trie.add(method, path, handler)
      this.#found.set(path, new Map())
    }
    return trie
  }
}
