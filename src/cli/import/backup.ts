import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import type { Source } from './source.ts'

const rows = v.nullish(v.array(v.record(v.string(), v.unknown())), [])

/** What the web client saves: the answers of the server's lists, one member each. */
const backupSchema = v.pipe(
  v.looseObject({}),
  v.check((backup) => ['encrypted', 'users', 'settings'].some((member) => member in backup)),
  v.object({ encrypted: v.optional(v.unknown()), users: rows, settings: rows }),
)

/** @throws {CommandError} For anything but a backup that is not encrypted. */
export function parseBackup(path: string, text: string): Source {
  const backup = v.safeParse(backupSchema, parseJson(text))
  if (!backup.success) {
    throw new CommandError(
      `${path} is neither a SQLite database nor a backup of OpenList's web client.`,
    )
  }
  if (backup.output.encrypted) {
    throw new CommandError(
      `${path} is encrypted: leave the password field of Backup & Restore empty and save another, ` +
        'or import data.db, which has the passwords, 2FA and SSH keys as well.',
    )
  }
  return { kind: 'backup', users: backup.output.users, settings: backup.output.settings, keys: [] }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // What the parser says may quote the file.
    return undefined
  }
}
