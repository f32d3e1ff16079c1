import type { Hono, MiddlewareHandler } from 'hono'
import type { SharedBatch } from '../../core/database/shared-batch.ts'
import type { ReadToken } from '../../core/access/read-token.ts'
import type { Deps } from '../../core/deps.ts'
import type { App, AppContext } from '../http/context.ts'
import type { NavigationItem, PageParts } from './view.ts'

declare module '../http/context.ts' {
  interface Variables {
    /** What the site can do, in order. */
    capabilities: readonly Capability[]
  }
}

/** Routes, and the path below which they stand. */
type Mount = readonly [path: string, routes: Hono<App>]

type Middleware = MiddlewareHandler<App>

/**
 * A part of a run in time. It adds its statements to the batch before it waits for anything; they
 * run in the order of `src/capabilities.ts`, then each part goes on.
 */
type RunPart = (run: { deps: Deps; now: number; batch: SharedBatch }) => Promise<unknown>

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
  /** What it adds to pages of others. */
  parts?: PageParts
  /** Middleware, by the place that `src/app.ts` has for it. */
  middleware?: {
    /** Before the rules for browsers: it may answer in the place of the site. */
    first?: Middleware
    /** Around the endpoints and the pages below a path. */
    around?: readonly (readonly [path: string, middleware: Middleware])[]
    /** After all other middleware. */
    last?: Middleware
  }
  /** What it deletes and tells at night. */
  nightly?: RunPart
  /** What it does every five minutes. It takes no round trip of its own when nothing is to do. */
  frequent?: RunPart
  /** Clears cookies that only the user of a session may use, at its end. */
  clearWithSession?: (c: AppContext) => void
  /** Reads tokens of its own, for a server that asks about one. */
  readToken?: ReadToken
  /** What it does after a command on the machine of `npm start` has written something. */
  afterCommand?: (deps: Deps) => Promise<void>
}

/** The parts of a manifest that are routes. */
export type MountKind = 'api' | 'outerPages' | 'publicPages' | 'pages' | 'operatorPages'

/** Checks the type of a manifest. */
export function capability(manifest: Capability): Capability {
  return manifest
}
