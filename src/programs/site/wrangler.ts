import { spawn } from 'node:child_process'
import { createRequire, getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { CommandError } from '../kit/command-error.ts'
import { installed } from '../kit/places.ts'
import { refuseInPack } from './platform-tools.ts'

/** The environment in which wrangler asks nothing, sends no metrics and prints no banner. */
export const QUIET = {
  CI: '1',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_LOG: 'error',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_SANITIZE: 'true',
  // Tools for developers: everybody who reaches their port can read and write the data.
  X_LOCAL_EXPLORER: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  // Without a registry of running Workers there is no debug port, where any local user could call them.
  WRANGLER_REGISTRY_PATH: '',
}

/** Starts wrangler with the Node of this process. */
function startWrangler(args: string[], env: Record<string, string>, signal?: AbortSignal) {
  refuseInPack()
  const wrangler = join(
    dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
    'bin/wrangler.js',
  )
  return spawn(process.execPath, [wrangler, ...args], {
    // Where its configuration is, and the sources that it names.
    cwd: installed('.'),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal !== undefined && { signal }),
    env: { ...process.env, ...compileCache(), ...QUIET, ...env },
  })
}

/** Gives wrangler the compile cache of this process, so that wrangler starts faster. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/**
 * Runs wrangler to its end.
 *
 * @param env Added to the environment.
 * @param signal Ends wrangler, which then fails.
 * @returns What it printed to standard output.
 * @throws {CommandError} When wrangler fails; the message contains wrangler's.
 */
export async function runWrangler(
  args: string[],
  env: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<string> {
  // At a quieter level, wrangler does not print some of its JSON lists.
  const wrangler = startWrangler(args, { WRANGLER_LOG: 'log', ...env }, signal)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    wrangler[name].setEncoding('utf8').on('data', (chunk: string) => (printed[name] += chunk))
  }
  // A program that is ended by the signal fails with an event of its own before it closes.
  wrangler.once('error', () => undefined)
  const code = await new Promise((resolve) => wrangler.once('close', resolve))
  if (code !== 0)
    throw new CommandError(
      `wrangler ${args.slice(0, 3).join(' ')} failed:\n${complaint(printed.stderr || printed.stdout)}`,
    )
  return printed.stdout
}

/** Returns wrangler's message, without colours and without the path of its log. */
function complaint(printed: string): string {
  return stripVTControlCharacters(printed)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('🪵'))
    .join('\n')
}
