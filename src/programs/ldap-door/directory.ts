import { createHash } from 'node:crypto'
import { visibleKey } from '../../core/accounts/username.ts'
import { type Dn, dnKey, printDn } from './dn.ts'
import { type Attributes, comparable } from './filter.ts'

/** The accounts of the site (`GET /api/ldap/entries`). */
export interface AccountList {
  groups: string[]
  accounts: { id: number; username: string; groups: string[] }[]
}

export interface Entry {
  dn: string
  key: string
  /** The names of attributes as the door spells them, with their values. */
  attributes: ReadonlyMap<string, readonly string[]>
  /** The same with `entryUUID`, for filters. */
  matched: Attributes
  uuid: string
}

/** The client that searches: the search account, or a person by name. */
export type Viewer = { kind: 'search' } | { kind: 'person'; username: string }

const CLASS_OF_BASE: Record<string, string> = {
  dc: 'domain',
  o: 'organization',
  ou: 'organizationalUnit',
}

/** The tree of a site. @see docs/ldap.md */
export class Directory {
  readonly #base: Dn
  readonly #people: EntryName
  readonly #groups: EntryName
  /** The entries of a list for the search account, which asks for them at each request. */
  readonly #entries = new WeakMap<AccountList, Entry[]>()

  constructor(base: Dn) {
    this.#base = base
    this.#people = entryName(this.#under('ou', 'people'))
    this.#groups = entryName(this.#under('ou', 'groups'))
  }

  get base(): string {
    return printDn(this.#base)
  }

  get searchAccount(): string {
    return printDn(this.#under('cn', 'search'))
  }

  personDn(username: string): string {
    return this.#in(this.#people, 'uid', username).dn
  }

  /** Returns the name in a DN of a person; `undefined` for another DN. */
  usernameIn(dn: Dn): string | undefined {
    const [first, ...rest] = dn
    const [part, ...others] = first ?? []
    if (part === undefined || others.length > 0 || part.type.toLowerCase() !== 'uid')
      return undefined
    return dnKey(rest) === this.#people.key ? part.value : undefined
  }

  /** Returns the entries that a viewer sees, the containers first. */
  entriesFor(list: AccountList, viewer: Viewer): Entry[] {
    if (viewer.kind === 'person') return this.#entriesOfPerson(list, viewer.username)
    const kept = this.#entries.get(list)
    if (kept !== undefined) return kept
    const entries = this.#build(list.groups, list.accounts)
    this.#entries.set(list, entries)
    return entries
  }

  /** A person sees no other members, and no groups of others. */
  #entriesOfPerson(list: AccountList, username: string): Entry[] {
    const accounts = list.accounts.filter((account) => account.username === username)
    const own = list.groups.filter((group) => accounts.some(({ groups }) => groups.includes(group)))
    return this.#build(own, accounts)
  }

  #build(groups: string[], accounts: AccountList['accounts']): Entry[] {
    const people = accounts.map((account) => this.#person(account))
    const members = (group: string) =>
      accounts.filter((account) => account.groups.includes(group)).map(({ username }) => username)
    return [
      ...this.#containers(),
      ...people,
      ...groups.map((group) =>
        this.#group(
          group,
          members(group).map((username) => this.personDn(username)),
        ),
      ),
    ]
  }

  #containers(): Entry[] {
    const first = this.#base[0]?.[0] ?? { type: 'dc', value: '' }
    const type = first.type.toLowerCase()
    const unit = (place: EntryName, name: string) =>
      entryOf(place, { objectClass: ['top', 'organizationalUnit'], ou: [name] })
    return [
      entryOf(entryName(this.#base), {
        objectClass: ['top', CLASS_OF_BASE[type] ?? 'domain'],
        [type]: [first.value],
      }),
      unit(this.#people, 'people'),
      unit(this.#groups, 'groups'),
    ]
  }

  #person({ id, username, groups }: AccountList['accounts'][number]): Entry {
    const attributes = {
      objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
      uid: [username],
      cn: [username],
      sn: [username],
      displayName: [username],
      memberOf: groups.map((group) => this.#in(this.#groups, 'cn', group).dn),
    }
    const known = this.#in(this.#people, 'id', String(id)).dn
    return entryOf(this.#in(this.#people, 'uid', username), attributes, known)
  }

  #group(name: string, members: string[]): Entry {
    const entry = entryOf(this.#in(this.#groups, 'cn', name), {
      objectClass: ['top', 'groupOfNames', 'groupOfUniqueNames'],
      cn: [name],
      member: members,
      uniqueMember: members,
    })
    return { ...entry, matched: new Map([...entry.matched, ['cn', [visibleKey(name)]]]) }
  }

  /** Returns the place of an entry in a container. The place of the container is printed once. */
  #in(container: EntryName, type: string, value: string): EntryName {
    const own: Dn = [[{ type, value }]]
    return { dn: `${printDn(own)},${container.dn}`, key: `${dnKey(own)},${container.key}` }
  }

  #under(type: string, value: string): Dn {
    return [[{ type, value }], ...this.#base]
  }
}

/** A DN as it is printed, and as it is compared. */
interface EntryName {
  dn: string
  key: string
}

function entryName(dn: Dn): EntryName {
  return { dn: printDn(dn), key: dnKey(dn) }
}

/** @param known What stays the same when the entry gets another name. */
function entryOf(
  { dn, key }: EntryName,
  attributes: Record<string, string[]>,
  known: string = dn,
): Entry {
  const filled = Object.entries(attributes).filter(([, values]) => values.length > 0)
  const uuid = uuidOf(known)
  const matched = [...filled, ['entryUUID', [uuid]] as const].map(([name, values]) => {
    const attribute = name.toLowerCase()
    const compared = values.flatMap((value) => comparable(attribute, Buffer.from(value)) ?? [])
    return [attribute, compared] as const
  })
  return { dn, key, attributes: new Map(filled), matched: new Map(matched), uuid }
}

const X500_NAMESPACE = Buffer.from('6ba7b8149dad11d180b400c04fd430c8', 'hex')

/** Returns the UUID of a name, version 5. @see RFC 9562 section 5.5 */
export function uuidOf(name: string): string {
  const hash = createHash('sha1').update(X500_NAMESPACE).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
