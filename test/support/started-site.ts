import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from './free-port.ts'

/** How long a write waits for one of the service's. */
const BUSY_MILLISECONDS = 5000

/** A whole site with its static assets, as `npm start` serves it from a fresh clone. */
export class StartedSite {
  readonly url: string
  readonly #folder: string
  readonly #child: ChildProcess

  private constructor(url: string, folder: string, child: ChildProcess) {
    this.url = url
    this.#folder = folder
    this.#child = child
  }

  static async start(adminPassword: string): Promise<StartedSite> {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-site-'))
    for (const entry of ['src', 'schema', 'package.json', 'tsconfig.json', 'wrangler.toml']) {
      cpSync(entry, join(folder, entry), { recursive: true })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
    const port = await freePort()
    const child = spawn(process.execPath, ['src/cli/start.ts'], {
      cwd: folder,
      env: { ...process.env, PORT: port, ADMIN_PASSWORD: adminPassword },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const site = new StartedSite(`http://127.0.0.1:${port}`, folder, child)
    await site.#until('serves on')
    return site
  }

  /** Writes to the database past the service, as `wrangler d1 execute` would, but at once. */
  write(statement: string, ...values: (string | number)[]): void {
    const folder = join(this.#folder, '.wrangler/state/v3/d1/miniflare-D1DatabaseObject')
    const [name = ''] = readdirSync(folder).filter((file) => /^[0-9a-f]+\.sqlite$/.test(file))
    const database = new DatabaseSync(join(folder, name), { timeout: BUSY_MILLISECONDS })
    try {
      database.prepare(statement).run(...values)
    } finally {
      database.close()
    }
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGINT')
      await closed
    }
    rmSync(this.#folder, { recursive: true })
  }

  #until(text: string): Promise<void> {
    let printed = ''
    return new Promise((resolve, reject) => {
      for (const stream of [this.#child.stdout, this.#child.stderr]) {
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          printed += chunk
          if (printed.includes(text)) resolve()
        })
      }
      this.#child.once('close', () => reject(new Error(printed)))
    })
  }
}
