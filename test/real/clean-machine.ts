import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Says why no machine can be made here; `undefined` when one can. */
export function reasonAgainstMachine(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make a machine of its own'
  const tries = [
    ['dpkg-query', '--version'],
    ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()],
  ]
  const failing = tries.find(([name = '', ...args]) => spawnSync(name, args).status !== 0)
  return failing && `${failing.join(' ')} does not work here`
}

/**
 * Runs a command on a machine that has only what the README names: Node, npm, git and what every
 * Debian has. `owner` runs it in a clone of this project, root anywhere.
 */
export function onCleanMachine(command: string, user: 'owner' | 'root' = 'owner') {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-machine-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const script = ['test/real/clean-machine.sh', root, process.cwd(), command]
  return spawnSync('unshare', ['--mount', '--pid', '--fork', 'bash', ...script], {
    encoding: 'utf8',
    env: { ...process.env, CLEAN_MACHINE_USER: user },
    maxBuffer: 64 * 1024 * 1024,
  })
}
