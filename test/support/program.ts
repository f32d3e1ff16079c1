import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { Socket } from 'node:net'

/** How a program ended, and what it printed. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A program that runs beside the test. */
export class Program {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #ended: Ended = { code: null, stdout: '', stderr: '' }
  readonly #onPrint = new Set<() => void>()
  #printed = ''

  constructor(file: string, args: readonly string[], options: SpawnOptions) {
    this.#child = spawn(file, args, { ...options, stdio: 'pipe' })
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#ended[name] += text
        this.#printed += text
        for (const look of this.#onPrint) look()
      })
    }
    // A program may end before it has read everything.
    this.#child.stdin?.on('error', () => undefined)
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code) => resolve({ ...this.#ended, code }))
    })
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program was not started')
    return this.#child.pid
  }

  /** Its standard output so far. */
  get stdout(): string {
    return this.#ended.stdout
  }

  /** Its standard error so far. */
  get stderr(): string {
    return this.#ended.stderr
  }

  /** Both its outputs so far. */
  get printed(): string {
    return this.#printed
  }

  /** Resolves when the text was printed; rejects when the program ends without. */
  until(text: string): Promise<void> {
    return this.untilHolds(() => this.#printed.includes(text))
  }

  /** As `until`, for any condition on what was printed. */
  async untilHolds(holds: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!holds()) return
        this.#onPrint.delete(look)
        resolve()
      }
      this.#onPrint.add(look)
      look()
      void this.ended.then(({ code }) => reject(new Error(`ended with ${code}: ${this.#printed}`)))
    })
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Writes the rest of the standard input, and closes it. */
  finishInput(rest: string): void {
    this.#child.stdin?.end(rest)
  }

  /** Lets the process of the tests end before this program, which then reads the end of its input. */
  unref(): void {
    this.#child.unref()
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      if (stream instanceof Socket) stream.unref()
    }
  }

  /** Ends it. */
  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  /** Ends it as the kernel does when memory runs out. */
  kill(): Promise<Ended> {
    this.#child.kill('SIGKILL')
    return this.ended
  }
}
