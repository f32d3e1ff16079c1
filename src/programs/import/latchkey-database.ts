import type { RawRow, Source } from './source.ts'

/**
 * Reads the tables of a Latchkey site into the columns of OpenList. Two-step verification stays
 * sealed; see `unseal`.
 *
 * @param table Reads a table; empty when there is none.
 */
export function readLatchkey(table: (name: string) => RawRow[], warnings: string[]): Source {
  return {
    kind: 'latchkey',
    users: table('users').map((row) => ({
      ...pick(row, ['id', 'username', 'password_hash', 'role', 'permission', 'base_path']),
      ...pick(row, ['disabled', 'sso_id', 'totp_seed', 'sub']),
      ...fromPerson(row),
      pwd_ts: Number(row['password_changed_at'] ?? 0) / 1000,
    })),
    keys: table('ssh_keys').map((row) => ({
      ...pick(row, ['id', 'user_id', 'title']),
      key_str: row['line'],
      added_time: isoOf(row['added_at']),
      last_used_time: isoOf(row['last_used_at']),
    })),
    settings: table('settings'),
    recoveryCodes: table('recovery_codes').filter((row) => (row['used_by'] ?? null) === null),
    passkeys: table('passkeys'),
    serviceTokens: table('service_tokens'),
    identities: table('identities'),
    reservedNames: table('reserved_names'),
    groups: table('groups'),
    groupMembers: table('group_members'),
    folderRules: table('folder_rules'),
    roles: [],
    warnings: [...warnings, ...appPasswordWarnings(table('app_passwords').length)],
  }
}

/** App passwords are secrets of programs that know the old address, so they are made anew. */
function appPasswordWarnings(total: number): string[] {
  if (total === 0) return []
  return [
    `${total === 1 ? '1 app password stays' : `${total} app passwords stay`} behind: their owners create new ones at /account`,
  ]
}

/**
 * Returns the columns that only this source has, under names that no column of the other sources
 * has. A site of an older version lacks them.
 */
function fromPerson(row: RawRow): RawRow {
  return {
    latchkey_email: row['email'],
    latchkey_email_verified: row['email_verified'],
    latchkey_ends_at: row['ends_at'],
    latchkey_waiting: row['waiting'],
  }
}

function pick(row: RawRow, columns: string[]): RawRow {
  return Object.fromEntries(columns.map((column) => [column, row[column]]))
}

/** @returns The time as OpenList's columns have it; `undefined` for a value that is no time. */
function isoOf(milliseconds: unknown): string | undefined {
  const date = new Date(Number(milliseconds))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
