import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
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
export function startWrangler(args: string[], stdio: 'inherit' | 'pipe' = 'inherit') {
  const wrangler = join(
    dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
    'bin/wrangler.js',
  )
  const output = stdio === 'inherit' ? 'inherit' : 'pipe'
  return spawn(process.execPath, [wrangler, ...args], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...QUIET },
  })
}

/**
 * Runs wrangler to its end.
 *
 * @returns What it printed.
 * @throws {CommandError} With what it printed, when it failed.
 */
export async function runWrangler(args: string[]): Promise<string> {
  const wrangler = startWrangler(args, 'pipe')
  let printed = ''
  for (const stream of [wrangler.stdout, wrangler.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  }
  const code = await new Promise((resolve) => wrangler.once('close', resolve))
  if (code !== 0)
    throw new CommandError(`wrangler ${args.slice(0, 3).join(' ')} failed:\n${printed.trim()}`)
  return printed
}
