import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const IMAGE = 'latchkey-test'
const MAX_MEBIBYTES_ABOVE_BASE = 320
const MEBIBYTE = 1024 * 1024
const BUILD_MILLISECONDS = 30 * 60_000

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

afterAll(() => {
  if (tool !== undefined) run('image', 'rm', IMAGE)
})

test(
  'the image builds, stays small, says what it is, and runs commands',
  async ({ skip }) => {
    const reason = whyNot()
    skip(reason !== undefined, reason)
    const built = run('build', '--tag', IMAGE, '.')
    expect(built.status, built.stderr).toBe(0)
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
  },
  BUILD_MILLISECONDS,
)
