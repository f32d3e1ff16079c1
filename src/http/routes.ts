import { HonoBase } from 'hono/hono-base'
import { TrieRouter } from 'hono/router/trie-router'
import type { App } from './context.ts'

/**
 * Some routes, or all of them: Hono with the one router that takes every path of ours. By itself it
 * would bring two more along, try the other one first, and end up with this one.
 */
export class Routes extends HonoBase<App> {
  constructor() {
    super({ router: new TrieRouter() })
  }
}
