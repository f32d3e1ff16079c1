import { Hono } from 'hono'
import { findTargetHandler } from 'hono/utils/handler'
import type { App } from '../../src/web/http/context.ts'
import { entriesOf, loadEntries, mountRoutes } from '../../src/app/mounts.ts'
import { ping } from '../../src/web/http/headers.ts'
import type { Needs } from '../../src/core/access/actor.ts'
import { needsOf } from '../../src/web/http/guard.ts'
import { inputs } from '../../src/web/http/input.ts'

/** The parts of a description that are read from the route: its guard and its inputs. */
export interface Route {
  /** What the guard needs of its callers; `undefined` without a guard. */
  needs: Needs | undefined
  inputs: NonNullable<ReturnType<typeof inputs.get>>[]
}

/** Reads the mounted routes, by method and path; `ALL` is documented as GET. */
export async function readRoutes(): Promise<Map<string, Route>> {
  const app = new Hono<App>()
  app.all('/ping', ping)
  const endpoints = entriesOf().filter(({ kind }) => kind === 'api')
  mountRoutes(app, 'api', await loadEntries(endpoints))
  const routes = new Map<string, Route>()
  for (const { method, path, handler: mounted } of app.routes) {
    // The routes of a part with its own `onError` are mounted inside another function.
    const handler = findTargetHandler(mounted)
    const name = `${method === 'ALL' ? 'GET' : method} ${path}`
    const route = routes.get(name) ?? { needs: undefined, inputs: [] }
    routes.set(name, route)
    route.needs ??= needsOf(handler)
    const input = inputs.get(handler)
    if (input !== undefined) route.inputs.push(input)
  }
  return routes
}

/** @returns One sentence for each route that is mounted and not documented, or the reverse. */
export function findGaps(routes: Iterable<string>, documented: Iterable<string>): string[] {
  const [mounted, described] = [new Set(routes), new Set(documented)]
  return [
    ...Array.from(mounted.keys()).flatMap((name) =>
      described.has(name) ? [] : `${name} is not documented`,
    ),
    ...Array.from(described.keys()).flatMap((name) =>
      mounted.has(name) ? [] : `${name} does not exist`,
    ),
  ]
}
