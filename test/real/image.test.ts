import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const IMAGE = 'latchkey-test'
const MAX_MEBIBYTES_ABOVE_BASE = 320
const MEBIBYTE = 1024 * 1024
const BUILD_MILLISECONDS = 30 * 60_000
const START = { timeout: 120_000, interval: 500 }
/** A used checkout holds such a line. */
const SECRET = 'FILES_TOKEN=not-for-an-image\n'
/** As `compose.yaml` runs it. */
const RIGHTS = [
  '--read-only',
  '--tmpfs=/tmp',
  '--security-opt=no-new-privileges',
  '--cap-drop=ALL',
  '--cap-add=CHOWN',
  '--cap-add=DAC_OVERRIDE',
  '--cap-add=FOWNER',
  '--cap-add=SETGID',
  '--cap-add=SETUID',
]

const tool = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0)
const bases = [...readFileSync('Dockerfile', 'utf8').matchAll(/^ARG (?:BUILD_)?BASE=(\S+)$/gm)].map(
  ([, name = '']) => name,
)

function run(...args: string[]) {
  const options = { encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { status, stdout, stderr } = spawnSync(tool ?? '', args, options)
  return { status, stdout, stderr }
}

/** Returns why no image can be built here; `undefined` when one can. */
function whyNot(): string | undefined {
  if (tool === undefined) return 'there is no docker or podman that works here'
  const missing = bases.find(
    (base) => run('image', 'inspect', base).status !== 0 && run('pull', base).status !== 0,
  )
  return missing === undefined ? undefined : `${tool} can't get ${missing}`
}

function sizeOf(image: string): number {
  return Number(run('image', 'inspect', '--format', '{{.Size}}', image).stdout)
}

/** Builds the image in a checkout that has secrets. */
function build(): void {
  if (!existsSync('.dev.vars')) writeFileSync('.dev.vars', SECRET, { flag: 'wx' })
  try {
    // Images in podman's own format have no health check.
    const format = tool === 'podman' ? ['--format=docker'] : []
    const built = run('build', ...format, '--tag', IMAGE, '.')
    expect(built.status, built.stderr).toBe(0)
  } finally {
    if (readFileSync('.dev.vars', 'utf8') === SECRET) rmSync('.dev.vars')
  }
}

afterAll(() => {
  if (tool !== undefined) run('image', 'rm', IMAGE)
})

test(
  'the image builds without secrets, stays small, says what it is, serves without rights and stops',
  async ({ skip }) => {
    const reason = whyNot()
    skip(reason !== undefined, reason)
    build()
    const above = sizeOf(IMAGE) - sizeOf(bases[0] ?? '')
    expect(above / MEBIBYTE).toBeLessThan(MAX_MEBIBYTES_ABOVE_BASE)
    const [{ Config: config }] = JSON.parse(run('image', 'inspect', IMAGE).stdout)
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Latchkey',
      'org.opencontainers.image.version': packageJson.version,
    })
    expect(config.Entrypoint.at(-1)).toBe('container/main')
    const version = run('run', '--rm', IMAGE, 'command', '--version')
    expect(version).toMatchObject({ status: 0, stdout: `${packageJson.version}\n` })
    const inside = run('run', '--rm', '--entrypoint=grep', IMAGE, '-rl', 'not-for-an-image', '/app')
    expect(inside.stdout).toBe('')

    const started = run('run', '--detach', ...RIGHTS, IMAGE)
    expect(started.status, started.stderr).toBe(0)
    const id = started.stdout.trim()
    try {
      const [program = '', ...words] = config.Healthcheck.Test.slice(1)
      await vi.waitUntil(() => run('exec', id, program, ...words).status === 0, START)
      const ofProcess = run('exec', id, 'cat', '/proc/1/status').stdout
      expect(ofProcess).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
      expect(ofProcess).toMatch(/^CapEff:\t0+$/m)
      expect(run('exec', id, 'latchkey', 'user', 'list').stdout).toMatch(/^1 +admin /m)
      expect(run('stop', '-t', '15', id).status).toBe(0)
      expect(run('inspect', '--format={{.State.ExitCode}}', id).stdout).toBe('0\n')
    } finally {
      run('rm', '--force', '--volumes', id)
    }
  },
  BUILD_MILLISECONDS,
)
