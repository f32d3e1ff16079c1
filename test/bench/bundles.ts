import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CommandError } from '../../src/programs/kit/command-error.ts'
import { buildModules, writeModules } from '../../src/programs/site/worker-modules.ts'
import { runWrangler } from '../../src/programs/site/wrangler.ts'

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone with the process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  folders.push(folder)
  return folder
}

/**
 * Bundles a Worker as a deployment would.
 *
 * @param entry Its source, `src/worker.ts` or one that stands in for it.
 * @param source The root of the repository it is of.
 * @returns The file, or the main module; the others are beside it.
 */
export async function bundle(
  entry: string,
  { source = '.' }: { source?: string } = {},
): Promise<string> {
  const outdir = temporaryFolder()
  // A commit of before there were modules deployed one bundle.
  if (existsSync(join(source, 'src/programs/site/worker-modules.ts')))
    return writeModules(outdir, await buildModules(entry, { minify: true, root: source }))
  await runWrangler([
    'deploy',
    resolve(source, entry),
    '--config',
    resolve(source, 'wrangler.toml'),
    '--dry-run',
    '--minify',
    '--outdir',
    outdir,
  ])
  const script = readdirSync(outdir).find((name) => name.endsWith('.js'))
  return join(outdir, script ?? 'worker.js')
}

/** What the metering entry exports. */
const HASHER = 'src/core/crypto/password-hasher.ts'

/**
 * The sources as they were.
 *
 * @throws {CommandError} Where git or the commit isn't there.
 */
export function checkOut(commit: string): string {
  const known = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' })
  if (known.status !== 0) throw new CommandError(`There is no commit ${commit} here.`)
  const folder = temporaryFolder()
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 1 << 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  // What browsers load is in the Worker too, by its names.
  execFileSync('npm', ['run', '-s', 'assets'], { cwd: folder, stdio: 'ignore' })
  return folder
}

/**
 * The sources as they were, with the metering entry of today.
 *
 * @throws {CommandError} Where git or the commit isn't there, or the entry doesn't fit its folders.
 */
export function checkOutMetered(commit: string): string {
  const folder = checkOut(commit)
  if (!existsSync(join(folder, HASHER)))
    throw new CommandError(`${commit} is too old to be compared: it has no ${HASHER}.`)
  cpSync('test/bench/metered.ts', join(folder, 'test/bench/metered.ts'))
  return folder
}
