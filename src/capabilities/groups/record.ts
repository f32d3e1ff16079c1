import { isoTime } from '../../core/base/time.ts'
import type { Checked } from './check.ts'
import type { ListedGroup, ListedMember } from './group-store.ts'
import type { ListedRule } from './rule-store.ts'

export function groupRecord(group: ListedGroup) {
  return {
    id: group.id,
    name: group.name,
    note: group.note,
    members: group.members,
    rules: group.rules,
    created_at: isoTime(group.createdAt),
  }
}

/** `added_by`: the name of the admin, or the source: `sso`. Empty for the command line. */
export function memberRecord({ id, username, addedAt, source, adder }: ListedMember) {
  return { id, username, added_at: isoTime(addedAt), added_by: addedBy(source, adder) }
}

function addedBy(source: string, adder: string | null): string {
  if (source === 'operator') return adder ?? ''
  return source === 'command' ? '' : source
}

export function ruleRecord(rule: ListedRule) {
  return {
    id: rule.id,
    path: rule.path,
    group: rule.group,
    uid: rule.userId,
    username: rule.username,
    access: rule.access,
  }
}

export function checkRecord({ access, rule, reach, otherSpellingOf }: Checked) {
  const other = otherSpellingOf === undefined ? {} : { other_spelling_of: otherSpellingOf }
  return { access, rule, reach, ...other }
}
