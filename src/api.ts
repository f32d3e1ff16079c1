import type { Hono } from 'hono'
import { CAPABILITIES } from './capabilities.ts'
import type { App } from './web/http/context.ts'

/** Mounts the endpoints of all capabilities; `/openapi.json` lists every path. */
export function mountApi(app: Hono<App>): void {
  for (const { api = [] } of CAPABILITIES) for (const [path, routes] of api) app.route(path, routes)
}
