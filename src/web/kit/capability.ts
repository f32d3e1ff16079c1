import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Hono, MiddlewareHandler } from 'hono'
import type { ProvenIdentity } from '../../core/access/identities.ts'
import type { ReadToken } from '../../core/access/read-token.ts'
import { type Load, loadPart } from '../../core/base/load-part.ts'
import type { Child } from 'hono/jsx'
import type { PartHealth } from '../../core/base/part-health.ts'
import type { SettingsElsewhere } from '../../core/base/settings-elsewhere.ts'
import type { SharedBatch } from '../../core/database/shared-batch.ts'
import type { Database, Deps, MakeMails, RunPart } from '../../core/deps.ts'
import type { App, AppContext } from '../http/context.ts'
import type { GuardFiles } from './file-guard.ts'
import type { PartOfUser } from './part-of-user.ts'
import type { Texts } from './texts.ts'
import type { PageUndo } from './undo.ts'
import type { NavigationItem, PageParts, View } from './view.ts'

declare module '../http/context.ts' {
  interface Variables {
    /** All capabilities, in the order of the navigation. */
    capabilities: readonly Capability[]
  }
}

/**
 * Routes, the path below which they stand, and the paths from there for which they are loaded; all
 * of them, where none are named. `''` is the path itself. Routes that seldom build a query load
 * what builds it then (`loadDatabase`); for all others it is loaded with them.
 */
type Mount = readonly [
  path: string,
  load: (capabilities: readonly Capability[]) => Promise<Hono<App>>,
  only?: readonly string[] | undefined,
  database?: 'seldom',
]

type Middleware = MiddlewareHandler<App>

/** A part of the site that was checked. */
export interface CheckedPart {
  /** As `/api/admin/health` has it. */
  name: string
  health: PartHealth
  /** Further members of the endpoint's answer. */
  record: Readonly<Record<string, string | null>>
  /** Its name on pages. */
  title: (t: Texts) => string
  /** The problem, as pages say it. */
  problem: (t: Texts) => string
  /** It answers, and still does not do its work. */
  isFair: boolean
  /** A task for the operator although it answers. */
  attention: (view: View) => Child | undefined
}

/** Checks a part of the site; `undefined` where the site has none. */
type CheckPart = (deps: Deps) => Promise<CheckedPart | undefined>

/**
 * Reads what needs an operator's attention. It adds its statements to the batch before it waits for
 * anything.
 *
 * @returns Makes a row for each thing.
 */
export type FindAttention = (db: Database, batch: SharedBatch) => Promise<(view: View) => Child[]>

/** Counts what waits for an administrator behind an entry of the navigation. */
export interface NavigationCount {
  /** The address of the entry. */
  address: string
  /** The statement, which reads a bounded number of rows. */
  count: (db: Database, now: number) => RunnableQuery<{ total: number }[], 'sqlite'>
  /** The number as the entry shows it. */
  text: (total: number) => string
}

/**
 * Finds the settings of the site that another server has; `undefined` where there is no such
 * server.
 */
type FindSettingsElsewhere = (deps: Deps) => SettingsElsewhere | undefined

/** The memory of a browser, for some minutes, of a sign-in at an identity provider. */
interface ProvenIdentityOfBrowser {
  read: (c: AppContext) => Promise<ProvenIdentity | undefined>
  clear: (c: AppContext) => void
}

/**
 * The manifest of a capability, for the rest of the site. It names only what it has, and
 * `src/capabilities.ts` names it. It loads almost nothing by itself: each `import` of its manifest
 * that is no `import()` is read before the first answer of an isolate.
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
  /** The count beside one of them, on pages of operators. */
  operatorCount?: Load<NavigationCount>
  /** Its parts of pages of other capabilities. */
  parts?: Load<PageParts>
  /** How its deleted things are brought back. */
  undo?: Load<PageUndo>
  /** Its parts about a user on pages of others. */
  ofUser?: Load<PartOfUser>
  /** The settings that another server has, too or alone. One capability names them. */
  settingsElsewhere?: Load<FindSettingsElsewhere>
  /** Checks a part that the state of the site and `/api/admin/health` show. */
  health?: Load<CheckPart>
  /** Its tasks for operators, first on the state of the site. */
  attention?: Load<FindAttention>
  /** Middleware, by the place that `src/app/app.ts` has for it. */
  middleware?: {
    /** Before the rules for browsers: it may answer in the place of the site. */
    first?: Middleware
    /** Around the endpoints and the pages below a path. */
    around?: readonly (readonly [path: string, middleware: Middleware])[]
    /** After all other middleware. */
    last?: Middleware
  }
  /** Its part of the nightly run. */
  nightly?: Load<RunPart>
  /** Its part of the five-minute run. It takes no round trip of its own when nothing is to do. */
  frequent?: (capabilities: readonly Capability[]) => Promise<RunPart>
  /** Makes mails of requests that wait among them. */
  makeMails?: Load<MakeMails>
  /** The identity that the user of a browser has just signed in to. One capability names it. */
  provenIdentity?: Load<ProvenIdentityOfBrowser>
  /** Clears cookies that only the user of a session may use, at its end. */
  clearWithSession?: Load<(c: AppContext) => void>
  /** Reads tokens of its own, for a server that asks about one. */
  readToken?: Load<ReadToken>
  /** Guards what users do at the file server. One capability names it. */
  fileGuard?: Load<GuardFiles>
  /** Runs after a command on the machine of `npm start` that has written something. */
  afterCommand?: Load<(deps: Deps) => Promise<void>>
}

/** The parts of a manifest that are routes. */
export type MountKind = 'api' | 'outerPages' | 'publicPages' | 'pages' | 'operatorPages'

/** Checks the type of a manifest. */
export function capability(manifest: Capability): Capability {
  return manifest
}

/** Loads parts as {@link loadPart} does. */
export function loadAll<Part>(loads: readonly Load<Part>[]): Promise<Part[]> {
  return Promise.all(loads.map((load) => loadPart(load)))
}

/** Loads what capabilities show of a user, in their order. */
export function loadPartsOfUser(capabilities: readonly Capability[]): Promise<PartOfUser[]> {
  return loadAll(capabilities.flatMap(({ ofUser: load = [] }) => load))
}

/** Middleware that is loaded for the first request that needs it. */
export function middlewareFor(
  isNeeded: (c: AppContext) => boolean,
  load: Load<Middleware>,
): Middleware {
  let loaded: Middleware | undefined
  return async function loadedMiddleware(c, next) {
    if (!isNeeded(c)) return next()
    loaded ??= await loadPart(load)
    return loaded(c, next)
  }
}
