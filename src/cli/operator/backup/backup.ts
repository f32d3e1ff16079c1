import { closeSync, openSync, rmSync } from 'node:fs'
import type { Command } from 'commander'
import { codeOf, CommandError, UsageError } from '../../shared/command-error.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { findLocalDatabase, readMigrations, withSqlite } from '../../site/local-database.ts'
import { addHelp } from '../../shared/help.ts'
import { jsonOutput, textOutput } from '../../shared/output.ts'

const NOTES = `The site may be running. The copy holds accounts, keys, sessions, events and settings, but not
SECRET_KEYS: keep .dev.vars as well, in another place. An existing file is never overwritten.`

/** `latchkey backup`: writes all data of the local site to one file. */
export function addBackupCommand(program: Command, command: Command): void {
  addHelp(command, { notes: NOTES, examples: ['backup ~/latchkey-$(date +%F).sqlite'] })
    .argument('<file>', 'the file to write; it must not exist yet')
    .action((file: string) => {
      const { remote, json } = program.opts<GlobalOptions>()
      if (remote)
        throw new UsageError(
          'This copies the local site; for the deployed one, use npx wrangler d1 export DB --remote --output <file>.',
        )
      backUp(file)
      const sentence = `Wrote ${file}. SECRET_KEYS is not in it: keep .dev.vars as well.`
      ;(json ? jsonOutput : textOutput).done(sentence, { file })
    })
}

/** @throws {CommandError} When there is no site, or the file can't be written. */
function backUp(file: string): void {
  const database = findLocalDatabase()
  if (database === undefined)
    throw new CommandError('There is no local site yet: run npm start first.')
  createPrivately(file)
  try {
    withSqlite(database, { readOnly: false }, (site) => {
      if (readMigrations(site) === undefined)
        throw new CommandError('There is no local site yet: run npm start first.')
      // One read transaction: later writes are not in the copy, and do not wait for it.
      site.prepare('vacuum into ?').run(file)
    })
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

/** Creates an empty private file; a file that SQLite creates is readable by all. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    const code = codeOf(error)
    throw new CommandError(
      code === 'EEXIST'
        ? `${file} exists already: name another file.`
        : `Can't write ${file} (${code}).`,
    )
  }
}
