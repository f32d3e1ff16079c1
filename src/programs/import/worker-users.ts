import type { RawRow } from './source.ts'

/**
 * Turns a user of OpenList-Worker into the columns of OpenList. The column `password` holds
 * OpenList's hash when there is a salt, and the static digest when there is none; columns may be
 * encrypted (see `unseal`).
 */
export function fromWorkerUser(row: RawRow): RawRow {
  const { password, pwd_update_at: changed, ...user } = row
  const milliseconds = typeof changed === 'string' ? Date.parse(changed) : NaN
  return {
    ...user,
    worker_password: password,
    ...(Number.isFinite(milliseconds) && { pwd_ts: Math.floor(milliseconds / 1000) }),
  }
}
