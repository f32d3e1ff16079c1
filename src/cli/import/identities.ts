import { GITHUB_ISSUER } from '../../sso/github.ts'
import { type Account, isKept, type Outcome } from './accounts.ts'
import { readId, readText } from './columns.ts'
import type { Item } from './plan.ts'
import type { Source } from './source.ts'

/** An account at an identity provider, as the source has it. */
export interface OldIdentity {
  issuer: string
  subject: string
  platform: string
  name: string
}

const SEVERAL = 'has the same sso_id as another user: each signs in once and links it again'

/**
 * Adds identities to the accounts that the import creates. In OpenList, only the `sso_id` of GitHub
 * is an id that nobody can change; others stay a text that the user confirms at the first sign-in.
 */
export function giveIdentities(source: Source, outcomes: Map<number, Outcome>): Item[] {
  const notes: Item[] = []
  const owners = new Map<string, Account[]>()
  for (const { identity, userId } of identitiesIn(source, outcomes)) {
    const owner = outcomes.get(userId)
    if (owner === undefined || owner === 'refused' || isKept(owner)) continue
    const key = `${identity.issuer} ${identity.subject}`
    const before = owners.get(key) ?? []
    owners.set(key, [...before, owner])
    if (before.length === 0) owner.identities.push(identity)
  }
  for (const several of Array.from(owners.values()).filter(({ length }) => length > 1)) {
    for (const owner of several) {
      owner.identities.length = 0
      notes.push({ kind: 'user', id: owner.id, name: owner.username, reason: SEVERAL })
    }
  }
  return notes
}

function identitiesIn(
  { kind, users, settings, identities }: Source,
  outcomes: Map<number, Outcome>,
): { identity: OldIdentity; userId: number }[] {
  if (kind === 'latchkey')
    return identities.flatMap((row) => {
      const userId = readId(row['user_id'])
      const [issuer, subject] = [readText(row['issuer']), readText(row['subject'])]
      if (userId === undefined || !outcomes.has(userId) || issuer === '' || subject === '')
        return []
      const names = { platform: readText(row['platform']), name: readText(row['name']) }
      return [{ identity: { issuer, subject, ...names }, userId }]
    })
  const platform = settings.find(({ key }) => key === 'sso_login_platform')?.['value']
  if (platform !== 'Github') return []
  return users.flatMap((row) => {
    const userId = readId(row['id'])
    const subject = readText(row['sso_id'])
    if (userId === undefined || !/^[1-9]\d{0,18}$/.test(subject)) return []
    return [{ identity: { issuer: GITHUB_ISSUER, subject, platform: 'Github', name: '' }, userId }]
  })
}
