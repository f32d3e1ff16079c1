import { DINGTALK_ISSUER, GITHUB_ISSUER, GOOGLE_ISSUER } from '../../core/base/sso-platforms.ts'
import { type Account, isWritten, type OldIdentity, type Outcome } from './accounts.ts'
import { readId, readText } from './columns.ts'
import { own } from '../../core/base/own.ts'
import type { Item, Source } from './source.ts'

/**
 * The platforms whose `sso_id` in OpenList is the subject that this site gets as well, and the form
 * of such a text. A text of another form was stored for another platform. Microsoft's `id` is not
 * the `sub` of an ID token.
 */
const STABLE_IDS: Record<string, { issuer: string; form: RegExp }> = {
  Github: { issuer: GITHUB_ISSUER, form: /^[1-9]\d{0,18}$/ },
  /** The `id` of Google's user information is the `sub` of its ID tokens. */
  Google: { issuer: GOOGLE_ISSUER, form: /^\d{10,255}$/ },
  /** The `unionId`. */
  Dingtalk: { issuer: DINGTALK_ISSUER, form: /^[\w+/=-]{16,255}$/ },
}

const SEVERAL = 'has the same sso_id as another user: each signs in once and links it again'

/**
 * Adds identities to the accounts that the import creates. Where OpenList has an id that nobody can
 * change, it is the identity; others stay a text that the user confirms at the first sign-in.
 */
export function giveIdentities(source: Source, outcomes: Map<number, Outcome>): Item[] {
  const notes: Item[] = []
  const owners = new Map<string, Account[]>()
  for (const { identity, userId } of identitiesIn(source, outcomes)) {
    const owner = outcomes.get(userId)
    if (!isWritten(owner)) continue
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
  const platform = readText(settings.find(({ key }) => key === 'sso_login_platform')?.['value'])
  const ids = own(STABLE_IDS, platform)
  if (ids === undefined) return []
  return users.flatMap((row) => {
    const userId = readId(row['id'])
    const subject = readText(row['sso_id'])
    if (userId === undefined || !ids.form.test(subject)) return []
    return [{ identity: { issuer: ids.issuer, subject, platform, name: '' }, userId }]
  })
}
