import type { DatabaseSync } from 'node:sqlite'
import type { EventKind } from '../../core/audit/kinds.ts'
import { COMMAND_LINE } from '../../core/base/network.ts'
import { CommandError, UsageError } from '../kit/command-error.ts'
import { writeNewFile } from '../kit/new-file.ts'
import { command, takes } from '../kit/declaration.ts'
import { copyInto, findLocalDatabase, readMigrations, withSqlite } from '../site/local-database.ts'

/** `latchkey backup`: writes all data of the local site to one file. */
export const backupCommand = command({
  takes: {
    file: takes('<file>', 'the file to write; it must not exist yet', '要写入的文件，不能已经存在'),
  },
  notes: [
    `The site may be running. The copy holds accounts, keys, sessions, events and settings, but not
SECRET_KEYS: keep .dev.vars as well, in another place. An existing file is never overwritten.`,
    `站点可以正在运行。备份包含账户、公钥、登录设备、事件和设置，但不包含 SECRET_KEYS：
请把 .dev.vars 另外保存在别处。已有的文件不会被覆盖。`,
  ],
  examples: ['backup ~/latchkey-$(date +%F).sqlite'],
  run({ file }, { remote, output }) {
    if (remote)
      throw new UsageError(
        'This copies the local site; for the deployed one, use npx wrangler d1 export DB --remote --output <file>.',
      )
    const isNoted = backUp(file)
    const noted = isNoted ? '' : ' The site took no note of it in its events.'
    output.done(`Wrote ${file}. SECRET_KEYS is not in it: keep .dev.vars as well.${noted}`, {
      file,
    })
  },
})

/**
 * @returns Whether the site has an event of it, for administrators: the copy holds everything.
 * @throws {CommandError} When there is no site, or the file can't be written.
 */
function backUp(file: string): boolean {
  const database = findLocalDatabase()
  if (database === undefined)
    throw new CommandError('There is no local site yet: run npm start first.')
  return withSqlite(database, { readOnly: false }, (site) => {
    writeNewFile(file, () => {
      if (readMigrations(site) === undefined)
        throw new CommandError('There is no local site yet: run npm start first.')
      copyInto(site, file)
    })
    return note(site)
  })
}

/** A site whose disk is full, or that is being written, still gets its backup. */
function note(site: DatabaseSync): boolean {
  const { network, userAgent } = COMMAND_LINE
  try {
    site
      .prepare(`insert into audit_events (at, kind, network, user_agent) values (?, ?, ?, ?)`)
      .run(Date.now(), 'backup_made' satisfies EventKind, network, userAgent)
    return true
  } catch {
    return false
  }
}
