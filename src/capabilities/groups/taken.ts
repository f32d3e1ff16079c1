import type { Meter } from '../../core/database/database.ts'

/** The changes of accounts that leave the lists of folders as they are, and stop what waits. */
const STOPPING = ['disabled', 'endsAt', 'basePath', 'permission', 'username'].map(
  (column) => `users.${column}`,
)

/** The changes of accounts by which the version of the rules may be another one. */
const TAKING = ['users', 'users.role']

/** What makes the version of the rules another one, and takes nothing from anybody. */
const GIVING = ['users+', 'file_users+', 'group_members+']

/** Tells whether the fields of an account may forbid tasks that no rule forbids. */
export function mayStopTasks({ rowsWritten, changes }: Meter): boolean {
  return rowsWritten > 0 && STOPPING.some((name) => changes.has(name))
}

/** Tells whether an account may have lost something in folders. */
export function mayTakeFromAccounts(meter: Meter): boolean {
  const { rowsWritten, changes } = meter
  return mayStopTasks(meter) || (rowsWritten > 0 && TAKING.some((name) => changes.has(name)))
}

/** Tells whether an account may have lost a group. */
export function mayTakeGroups({ rowsWritten, changes }: Meter): boolean {
  return rowsWritten > 0 && changes.has('group_members')
}

/** Tells whether there may be a new account, here or at the file server, or a new member. */
export function mayGive({ rowsWritten, changes }: Meter): boolean {
  return rowsWritten > 0 && GIVING.some((name) => changes.has(name))
}
