import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Envelope } from './envelope.ts'
import { freePort } from './free-port.ts'

/** A program that runs in a clone. */
export interface Started {
  child: ChildProcess
  /** Both its outputs. */
  printed: () => string
  /** Resolves when the text was printed or the program has ended. */
  until: (text: string) => Promise<void>
  /** The exit code. */
  ended: Promise<number | null>
}

/** What came of a command. */
export interface Ran {
  code: number | null
  out: string
  err: string
}

/** A clone after `npm ci`: no `.dev.vars`, no database. */
export class RunningClone {
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-clone-'))
  readonly #children: ChildProcess[] = []

  constructor() {
    chmodSync(this.folder, 0o755)
    for (const entry of ['src', 'schema', 'package.json', 'tsconfig.json', 'wrangler.toml']) {
      cpSync(entry, join(this.folder, entry), { recursive: true })
    }
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.folder, 'node_modules'))
  }

  /** `npm start` */
  start(env: Record<string, string> = {}, asNobody = false): Started {
    const child = spawn(process.execPath, ['src/cli/start.ts'], {
      cwd: this.folder,
      env: { ...process.env, PORT: '', ADMIN_PASSWORD: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(asNobody && { uid: 65_534, gid: 65_534 }),
    })
    this.#children.push(child)
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
    }
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const until = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => printed.includes(text) && resolve()
        child.stdout.on('data', look)
        void ended.then(() => resolve())
        look()
      })
    return { child, printed: () => printed, until, ended }
  }

  /** Starts the site on a port of its own, and waits until it answers. */
  async serve(adminPassword: string): Promise<ServedClone> {
    const port = await freePort()
    const service = this.start({ PORT: port, ADMIN_PASSWORD: adminPassword })
    await service.until('serves on')
    return new ServedClone(`http://127.0.0.1:${port}`)
  }

  /** `npm run latchkey -- …args`; `input` is its standard input. */
  latchkey(
    args: readonly string[],
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<Ran> {
    return this.#run(process.execPath, ['src/cli/main.ts', ...args], { input, env })
  }

  /**
   * The same on a terminal, where somebody types each answer once the text before it is shown.
   *
   * @returns All that the terminal showed, in `out`.
   */
  typed(args: readonly string[], answers: readonly [prompt: string, answer: string][]) {
    const command = [process.execPath, 'src/cli/main.ts', ...args].join(' ')
    return this.#run('script', ['-qec', command, '/dev/null'], { input: '', env: {}, answers })
  }

  async #run(
    file: string,
    args: readonly string[],
    options: {
      input: string
      env: Record<string, string>
      answers?: readonly [prompt: string, answer: string][]
    },
  ): Promise<Ran> {
    // What Node keeps of the sources goes with the clone.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.folder, '.cache'), ...options.env }
    const child = spawn(file, args, { cwd: this.folder, env })
    const answers = [...(options.answers ?? [])]
    let out = ''
    let err = ''
    let seen = 0
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      const [prompt, answer] = answers[0] ?? []
      if (prompt === undefined || !out.slice(seen).includes(prompt)) return
      seen = out.length
      answers.shift()
      child.stdin.write(`${answer}\r`)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
    if (options.answers === undefined) child.stdin.end(options.input)
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, out, err }
  }

  /** Ends what runs in it, and removes it. */
  async remove(): Promise<void> {
    for (const child of this.#children.splice(0)) await stop(child)
    rmSync(this.folder, { recursive: true })
  }
}

/** The site of a clone, as its clients know it. */
export class ServedClone {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async call(
    method: string,
    path: string,
    { token = '', body }: { token?: string; body?: unknown } = {},
  ): Promise<Envelope> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }

  signIn(username: string, password: string): Promise<Envelope> {
    return this.call('POST', '/api/auth/login', { body: { username, password } })
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGINT')
  await closed
}
