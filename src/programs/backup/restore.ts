import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import { isoTimeOrNull } from '../../core/base/time.ts'
import { codeOf, CommandError, UsageError } from '../kit/command-error.ts'
import { findLocalDatabase, readMigrations, withSqlite } from '../site/local-database.ts'
import { createKeyRing } from '../../core/crypto/key-ring.ts'
import { DEV_VARS_FILE, givenSecretKeys, readSecretKeys } from '../site/dev-vars.ts'
import { command, takes } from '../kit/declaration.ts'
import { narrowPrivateFiles } from '../site/private-files.ts'
import { listMigrations, readSiteConfig, refuseLaterMigrations } from '../site/site-config.ts'
import { withSite } from '../site/open-site.ts'
import { latchkeyStopped } from '../kit/printed-command.ts'
import {
  listSeals,
  sealCountQuery,
  sealCountsSchema,
  type SealCount,
  sumSeals,
} from '../site/sealed-content.ts'

/**
 * New users get ids beyond those of users who were made after the backup: lists of the file server
 * may still name these.
 */
const LEFT_OUT_IDS = 10_000

const NAMES = `Apps may know users who were made after the backup. If you have the database of before, keep others from
their names: ${latchkeyStopped('reserved-name', 'keep', 'FILE')}`

/** Warns that the site takes the backup as its present state, and writes it to a file server. */
function whatIsBack(writtenUntil: string | null): string {
  const time = writtenUntil === null ? '' : `, at ${writtenUntil}`
  return `What was taken away after the last event of the backup${time}, is back: users who were disabled or deleted, rights, folders, passwords,
app passwords and keys, and shares at OpenList of users who were disabled. npm start writes it to OpenList. Before that, take it away again,
such as with: ${latchkeyStopped('user', 'disable', 'NAME')}
Folders that got rules since then have lists of users at OpenList and no rules here: users of the folder above can copy and share them. With
OpenList running, ${latchkeyStopped('files', 'check')} names them, and ${latchkeyStopped('folder-rule', 'adopt', 'PATH')} makes rules of the lists.`
}

/** `latchkey restore`: creates a local site from a backup. */
export const restoreCommand = command({
  takes: {
    file: takes('<file>', 'a file that the command backup wrote', '命令 backup 写入的文件'),
    withoutSecret: takes(
      '--without-secret',
      'restores although there is no .dev.vars here',
      '即使这里没有 .dev.vars 也恢复',
    ),
  },
  notes: [
    `Run this in a folder without a site, after you have put .dev.vars with its SECRET_KEYS there. npm start
upgrades a backup of an older version. Other SECRET_KEYS than those of the backed-up site are refused. With
--without-secret, channels of notices can not be opened, and users with two-step verification need a recovery code.
What was taken away after the backup comes back with it, disabled and deleted users too: the result says from when on.`,
    `请在没有站点的文件夹中运行，并事先放入带有原 SECRET_KEYS 的 .dev.vars。
旧版本的备份会由 npm start 升级。与原站点不同的 SECRET_KEYS 会被拒绝。使用 --without-secret 时，通知渠道无法打开，
使用双重验证的用户需要恢复代码。备份之后收回的内容会随之恢复，包括已停用和已删除的用户：结果会说明从何时起。`,
  ],
  examples: ['restore ~/latchkey-2026-11-21.sqlite'],
  async run({ file, withoutSecret }, { remote, output }) {
    if (remote)
      throw new UsageError('restore creates a local site, so it can not be used with --remote.')
    await checkBackup(file)
    refuseToOverwrite()
    if (!withoutSecret) await requireSecret(file)
    const { hasPrograms, writtenUntil } = await restore(file)
    const sentence = `Restored the site from ${file}; all users must sign in again. Next: npm start`
    const notes = [whatIsBack(writtenUntil), ...(hasPrograms ? [NAMES] : [])]
    output.done([sentence, ...notes].join('\n'), { file, written_until: writtenUntil })
  },
})

/**
 * Refuses before anything is restored: without the secret of the backed-up site, codes of two-step
 * verification can't be checked.
 */
async function requireSecret(file: string): Promise<void> {
  const what =
    'users with two-step verification can sign in only with the SECRET_KEYS of the backed-up site'
  const remedy = `Put its ${DEV_VARS_FILE} here first; if it is lost, add --without-secret. Nothing was restored.`
  if (!existsSync(DEV_VARS_FILE) && givenSecretKeys() === undefined)
    throw new CommandError(`There is no ${DEV_VARS_FILE} here: ${what}. ${remedy}`)
  const ring = await createKeyRing(readSecretKeys())
  const lost = listSeals(sumSeals(await countSeals(file), ring).lost)
  if (lost === '') return
  throw new CommandError(
    `The SECRET_KEYS in ${DEV_VARS_FILE} are of another site: they don't open ${lost} of the backup. ${remedy}`,
  )
}

async function countSeals(file: string): Promise<SealCount[]> {
  const tables = withSqlite(file, { readOnly: true }, (backup) =>
    backup.prepare("select name from sqlite_master where type = 'table'").all(),
  )
  const query = await sealCountQuery(tables.map(({ name }) => String(name)))
  return withSqlite(file, { readOnly: true }, (backup) =>
    v.parse(sealCountsSchema, backup.prepare(query).all()),
  )
}

/** @throws {CommandError} When the file is not a backup, is damaged, or is from a later version. */
async function checkBackup(file: string): Promise<void> {
  try {
    accessSync(file, constants.R_OK)
    // SQLite would wait for ever for data from a pipe.
    if (!statSync(file).isFile())
      throw new CommandError(`${file} is no file: name what the command backup wrote.`)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Can't read ${file} (${codeOf(error)}): name a file that you may read.`)
  }
  const known = listMigrations(await readSiteConfig())
  refuseLaterMigrations(
    known,
    readApplied(file),
    (names) => `${file} was written by a later version (${names}): git pull first.`,
  )
}

/** Columns that the database has in every version. */
const OURS = ['id, username, password_hash from users', 'id from sessions']

function readApplied(file: string): string[] {
  let applied: string[] | undefined
  try {
    applied = withSqlite(file, { readOnly: true }, (backup) => {
      const check = backup.prepare('pragma integrity_check').get()
      if (check?.['integrity_check'] !== 'ok') return undefined
      // Fails when a table of the same name has other columns.
      for (const columns of OURS) backup.prepare(`select ${columns} limit 1`).get()
      return readMigrations(backup)
    })
  } catch {
    // SQLite can't read the file.
  }
  if (applied !== undefined) return applied
  throw new CommandError(`${file} is not a backup of a Latchkey site, or it is damaged.`)
}

/**
 * Refuses to overwrite a site. A database with users is a site: every site has users from its first
 * start.
 */
function refuseToOverwrite(): void {
  const file = findLocalDatabase()
  if (file === undefined) return
  const hasUsers = withSqlite(file, { readOnly: false }, (database) => {
    if (readMigrations(database) === undefined) return false
    return database.prepare('select 1 from users limit 1').get() !== undefined
  })
  if (hasUsers)
    throw new CommandError(
      'There is a site here already: stop it, and move the folder .wrangler away first.',
    )
}

/**
 * Restores the database. The nightly run, which `npm start` also does when it starts, rebuilds the
 * copy of the settings in KV.
 *
 * @returns Whether programs sign users in by the site, and the time of the last event.
 */
async function restore(
  file: string,
): Promise<{ hasPrograms: boolean; writtenUntil: string | null }> {
  // Creates the file at Miniflare's path.
  await withSite({}, (site) => site.db.all(sql`select 1`))
  const target = findLocalDatabase()
  if (target === undefined) throw new Error('Miniflare has made no database')
  const copy = `${target}.restored`
  try {
    copyFileSync(file, copy)
    // A session that has ended since the backup must not come back.
    const found = withSqlite(copy, { readOnly: false }, (database) => {
      const [last] = database.prepare('select max(at) as at from audit_events').all()
      const writtenUntil = isoTimeOrNull(typeof last?.['at'] === 'number' ? last['at'] : null)
      database.exec('delete from sessions')
      database.exec(`update sqlite_sequence set seq = seq + ${LEFT_OUT_IDS} where name = 'users'`)
      const states = "select 1 from sqlite_master where name = 'folder_state'"
      // Rules of the backup may be others than those that were last written to the file server.
      if (database.prepare(states).get() !== undefined)
        database.exec('update folder_state set version = lower(hex(randomblob(16)))')
      // A backup of an older version has no programs.
      const tables = "select 1 from sqlite_master where name = 'openid_grants'"
      if (database.prepare(tables).get() === undefined) return { hasPrograms: false, writtenUntil }
      database.exec('delete from openid_grants')
      const client = database.prepare('select 1 from openid_clients limit 1').get()
      return { hasPrograms: client !== undefined, writtenUntil }
    })
    for (const suffix of ['-wal', '-shm']) rmSync(target + suffix, { force: true })
    renameSync(copy, target)
    narrowPrivateFiles()
    return found
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true })
  }
}
