import { globSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, CommandError } from '../kit/command-error.ts'
import { writeNewFile } from '../kit/new-file.ts'
import { copyInto, findLocalDatabase, withSqlite } from './local-database.ts'

/** Where the start puts copies of the data, in the folder of the data. */
export const BACKUP_FOLDER = 'backups'
const KEPT_BACKUPS = 3

/**
 * Copies the database before migrations change it, and removes the oldest such copies. The name of
 * the copy has the last migration that was applied: the versions that can read it have that one as
 * their last.
 *
 * @param applied The migrations of the database.
 * @param now Unix time, milliseconds.
 * @throws {CommandError} When it can't be copied; nothing may be migrated then.
 */
export function backUpBeforeUpgrade(applied: readonly string[], now: number): void {
  const database = findLocalDatabase()
  const last = applied.at(-1)
  if (database === undefined || last === undefined) return
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '')
  const name = `before-upgrade-${numberOf(last)}-${time}.sqlite`
  const file = join(BACKUP_FOLDER, name)
  try {
    mkdirSync(BACKUP_FOLDER, { recursive: true, mode: 0o700 })
    writeNewFile(file, () =>
      withSqlite(database, { readOnly: false }, (site) => copyInto(site, file)),
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : codeOf(error)
    throw new CommandError(
      `The data can't be copied before the upgrade, and were left as they are: ${reason}`,
      { cause: error },
    )
  }
  for (const old of upgradeBackups().slice(0, -KEPT_BACKUPS)) rmSync(old)
  console.log(`Copied the data into ${file} before the upgrade.`)
}

/**
 * Finds the latest copy of before an upgrade that a version can read.
 *
 * @param known The migrations of that version.
 */
export function findUpgradeBackup(known: readonly string[]): string | undefined {
  const numbers = known.map(numberOf)
  return upgradeBackups().findLast((file) =>
    numbers.includes(/before-upgrade-(\w+)-/.exec(file)?.[1] ?? ''),
  )
}

function numberOf(migration: string): string {
  return migration.replace(/_.*$/, '')
}

/** Lists the copies of before upgrades, the oldest first. */
function upgradeBackups(): string[] {
  const files = globSync(join(BACKUP_FOLDER, 'before-upgrade-*.sqlite'))
  return files.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)))
}

function timeOf(file: string): string {
  return file.slice(file.lastIndexOf('-'))
}
