import {
  type Call,
  command,
  type Declared,
  type Given,
  type Shape,
  type Taken,
  type Takes,
} from '../kit/declaration.ts'
import { startWaiting } from '../kit/waiting.ts'
import { withSite } from './open-site.ts'
import type { Site, SiteOptions } from './site.ts'

/** An argument that is looked up on the site before the command gets it: a user by the name. */
interface Sought<Value, Found> extends Taken<Value> {
  find: (site: Site, given: Value) => Promise<Found>
}

/** Makes a command look up what it takes. */
export function sought<Value, Found>(
  taken: Taken<Value>,
  find: (site: Site, given: Value) => Promise<Found>,
): Sought<Value, Found> {
  return { ...taken, find }
}

/** The values that a command on a site gets, by the names in its `takes`. */
type FoundOf<T extends Takes> = {
  [Name in keyof T]: T[Name] extends { find: (...given: never[]) => Promise<infer Value> }
    ? Value
    : Given<T>[Name]
}

interface OnSite<T extends Takes, Prepared> extends Shape<T> {
  /** Runs before the site is opened: checks the command line, and reads files. */
  before?: (given: Given<T>, call: Call) => Prepared | Promise<Prepared>
  /** @param prepared The result of `before`. */
  run: (site: Site, given: FoundOf<T>, call: Call, prepared: Prepared) => Promise<void> | void
}

/** Declares a command that works on the site that the global options choose. */
export function onSite<T extends Takes, Prepared = undefined>({
  before,
  run,
  ...shape
}: OnSite<T, Prepared>): Declared {
  return command<T>({
    ...shape,
    async run(given, call) {
      const prepared = await runBefore(before && (() => before(given, call)))
      await openSite(call, async (site) =>
        run(site, await findAll(site, shape.takes, given), call, prepared),
      )
    },
  })
}

/** @returns Nothing, when there is nothing to do before. */
function runBefore<Prepared>(
  before: (() => Prepared | Promise<Prepared>) | undefined,
): Promise<Prepared>
async function runBefore(before?: () => unknown): Promise<unknown> {
  return before?.()
}

/** Looks up one after the other what a command takes. */
function findAll<T extends Takes>(
  site: Site,
  taken: T | undefined,
  given: Given<T>,
): Promise<FoundOf<T>>
async function findAll(
  site: Site,
  taken: Takes = {},
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const found = { ...given }
  for (const [name, value] of Object.entries(taken))
    if (isSought(value)) found[name] = await value.find(site, given[name])
  return found
}

function isSought(taken: Taken<unknown>): taken is Sought<unknown, unknown> {
  return 'find' in taken
}

/** Works like `withSite`, and shows that the program waits for the site. */
export async function openSite<Result>(
  options: SiteOptions,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  const stop = startWaiting(
    options.remote === true ? 'Connecting to the deployed site' : 'Opening the site',
  )
  try {
    return await withSite(options, (site) => {
      stop()
      return use(site)
    })
  } finally {
    stop()
  }
}
