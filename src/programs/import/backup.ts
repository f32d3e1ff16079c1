import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import { passkeyRowsOf } from './passkeys.ts'
import type { Source } from './source.ts'

const rows = v.nullish(v.array(v.record(v.string(), v.unknown())), [])

/** The file that the web client saves: one member for each list of the server. */
const backupSchema = v.pipe(
  v.looseObject({}),
  v.check((backup) => ['encrypted', 'users', 'settings'].some((member) => member in backup)),
  v.object({ encrypted: v.optional(v.unknown()), users: rows, settings: rows, roles: rows }),
)

/** @throws {CommandError} For any file except an unencrypted backup. */
export function parseBackup(path: string, text: string): Source {
  const backup = v.safeParse(backupSchema, parseJson(text))
  if (!backup.success) {
    throw new CommandError(
      `${path} is neither a SQLite database nor a backup of OpenList's web client.`,
    )
  }
  if (backup.output.encrypted) {
    throw new CommandError(
      `${path} is encrypted: save another backup with the password field of Backup & Restore empty, ` +
        'or import data.db, which also has the passwords, 2FA and SSH keys.',
    )
  }
  return {
    kind: 'backup',
    users: backup.output.users,
    settings: backup.output.settings,
    keys: [],
    recoveryCodes: [],
    identities: [],
    reservedNames: [],
    groups: [],
    groupMembers: [],
    folderRules: [],
    roles: backup.output.roles,
    passkeys: passkeyRowsOf(backup.output.users),
    serviceTokens: [],
    warnings: [],
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    // The parser's message may quote the file.
    return undefined
  }
}
