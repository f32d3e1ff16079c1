import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How a process of a clone ended, and what it printed. */
interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A folder as it is after `npm ci`: no `.dev.vars`, no database. */
export function makeClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))
  for (const entry of ['src', 'schema', 'package.json', 'tsconfig.json', 'wrangler.toml']) {
    cpSync(entry, join(folder, entry), { recursive: true })
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** The same folder once more, with its site. */
export function copyClone(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

/** Starts a script of a clone. */
export function startScript(folder: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, PORT: '', ADMIN_PASSWORD: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (printed[name] += text))
  }
  const ended = once(child, 'close').then((): Ended => ({ code: child.exitCode, ...printed }))
  /** Resolves when the text was printed, rejects when the process ends without. */
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (printed.stdout + printed.stderr).includes(text) && resolve()
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)))
      look()
    })
  return { child, ended, until }
}

/** Runs `latchkey` in a clone. */
export function runLatchkey(folder: string, ...args: string[]): Promise<Ended> {
  return startScript(folder, ['src/cli/main.ts', ...args]).ended
}

/** Where wrangler keeps the local database of a clone. */
export function databaseOf(folder: string): string {
  const objects = join(folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
  const [file] = readdirSync(objects).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
  if (file === undefined) throw new Error('the clone has no database yet')
  return join(objects, file)
}
