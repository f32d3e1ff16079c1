import type { Hono } from 'hono'
import { CAPABILITIES } from '../capabilities.ts'
import type { App } from '../web/http/context.ts'
import { type Load, loadPart } from '../core/base/load-part.ts'
import { type Capability, type MountKind } from '../web/kit/capability.ts'

/** The kinds of mounts in the order in which they are mounted, and the path below which each stands. */
const KINDS: readonly (readonly [kind: MountKind, base: string])[] = [
  ['api', ''],
  ['publicPages', '/account'],
  ['pages', '/account'],
  ['operatorPages', '/account/admin'],
  ['outerPages', ''],
]

/** An entry of a manifest. Its routes are not loaded yet. */
export interface Entry {
  kind: MountKind
  path: string
  load: Load<Hono<App>>
  /** Whether its routes load the database themselves. */
  seldomNeedsDatabase: boolean
  /** The paths for which it is loaded. */
  paths: readonly { start: string; hasBelow: boolean }[]
}

/** Routes that are loaded. */
export interface LoadedRoutes {
  kind: MountKind
  path: string
  routes: Hono<App>
}

/** Lists the mounts of all capabilities, in the order in which they are mounted. */
export function entriesOf(capabilities: readonly Capability[] = CAPABILITIES): Entry[] {
  return KINDS.flatMap(([kind, base]) =>
    capabilities.flatMap(({ [kind]: mounts = [] }) =>
      mounts.map((mount) => {
        const [path, load, only, database] = mount
        const start = path === '/' ? base : base + path
        const paths = only?.map((rest) => ({ start: start + rest, hasBelow: rest !== '' }))
        return {
          kind,
          path,
          load: () => load(capabilities),
          seldomNeedsDatabase: database === 'seldom',
          paths: paths ?? [{ start, hasBelow: true }],
        }
      }),
    ),
  )
}

/**
 * Returns a function that finds the entries that may have a route for a path, in their order. It
 * looks up the starts of the path up to each slash, as deep as entries stand.
 */
export function entryFinder(entries: readonly Entry[]): (path: string) => Entry[] {
  const byStart = Map.groupBy(
    entries.flatMap((entry, order) => entry.paths.map((place) => ({ ...place, entry, order }))),
    ({ start }) => start,
  )
  const deepest = Math.max(...Array.from(byStart.keys(), (start) => start.split('/').length))
  return function findEntries(path) {
    const places = byStart.get(path)?.slice() ?? []
    let end = path.indexOf('/')
    for (let depth = 0; end !== -1 && depth < deepest; depth++) {
      const above = byStart.get(path.slice(0, end)) ?? []
      places.push(...above.filter(({ hasBelow }) => hasBelow))
      end = path.indexOf('/', end + 1)
    }
    const found = places.toSorted((a, b) => a.order - b.order).map(({ entry }) => entry)
    return Array.from(new Set(found))
  }
}

/** @throws {Refusal} `unavailable` when one can't be loaded. */
export function loadEntries(entries: readonly Entry[]): Promise<LoadedRoutes[]> {
  return Promise.all(
    entries.map(async ({ kind, path, load }) => ({ kind, path, routes: await loadPart(load) })),
  )
}

/** Mounts what is loaded of a kind. */
export function mountRoutes(
  app: Hono<App>,
  kind: MountKind,
  loaded: readonly LoadedRoutes[],
): Hono<App> {
  const ofKind = loaded.filter((part) => part.kind === kind)
  for (const { path, routes } of ofKind) app.route(path, routes)
  return app
}
