import {
  chmodSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import { inject } from 'vitest'
import { Client } from './client.ts'
import { freePort } from './free-port.ts'
import { type Ended, Program } from './program.ts'
import { restoreRows } from './remembered.ts'

export const ADMIN_PASSWORD = 'admin-Passw0rd'

/** Replaces variables that the shell of a developer may hold. */
const CLEAN = {
  SECRET_KEYS: '',
  CLOUDFLARE_API_TOKEN: '',
  PORT: '',
  ADMIN_PASSWORD: '',
  BEHIND_PROXY: '',
  TRUSTED_PROXIES: '',
  LATCHKEY_DATA: '',
  LC_ALL: '',
  LC_MESSAGES: '',
  LANG: 'C.UTF-8',
}
/** The files of a repository after `npm ci` that the site needs. */
const ENTRIES = [
  '.build',
  'docs',
  'schema',
  'scripts',
  'src',
  'package.json',
  'tsconfig.json',
  'wrangler.toml',
]
/** Folders that a clone shares with its original. Node keeps compiled files by path. */
const SHARED = ['.build', 'docs', 'schema', 'scripts', 'src']
const TAKEN_AWAY = join('.build', 'take-away')
/** How long a statement waits for one of the service's. */
const BUSY_MILLISECONDS = 5000
const NOBODY = { uid: 65_534, gid: 65_534 }

type Env = Record<string, string>

/** One for all tests of a process of vitest; it ends with that process. */
let runner: CommandRunner | undefined

/** The input of `command-runner.ts`. */
interface Command {
  folder: string
  words?: readonly string[]
  input?: string
}

/** Runs commands in one process, one after another, with the sources of the started site. */
export class CommandRunner {
  readonly #program: Program
  #commands = 0
  #last: Promise<unknown> = Promise.resolve()
  /** The folder whose data it may hold open. */
  #folder: string | undefined

  constructor(env: Env = {}) {
    this.#program = new Program(
      process.execPath,
      [join(import.meta.dirname, 'command-runner.ts'), join(inject('startedSite'), 'src')],
      { env: { ...process.env, ...CLEAN, ...env } },
    )
    this.#program.unref()
  }

  run(folder: string, words: readonly string[], input = ''): Promise<Ended> {
    this.#folder = folder
    return this.#queue({ folder, words, input })
  }

  /** Closes the data of a folder, if it holds them open. */
  async close(folder: string): Promise<void> {
    if (this.#folder !== folder) return
    this.#folder = undefined
    await this.#queue({ folder })
  }

  end(): Promise<Ended> {
    this.#program.finishInput('')
    return this.#program.ended
  }

  #queue(command: Command): Promise<Ended> {
    const ended = this.#last.then(() => this.#runNext(command))
    this.#last = ended.catch(() => undefined)
    return ended
  }

  async #runNext(command: Command): Promise<Ended> {
    const program = this.#program
    const end = new RegExp(`command ${++this.#commands} exits with (\\d+)\\.\n$`)
    const before = { stdout: program.stdout.length, stderr: program.stderr.length }
    program.type(`${JSON.stringify(command)}\n`)
    await program.untilHolds(() => end.test(program.stdout) && end.test(program.stderr))
    return {
      code: Number(end.exec(program.stdout)?.[1]),
      stdout: program.stdout.slice(before.stdout).replace(end, ''),
      stderr: program.stderr.slice(before.stderr).replace(end, ''),
    }
  }
}

/** A copy of the repository as after `npm ci`, in a folder of its own: no secret, no database. */
export class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))
  readonly #programs: Program[] = []

  /**
   * @param from The folder of another clone, whose site comes along, if it has one. Its sources are
   *   shared, and what was built from them: a test that changes them calls `own` first.
   */
  constructor(from?: string) {
    // So that another user of this machine can read it.
    chmodSync(this.folder, 0o755)
    if (from !== undefined) {
      for (const entry of readdirSync(from)) {
        if (SHARED.includes(entry)) continue
        // With a filter Node takes twice as long, but keeps the modes of folders.
        const filter = entry === '.wrangler' && { filter: () => true }
        const options = { recursive: true, verbatimSymlinks: true, ...filter }
        cpSync(join(from, entry), this.path(entry), options)
      }
      for (const entry of SHARED) symlinkSync(join(from, entry), this.path(entry))
      return
    }
    for (const entry of ENTRIES) {
      // What `take-away` makes there is no part of a site, and it may be writing.
      const filter = entry === '.build' && { filter: (path: string) => path !== TAKEN_AWAY }
      cpSync(entry, this.path(entry), { recursive: true, ...filter })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), this.path('node_modules'))
  }

  /** Gives the clone a copy of something that it shares, which the test may change. */
  own(entry: 'src' | 'schema'): void {
    const shared = realpathSync(this.path(entry))
    rmSync(this.path(entry))
    cpSync(shared, this.path(entry), { recursive: true })
  }

  /** Ends what runs in it, and removes it. */
  async remove(): Promise<void> {
    await Promise.all([this.stop(), this.closeData()])
    rmSync(this.folder, { recursive: true })
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Runs a program of ours to its end, as its npm script does. */
  async run(program: string, args: readonly string[], env: Env = {}): Promise<Ended> {
    await this.closeData()
    return this.#node([program, ...args], env).ended
  }

  wrangler(...args: string[]): Promise<Ended> {
    return this.run('node_modules/wrangler/bin/wrangler.js', args, { CI: '1' })
  }

  /** `npm run latchkey -- …args` */
  async latchkey(
    args: readonly string[],
    { input = '', env = {} }: { input?: string; env?: Env } = {},
  ): Promise<Ended> {
    await this.closeData()
    return this.#node(['src/programs/launch.cjs', 'main', ...args], env, input).ended
  }

  /** The same, not waited for. */
  startLatchkey(...args: string[]): Program {
    return this.#node(['src/programs/launch.cjs', 'main', ...args], {})
  }

  /** The same, with its standard input open. */
  holdLatchkey(...args: string[]): Program {
    return this.#start(process.execPath, ['src/programs/launch.cjs', 'main', ...args], {})
  }

  /** The same on a terminal, where somebody types each answer once the text before it is shown. */
  async typed(
    args: readonly string[],
    answers: readonly [prompt: string, answer: string][],
  ): Promise<Ended> {
    const command = [process.execPath, 'src/programs/launch.cjs', 'main', ...args].join(' ')
    const program = this.#start('script', ['-qec', command, '/dev/null'], {})
    for (const [prompt, answer] of answers) {
      await program.until(prompt)
      program.type(`${answer}\r`)
    }
    return program.ended
  }

  /**
   * Runs a command in the process of the commands before it, those of other clones included, which
   * has everything loaded: several times as fast as `latchkey`. The data stay open for the next
   * such command, until another program is waited for.
   *
   * @param input What its standard input holds.
   */
  command(args: readonly string[], input = ''): Promise<Ended> {
    runner ??= new CommandRunner()
    return runner.run(this.folder, args, input)
  }

  /** Closes the data that commands have left open. */
  async closeData(): Promise<void> {
    await runner?.close(this.folder)
  }

  /** Runs a line of bash as somebody in this folder would. */
  shell(line: string, env: Env = {}): Program {
    const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    const program = this.#start('bash', ['-c', line], { PATH: path, ...env })
    program.finishInput('')
    return program
  }

  /** `npm start` */
  start(env: Env = {}, { asNobody = false, args = [] as readonly string[] } = {}): Program {
    return this.#node(
      ['src/programs/launch.cjs', 'start', ...args],
      env,
      '',
      asNobody ? NOBODY : {},
    )
  }

  /**
   * `npm start` on a port of its own, until it answers.
   *
   * @param adminPassword For the first start in a folder.
   */
  async serve(adminPassword?: string): Promise<Client> {
    const port = await freePort()
    const env = adminPassword === undefined ? {} : { ADMIN_PASSWORD: adminPassword }
    await this.closeData()
    await this.start({ PORT: port, ...env }).until('serves on')
    return new Client(`http://127.0.0.1:${port}`)
  }

  /** Ends what runs in it. */
  async stop(): Promise<void> {
    await Promise.all(this.#programs.splice(0).map((program) => program.stop()))
  }

  /** The file of the local database. */
  get database(): string {
    const files = globSync(this.path('.wrangler/state/v3/d1/*/*.sqlite'))
    const file = files.find((path) => !path.endsWith('metadata.sqlite'))
    if (file === undefined) throw new Error('the clone has no database yet')
    return file
  }

  /**
   * Runs one statement on the local database, behind everybody's back.
   *
   * @returns The rows of a query.
   */
  sql(statement: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    return this.#use((database) => {
      const rows = database.prepare(statement).all(...values)
      return rows.map((row) => ({ ...row }))
    })
  }

  /**
   * Remembers every row of the local database.
   *
   * @returns What puts them back in place of those of that time, also while a site is served.
   */
  remember(): () => void {
    const copy = this.path('remembered.sqlite')
    this.sql('vacuum into ?', copy)
    return () => this.#use((database) => restoreRows(database, copy))
  }

  #use<Result>(work: (database: DatabaseSync) => Result): Result {
    const database = new DatabaseSync(this.database, { timeout: BUSY_MILLISECONDS })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }

  #node(args: readonly string[], env: Env, input = '', as: Partial<typeof NOBODY> = {}): Program {
    const program = this.#start(process.execPath, args, env, as)
    program.finishInput(input)
    return program
  }

  #start(file: string, args: readonly string[], env: Env, as: Partial<typeof NOBODY> = {}) {
    void this.closeData()
    const options = { cwd: this.folder, env: { ...process.env, ...CLEAN, ...env }, ...as }
    const program = new Program(file, args, options)
    this.#programs.push(program)
    return program
  }
}
