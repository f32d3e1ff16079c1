import { relative } from 'node:path'
import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import { readSiteConfig } from './site-config.ts'
import { loadWrangler } from './platform-tools.ts'
import { QUIET } from './wrangler.ts'

const CONFIG = 'wrangler.toml'

/** `[vars]` of `wrangler.toml`, and their values in `.dev.vars`. */
const bindingsSchema = v.record(v.string(), v.string('must be a text in quotes'))
const assetsSchema = v.looseObject({ directory: v.string() })

/** Miniflare's options for the Worker of the local site, without its code and its secret. */
export type WorkerOptions = Awaited<ReturnType<typeof readWorkerOptions>>

/** Reads the bindings as wrangler does, so that they lead to the same data. */
export async function readWorkerOptions() {
  Object.assign(process.env, QUIET)
  const { unstable_getMiniflareWorkerOptions } = loadWrangler()
  const { name } = await readSiteConfig()
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG)
  // The bundle is one module, for which Miniflare accepts no rules.
  delete workerOptions.modulesRules
  // Miniflare would write e-mails into files and call them sent.
  delete workerOptions['email']
  const bindings = readBindings(workerOptions['bindings'])
  // The start hands it in.
  delete bindings['SECRET_KEYS']
  // The password of a mail server, which only the start uses.
  delete bindings['SMTP_URL']
  const { assets } = workerOptions
  // wrangler's path is absolute, and kept options must fit when the folder has moved.
  if (v.is(assetsSchema, assets)) assets.directory = relative('.', assets.directory)
  return { ...workerOptions, name, bindings }
}

function readBindings(bindings: unknown): Record<string, string> {
  const parsed = v.safeParse(bindingsSchema, bindings)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new CommandError(
    `${CONFIG} can't be used: ${v.getDotPath(issue) ?? 'vars'} ${issue.message}.`,
  )
}
