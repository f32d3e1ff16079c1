import { createHash } from 'node:crypto'
import { type Dn, dnKey, printDn } from './dn.ts'

/** What the site lists (`GET /api/ldap/entries`). */
export interface AccountList {
  groups: string[]
  accounts: { id: number; username: string; groups: string[] }[]
}

export interface Entry {
  dn: string
  key: string
  /** The names of attributes as the door spells them, with their values. */
  attributes: ReadonlyMap<string, readonly string[]>
  /** The same by names in lower case, with `entryUUID`. */
  matched: ReadonlyMap<string, readonly string[]>
  uuid: string
}

/** Who searches: the search account, or a person by name. */
export type Viewer = { kind: 'search' } | { kind: 'person'; username: string }

const CLASS_OF_BASE: Record<string, string> = {
  dc: 'domain',
  o: 'organization',
  ou: 'organizationalUnit',
}

/** The tree of a site. @see docs/ldap.md */
export class Directory {
  readonly #base: Dn

  constructor(base: Dn) {
    this.#base = base
  }

  get base(): string {
    return printDn(this.#base)
  }

  get searchAccount(): string {
    return printDn(this.#under('cn', 'search'))
  }

  personDn(username: string): string {
    return printDn([[{ type: 'uid', value: username }], ...this.#people])
  }

  /** Returns the name in a DN of a person; `undefined` for another DN. */
  usernameIn(dn: Dn): string | undefined {
    const [first, ...rest] = dn
    const [part, ...others] = first ?? []
    if (part === undefined || others.length > 0 || part.type.toLowerCase() !== 'uid')
      return undefined
    return dnKey(rest) === dnKey(this.#people) ? part.value : undefined
  }

  /** Returns the entries that a viewer sees, the containers first. */
  entriesFor(list: AccountList, viewer: Viewer): Entry[] {
    const sees = (username: string) => viewer.kind === 'search' || viewer.username === username
    const accounts = list.accounts.filter(({ username }) => sees(username))
    const groups = list.groups.flatMap((group) => {
      const members = accounts.filter((account) => account.groups.includes(group))
      return viewer.kind === 'search' || members.length > 0
        ? [
            this.#group(
              group,
              members.map(({ username }) => this.personDn(username)),
            ),
          ]
        : []
    })
    const people = accounts.map((account) => this.#person(account))
    return [...this.#containers(), ...people, ...groups]
  }

  #containers(): Entry[] {
    const first = this.#base[0]?.[0] ?? { type: 'dc', value: '' }
    const type = first.type.toLowerCase()
    const unit = (dn: Dn, name: string) =>
      this.#entry(dn, { objectClass: ['top', 'organizationalUnit'], ou: [name] })
    return [
      this.#entry(this.#base, {
        objectClass: ['top', CLASS_OF_BASE[type] ?? 'domain'],
        [type]: [first.value],
      }),
      unit(this.#people, 'people'),
      unit(this.#groups, 'groups'),
    ]
  }

  #person({ id, username, groups }: AccountList['accounts'][number]): Entry {
    const dn: Dn = [[{ type: 'uid', value: username }], ...this.#people]
    const attributes = {
      objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
      uid: [username],
      cn: [username],
      sn: [username],
      displayName: [username],
      memberOf: groups.map((group) => printDn(this.#groupDn(group))),
    }
    const known: Dn = [[{ type: 'id', value: String(id) }], ...this.#people]
    return this.#entry(dn, attributes, printDn(known))
  }

  #group(name: string, members: string[]): Entry {
    return this.#entry(this.#groupDn(name), {
      objectClass: ['top', 'groupOfNames', 'groupOfUniqueNames'],
      cn: [name],
      member: members,
      uniqueMember: members,
    })
  }

  /** @param known What stays the same when the entry gets another name. */
  #entry(dn: Dn, attributes: Record<string, string[]>, known = printDn(dn)): Entry {
    const filled = Object.entries(attributes).filter(([, values]) => values.length > 0)
    const uuid = uuidOf(known)
    const matched = filled.map(([name, values]) => [name.toLowerCase(), values] as const)
    return {
      dn: printDn(dn),
      key: dnKey(dn),
      attributes: new Map(filled),
      matched: new Map([...matched, ['entryuuid', [uuid]]]),
      uuid,
    }
  }

  get #people(): Dn {
    return this.#under('ou', 'people')
  }

  get #groups(): Dn {
    return this.#under('ou', 'groups')
  }

  #groupDn(name: string): Dn {
    return [[{ type: 'cn', value: name }], ...this.#groups]
  }

  #under(type: string, value: string): Dn {
    return [[{ type, value }], ...this.#base]
  }
}

const X500_NAMESPACE = Buffer.from('6ba7b8149dad11d180b400c04fd430c8', 'hex')

/** Returns the UUID of a name, version 5. @see RFC 9562 section 5.5 */
export function uuidOf(name: string): string {
  const hash = createHash('sha1').update(X500_NAMESPACE).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
