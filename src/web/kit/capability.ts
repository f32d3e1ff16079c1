import type { Hono } from 'hono'
import type { Parts } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { App } from '../http/context.ts'
import type { NavigationItem } from './view.ts'

/** Routes, and the path below which they stand. */
type Mount = readonly [path: string, routes: Hono<App>]

/**
 * What the rest of the site needs to know of a capability. It names only what it has, and
 * `src/capabilities.ts` names it.
 */
export interface Capability {
  /** Endpoints, which the OpenAPI document describes. */
  api?: readonly Mount[]
  /** Pages outside `/account`. */
  outerPages?: readonly Mount[]
  /** Pages for everybody, below `/account`. */
  publicPages?: readonly Mount[]
  /** Pages of a signed-in user, below `/account`. */
  pages?: readonly Mount[]
  /** Pages of operators, below `/account/admin`. */
  operatorPages?: readonly Mount[]
  /** The entries of its pages in the navigation. */
  navigation?: readonly NavigationItem[]
  operatorNavigation?: readonly NavigationItem[]
  /** What it deletes and tells at night, by names that no other one has; in the order of the list. */
  nightly?: (deps: Deps, now: number) => Parts
}

/** Checks the type of a manifest. */
export function capability(manifest: Capability): Capability {
  return manifest
}
