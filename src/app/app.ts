import { CAPABILITIES } from '../capabilities.ts'
import { type Deps, loadDatabase } from '../core/deps.ts'
import { acceptsPages } from '../web/http/accepts.ts'
import { limitBody } from '../web/http/body-limit.ts'
import { bookmark } from '../web/http/bookmark.ts'
import type { App, AppContext } from '../web/http/context.ts'
import { isApiPath, refuse } from '../web/http/envelope.ts'
import { answerPreflight, browserRules, isPreflight, ping } from '../web/http/headers.ts'
import { httpsOnly } from '../web/http/https.ts'
import { logError } from '../core/database/log.ts'
import { answerUnrouted } from '../web/http/http-methods.ts'
import { loadPart } from '../core/base/load-part.ts'
import { type Capability } from '../web/kit/capability.ts'
import { isSessionOver, lacksSecondFactor } from '../web/kit/session-over.ts'
import { requestLog } from '../web/http/request-log.ts'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'
import {
  type Entry,
  entriesOf,
  entryFinder,
  loadEntries,
  type LoadedRoutes,
  mountRoutes,
} from './mounts.ts'
import { loggedPath } from '../core/base/logged-path.ts'
import { Refusal, refusalIn } from '../core/base/refusals.ts'

const PING = '/ping'

type DepsFor = (env: Env, defer: Deps['defer'], request: Request) => Deps

/** The application: it answers requests. */
export interface Site {
  fetch: (
    request: Request,
    env: App['Bindings'],
    context: ExecutionContext,
  ) => Response | Promise<Response>
}

interface Parts {
  depsFor: DepsFor
  capabilities: readonly Capability[]
  loaded: readonly LoadedRoutes[]
  /** The routes of the pages; `undefined` where the path is that of no page. */
  pages: typeof import('./pages.tsx') | undefined
  /** Why the routes of a path are not there. */
  failure?: unknown
}

/**
 * Creates the site. For each path it loads the capabilities that may answer it, when they are first
 * asked, and hands the request to an application of the middleware of every request and these
 * routes alone. Paths that the same capabilities may answer share an application.
 *
 * @param capabilities Those of the site.
 */
export function createApp(depsFor: DepsFor, capabilities = CAPABILITIES): Site {
  const entries = entriesOf(capabilities)
  const findEntries = entryFinder(entries)
  const pings = routePing(newApp())
  const made = new Map<string, Hono<App>>()
  const load = async (path: string, chosen: readonly Entry[]): Promise<Parts> => {
    const seldom = chosen.length > 0 && chosen.every((entry) => entry.seldomNeedsDatabase)
    const [loaded, pages] = await Promise.all([
      loadEntries(chosen),
      isOfPages(path) ? loadPart(() => import('./pages.tsx')) : undefined,
      seldom ? undefined : loadPart(loadDatabase),
    ])
    return { depsFor, capabilities, loaded, pages }
  }
  return {
    fetch(request, env, context) {
      const path = getPath(request)
      if (path === PING) return pings.fetch(request, env, context)
      const chosen = findEntries(path)
      const name = [isOfPages(path), ...chosen.map((entry) => entries.indexOf(entry))].join()
      const app = made.get(name)
      if (app !== undefined) return app.fetch(request, env, context)
      return load(path, chosen).then(
        (parts) => {
          const fresh = made.get(name) ?? assemble(parts)
          made.set(name, fresh)
          return fresh.fetch(request, env, context)
        },
        // The next request tries again.
        (failure: unknown) => {
          const none = { depsFor, capabilities, loaded: [], pages: undefined }
          return assemble({ ...none, failure }).fetch(request, env, context)
        },
      )
    },
  }
}

/** Creates an application with all routes, for those who read them. */
export async function createWholeApp(depsFor: DepsFor): Promise<Hono<App>> {
  const [loaded, pages] = await Promise.all([
    loadEntries(entriesOf()),
    import('./pages.tsx'),
    loadDatabase(),
  ])
  return assemble({ depsFor, capabilities: CAPABILITIES, loaded, pages })
}

function isOfPages(path: string): boolean {
  return path === '/account' || path.startsWith('/account/')
}

function newApp(): Hono<App> {
  // Hono's own choice would build a RegExpRouter first, which takes no two patterns for one place
  // (`/api/*`, `/:name`), and then this one.
  return new Hono<App>({ router: new TrieRouter() })
}

/** Latency probes call `/ping` often, so it passes no middleware and has an application alone. */
function routePing(app: Hono<App>): Hono<App> {
  app.options(PING, (c, next) => (isPreflight(c.req.raw) ? answerPreflight(c, next) : next()))
  return app.all(PING, ping)
}

/** Makes an application: the middleware of every request, then the routes. */
function assemble({ depsFor, capabilities, loaded, pages, failure }: Parts): Hono<App> {
  const middleware = capabilities.flatMap(({ middleware: own = [] }) => own)
  const app = routePing(newApp())
  app.use(async function provideDeps(c, next) {
    c.set(
      'deps',
      depsFor(c.env, (work) => c.executionCtx.waitUntil(work), c.req.raw),
    )
    c.set('preparePages', preparePages)
    c.set('capabilities', capabilities)
    await next().catch(throwError)
  })
  app.use(requestLog)
  for (const { first } of middleware) if (first !== undefined) app.use(first)
  app.use(browserRules)
  app.use(httpsOnly)
  app.use('/api/*', limitBody)
  app.use('/oauth/*', limitBody)
  for (const { around = [] } of middleware) for (const [path, own] of around) app.use(path, own)
  for (const { last } of middleware) if (last !== undefined) app.use(last)
  for (const path of ['/api/auth/*', '/api/authn/*', '/api/me/*', '/api/admin/*', '/account/*'])
    app.use(path, bookmark)

  if (failure !== undefined)
    app.use(() => {
      throw failure
    })
  mountRoutes(app, 'api', loaded)
  // People type it with a slash too.
  for (const path of ['/account', '/account/admin']) app.get(`${path}/`, (c) => c.redirect(path))
  if (pages !== undefined) app.route('/account', pages.pageRoutes(loaded))
  mountRoutes(app, 'outerPages', loaded)
  app.get('/', (c) => c.redirect('/account'))

  app.notFound(answerUnknownPath(answerUnrouted(app)))
  app.onError(async (error, c) => {
    const refusal = c.get('isByMarker') === true ? await forClient(c, error) : refusalIn(error)
    if (refusal.code >= 500)
      logError(error, { id: c.get('requestId'), path: loggedPath(c.req.path) })
    if (refusal.retryAfterSeconds !== undefined) {
      c.header('Retry-After', String(refusal.retryAfterSeconds))
    }
    return refuse(c, refusal)
  })
  return app
}

/**
 * Makes a refusal for a page of the web client. At 401 the page goes to the sign-in page, which
 * leads on to where a second factor is set up; it takes 403 for the password of a folder. When the
 * session is over, so is what the browser keeps of it.
 */
async function forClient(c: AppContext, error: unknown): Promise<Refusal> {
  const refusal = refusalIn(error)
  if (isSessionOver(refusal)) {
    const { clearSessionToken } = await import('../capabilities/sign-in/pages/session-cookie.ts')
    await clearSessionToken(c)
  }
  return lacksSecondFactor(refusal) ? new Refusal('factorBeforeFiles') : refusal
}

/** Wraps a thrown value that is not an error: Hono hands only errors to `onError`. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Loads what every page needs. */
async function preparePages(c: AppContext): Promise<void> {
  const { providePages } = await loadPart(() => import('./page-source.ts'))
  await providePages(c)
}

/**
 * Answers a browser that opens an unknown path outside `/account`; `answer` is for every other
 * client, and for the paths of the API.
 */
function answerUnknownPath(answer: (c: AppContext) => Response) {
  return async function unknownPath(c: AppContext): Promise<Response> {
    const response = answer(c)
    if (response.status !== 404 || isApiPath(c.req.path)) return response
    response.headers.set('Vary', 'Accept')
    if (!acceptsPages(c)) return response
    try {
      const { showUnknownPath } = await loadPart(() => import('./pages.tsx'))
      return await showUnknownPath(c)
    } catch (error) {
      // An error that leaves this function skips the middleware that sets headers.
      logError(error, { id: c.get('requestId'), path: loggedPath(c.req.path) })
      return refuse(c, refusalIn(error))
    }
  }
}
