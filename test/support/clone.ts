import { spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How a program ended. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A copy of the repository as after `npm ci`, in a folder of its own: no secret, no database. */
export class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))

  constructor() {
    for (const entry of ['src', 'schema', 'package.json', 'tsconfig.json', 'wrangler.toml']) {
      cpSync(entry, join(this.folder, entry), { recursive: true })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.folder, 'node_modules'))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Runs a program of ours in the clone, as its npm script does. */
  run(program: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
    return this.#node([program, ...args], env)
  }

  wrangler(...args: string[]): Promise<Ended> {
    return this.#node(['node_modules/wrangler/bin/wrangler.js', ...args], { CI: '1' })
  }

  /** Changes the local database behind everybody's back. */
  sql(statements: string): void {
    const [file = ''] = globSync(join(this.folder, '.wrangler/state/v3/d1/*/*.sqlite')).filter(
      (path) => !path.endsWith('metadata.sqlite'),
    )
    const database = new DatabaseSync(file)
    database.exec(statements)
    database.close()
  }

  async #node(args: string[], env: Record<string, string>): Promise<Ended> {
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...process.env, SECRET_KEYS: '', CLOUDFLARE_API_TOKEN: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended: Ended = { code: null, stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => (ended[name] += chunk))
    }
    ended.code = await new Promise((resolve) => child.once('close', resolve))
    return ended
  }
}
