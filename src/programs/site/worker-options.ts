import { relative, resolve } from 'node:path'
import { installed, PACKED_WORKER } from '../kit/places.ts'
import { readPacked } from './packed.ts'
import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import { readSiteConfig } from './site-config.ts'
import { loadWrangler } from './platform-tools.ts'
import { QUIET } from './wrangler.ts'

const CONFIG = 'wrangler.toml'

/** `[vars]` of `wrangler.toml`. */
const bindingsSchema = v.record(v.string(), v.string('must be a text in quotes'))
const assetsSchema = v.looseObject({ assets: v.looseObject({ directory: v.string() }) })

/**
 * Miniflare's options for the Worker of the local site, without its code. They depend on the
 * installation alone: the start adds what the site has set (`workerVars`).
 */
export type WorkerOptions = Awaited<ReturnType<typeof readWorkerOptions>>

/** Reads the bindings as wrangler does, so that they lead to the same data. */
export async function readWorkerOptions() {
  Object.assign(process.env, QUIET)
  const { unstable_getMiniflareWorkerOptions } = loadWrangler()
  const { name, vars } = await readSiteConfig()
  const { workerOptions } = unstable_getMiniflareWorkerOptions(installed(CONFIG))
  // All modules are handed over, for which Miniflare accepts no rules.
  delete workerOptions.modulesRules
  // Miniflare would write e-mails into files and call them sent.
  delete workerOptions['email']
  // wrangler adds those of a .dev.vars beside its file.
  const bindings = readBindings(vars)
  // wrangler's path is absolute, and kept options must fit when the folder has moved.
  if (v.is(assetsSchema, workerOptions)) {
    const { assets } = workerOptions
    assets.directory = relative(installed('.'), assets.directory)
  }
  return { ...workerOptions, name, bindings }
}

/** The modules of the Worker, and its options. */
export const workerSchema = v.object({
  /** The name of the module that answers. */
  main: v.string(),
  /** Their texts, by their names. */
  modules: v.record(v.string(), v.string()),
  options: v.custom<WorkerOptions>(isObject),
})
export type LocalWorker = v.InferOutput<typeof workerSchema>

function isObject(value: unknown): boolean {
  return v.is(v.looseObject({}), value)
}

/** Reads the Worker of a pack. */
export function readPackedWorker(): LocalWorker {
  return v.parse(workerSchema, readPacked(PACKED_WORKER))
}

/** Says where the files that browsers load are now. */
export function placeAssets(options: WorkerOptions): void {
  if (!v.is(assetsSchema, options)) return
  options.assets.directory = resolve(installed(options.assets.directory))
}

function readBindings(vars: unknown = {}): Record<string, string> {
  const parsed = v.safeParse(bindingsSchema, vars)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new CommandError(
    `${CONFIG} can't be used: ${v.getDotPath(issue) ?? 'vars'} ${issue.message}.`,
  )
}
