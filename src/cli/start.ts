import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { CommandError, runCommand } from './command-error.ts'
import { withSite } from './site.ts'
import { ensureDevVars } from './dev-vars.ts'
import { createFirstAccounts } from './first-accounts.ts'
import { checkPasswordLength } from '../login/password-rules.ts'
import { runWrangler, startWrangler } from './wrangler.ts'

const HOST = '127.0.0.1'
const DEFAULT_PORT = '8787'

/** `npm start`: from a clone to a service that answers, and the same again without losing anything. */
await runCommand(async () => {
  const port = readPort(process.env['PORT'] || DEFAULT_PORT)
  const chosenPassword = readPassword(process.env['ADMIN_PASSWORD'] || undefined)
  checkFolderIsWritable()
  await checkPortIsFree(port)
  ensureDevVars()
  console.log('Preparing the local database …')
  await runWrangler(['d1', 'migrations', 'apply', 'DB', '--local'])
  const password = await withSite({}, (site) => createFirstAccounts(site, chosenPassword))
  if (password !== undefined) announceAdmin(password, chosenPassword !== undefined)
  else if (chosenPassword !== undefined) announceIgnoredPassword()
  await serve(port)
})

function readPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port
  throw new CommandError(`PORT must be a number from 1 to 65535, not "${text}".`)
}

function readPassword(text: string | undefined): string | undefined {
  try {
    if (text !== undefined) checkPasswordLength(text)
    return text
  } catch (error) {
    throw new CommandError(`ADMIN_PASSWORD: ${error instanceof Error ? error.message : ''}.`)
  }
}

function checkFolderIsWritable(): void {
  try {
    accessSync('.', constants.W_OK)
  } catch {
    throw new CommandError(
      `Can't write to ${process.cwd()}: make the folder yours, or clone into another.`,
    )
  }
}

async function checkPortIsFree(port: number): Promise<void> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, HOST, resolve)
    })
  } catch {
    throw new CommandError(
      `Port ${port} is taken or not allowed: choose another, as in PORT=8788 npm start.`,
    )
  }
  await new Promise((resolve) => server.close(resolve))
}

function announceAdmin(password: string, isChosen: boolean): void {
  if (isChosen) console.log('Made the user admin with the password from ADMIN_PASSWORD.')
  else
    console.log(
      `\n  user      admin\n  password  ${password}\n\nThe password is shown this once.\n`,
    )
}

function announceIgnoredPassword(): void {
  console.log(
    'ADMIN_PASSWORD is ignored because there is an admin already; to change the password: npm run latchkey -- user password admin',
  )
}

/** Serves until a signal comes, then waits for wrangler to end. */
async function serve(port: number): Promise<void> {
  const wrangler = startWrangler([
    'dev',
    '--ip',
    HOST,
    '--port',
    String(port),
    '--show-interactive-dev-session=false',
  ])
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopping = true
      wrangler.kill(signal)
    })
  }
  const ended = new Promise<number | null>((resolve) => wrangler.once('close', resolve))
  await Promise.race([ended, untilServing(port)])
  const code = await ended
  process.exitCode = isStopping ? 0 : (code ?? 1)
}

async function untilServing(port: number): Promise<void> {
  const url = `http://${HOST}:${port}`
  for (;;) {
    const isServing = await fetch(`${url}/ping`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (isServing) break
    await setTimeout(200, undefined, { ref: false })
  }
  console.log(`Latchkey serves on ${url} (Ctrl-C stops it)`)
}
