import { setTimeout as pause } from 'node:timers/promises'
import { CommandError, runCommand } from '../kit/command-error.ts'
import { writePrivately } from '../kit/prepare-process.ts'
import { readOpenListToken } from './openlist-token.ts'
import { readSecretFiles } from './secret-files.ts'
import { becomeOwner } from './user.ts'

const TOKEN_SECONDS = 30
const HEALTH_MILLISECONDS = 4000
const LOG_OPTIONS: Readonly<Record<string, string[]>> = {
  text: [],
  json: ['--json'],
  errors: ['--quiet'],
}

/**
 * The entry of the container: serves the site; `health` asks it; other words are a command. Before
 * anything else it becomes the user of the data.
 */
await runCommand(async () => {
  const { env } = process
  const [first = '', ...rest] = process.argv.slice(2)
  const isStart = first === '' || first.startsWith('-')
  writePrivately()
  becomeOwner(env['LATCHKEY_DATA'] || '/data', env, isStart)
  readSecretFiles(env)
  if (isStart) return serve(first === '' ? [] : [first, ...rest])
  if (first === 'health') return askHealth()
  if (needsToken()) env['FILES_TOKEN'] = readOpenListToken(env['OPENLIST_DATA'] ?? '') ?? ''
  const { runProgram } = await import('../program.ts')
  return runProgram(['node', 'latchkey', ...(first === 'command' ? rest : [first, ...rest])])
})

function needsToken(): boolean {
  return Boolean(process.env['OPENLIST_DATA']) && !process.env['FILES_TOKEN']
}

async function serve(args: readonly string[]): Promise<void> {
  const log = LOG_OPTIONS[process.env['LOG'] || 'text']
  if (log === undefined) throw new CommandError('LOG must be text, json or errors.')
  if (needsToken()) await waitForToken()
  const { runStart } = await import('../start/serve.ts')
  await runStart(['--host', process.env['HOST'] || '0.0.0.0', ...log, ...args])
}

/** OpenList makes its token with its first start, which may be going on. */
async function waitForToken(): Promise<void> {
  const folder = process.env['OPENLIST_DATA'] ?? ''
  for (let second = 0; second < TOKEN_SECONDS; second++) {
    const token = readOpenListToken(folder)
    if (token !== undefined) {
      process.env['FILES_TOKEN'] = token
      return
    }
    await pause(1000)
  }
  console.error(
    `The token of OpenList can't be read from ${folder} (OPENLIST_DATA): the site starts without files. Set FILES_TOKEN to what this prints: docker compose exec openlist ./openlist admin token`,
  )
}

/** @throws {CommandError} When the Worker of the site does not answer from its database in time. */
async function askHealth(): Promise<void> {
  const [{ enterData }, { askSite }] = await Promise.all([
    import('../kit/data-folder.ts'),
    import('../site/running-site.ts'),
  ])
  enterData()
  const late = setTimeout(() => {
    console.error('The site does not answer.')
    process.exit(1)
  }, HEALTH_MILLISECONDS)
  try {
    await askSite({ batch: [{ query: 'select 1', values: [] }] })
  } catch (error) {
    throw new CommandError('The site does not answer.', { cause: error })
  } finally {
    clearTimeout(late)
  }
}
