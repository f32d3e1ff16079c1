import { sql } from 'drizzle-orm'
import { groupMembers, groups, reservedNames, users } from '../../../../schema/tables.ts'
import { keptBeside, keptRows, keptValue } from '../../../core/access/undo.ts'
import { writing } from '../../../core/database/statements.ts'
import type { PageUndo } from '../../../web/kit/undo.ts'
import { KEPT_WITH_USER } from '../store.ts'

const KEPT = keptRows(users)
const [id, key, sub] = [keptValue(users.id), keptValue(users.usernameKey), keptValue(users.sub)]
const isThereStill = sql`${keptValue(groupMembers.groupId)} in (select ${groups.id} from ${groups})`

/**
 * Operators bring back a user whom they deleted, with the same id: the name is reserved for it, and
 * no token of before opens anything, because its session has ended.
 */
export const userUndo: PageUndo = {
  kind: 'user',
  event: 'user_restored',
  isOfSite: true,
  page: '/account/admin/users',
  done: 'user-restored',
  table: users,
  others: KEPT_WITH_USER.map((table) =>
    table === groupMembers ? { table, where: isThereStill } : { table },
  ),
  eventColumns: {
    userId: id,
    // Notices find a new admin in them.
    changes: sql`json_array(
      json_object('field', 'username', 'from', null, 'to', ${keptValue(users.username)}),
      json_object('field', 'role', 'from', null, 'to', ${keptValue(users.role)})
    )`,
  },
  fits: () => sql`(
    not exists (
      select 1 from ${users}, ${KEPT}
      where ${users.usernameKey} = ${key} or ${users.id} = ${id} or ${users.sub} = ${sub}
    )
    and not exists (
      select 1 from ${reservedNames}, ${KEPT}
      where ${reservedNames.usernameKey} = ${key} and ${reservedNames.userId} <> ${id} and ${reservedNames.ofFolder} = 0
    )
  )`,
  // The user has the name again. A name that is kept for a folder stays so, as after a rename.
  after: (db, by, isClaimed) => ({
    unreserved: writing(db, by).delete(
      reservedNames,
      sql`${reservedNames.ofFolder} = 0 and exists (
        select 1 from ${keptBeside(users)} where ${isClaimed}
        and ${reservedNames.usernameKey} = ${key} and ${reservedNames.userId} = ${id}
      )`,
    ),
  }),
}
