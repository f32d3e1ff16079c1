import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { CommandError } from './command-error.ts'

/** Wrangler asks nothing, reports nothing and draws nothing when it is told who is at the other end. */
export const QUIET = {
  CI: '1',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_LOG: 'error',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_SANITIZE: 'true',
}

/** Starts wrangler with this same Node. */
export function startWrangler(
  args: string[],
  stdio: 'inherit' | 'pipe' = 'inherit',
  env: Record<string, string> = {},
) {
  const wrangler = join(
    dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
    'bin/wrangler.js',
  )
  const output = stdio === 'inherit' ? 'inherit' : 'pipe'
  return spawn(process.execPath, [wrangler, ...args], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...QUIET, ...env },
  })
}

/**
 * Runs wrangler to its end.
 *
 * @param env Added to the environment.
 * @returns What it printed to standard output.
 * @throws {CommandError} With what it complained of, when it failed.
 */
export async function runWrangler(
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  // At a quieter level some lists of wrangler, though JSON, are not printed.
  const wrangler = startWrangler(args, 'pipe', { WRANGLER_LOG: 'log', ...env })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    wrangler[name]?.setEncoding('utf8').on('data', (chunk: string) => (printed[name] += chunk))
  }
  const code = await new Promise((resolve) => wrangler.once('close', resolve))
  if (code !== 0)
    throw new CommandError(
      `wrangler ${args.slice(0, 3).join(' ')} failed:\n${complaint(printed.stderr || printed.stdout)}`,
    )
  return printed.stdout
}

/** What went wrong, without colours and without where wrangler keeps its own log. */
function complaint(printed: string): string {
  return stripVTControlCharacters(printed)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('🪵'))
    .join('\n')
}
