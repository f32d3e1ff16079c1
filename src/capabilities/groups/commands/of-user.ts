import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { isoTime } from '../../../core/base/time.ts'
import { builtInGroupOf } from '../../../core/accounts/groups.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { selectMembershipsOf } from '../group-store.ts'
import { listRules } from '../folder-rules.ts'
import { ruleRecord } from '../record.ts'

/** The groups of a user and the rules for the user alone, for the commands of the group `user`. */
export const ofUser: OfUser = {
  shown: async (site, { id, role }) => ({ groups: await namesOf(site, id, role) }),
  staying: async (site, { id }) => {
    const { total } = await listRules(site, COMMAND_LINE, { userId: id }, 1, 1)
    if (total === 0) return undefined
    const rules = total === 1 ? '1 folder rule stays' : `${total} folder rules stay`
    return `Its ${rules}, so that no folder opens.`
  },
  exported: async (site, { id }) => {
    const memberships = await selectMembershipsOf(site.db, id)
    const { rules } = await listRules(site, COMMAND_LINE, { userId: id }, 1, 0)
    return {
      groups: memberships.map(({ name, addedAt, source }) => ({
        name,
        added_at: isoTime(addedAt),
        source,
      })),
      folder_rules: rules.map(ruleRecord),
    }
  },
}

async function namesOf(site: Site, userId: number, role: number): Promise<string[]> {
  const groups = await selectMembershipsOf(site.db, userId)
  return [builtInGroupOf(role), ...groups.map(({ name }) => name)]
}
