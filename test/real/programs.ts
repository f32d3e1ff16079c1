import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

/**
 * Finds a program that these tests need: the path in a variable of the environment, or a name on
 * `PATH`. Says so when it is missing.
 */
export function findProgram(variable: string, name: string): string | undefined {
  const path = process.env[variable] ?? name
  // A program that is found says something about itself, or complains.
  if (spawnSync(path, ['--version']).error === undefined) return path
  console.warn(`Skipped, for want of ${name}: set ${variable} to its path, or put it on PATH.`)
  return undefined
}

/** What a program printed, and how it ended. */
export interface Outcome {
  status: number | null
  printed: string
}

/** Runs a program to its end. */
export function execute(
  program: string,
  args: string[],
  {
    input = '',
    env = {},
    cwd,
  }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: 'pipe',
      ...(cwd !== undefined && { cwd }),
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
    }
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, printed }))
    child.stdin.end(input)
  })
}

/** Ends a program that this process started, and waits until it is gone. */
export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('close', () => resolve())
    child.kill('SIGTERM')
  })
}
