import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accessAt,
  mayRead,
  mayWrite,
  rulesByPath,
  seenBy,
} from '../../src/capabilities/groups/decision.ts'
import { isBelow } from '../../src/core/base/clean-folder.ts'
import { refuseTooMany } from '../../src/programs/import/groups.ts'
import { planImport } from '../../src/programs/import/plan.ts'
import type { SiteState } from '../../src/programs/import/site-state.ts'
import type { RawRow, Source } from '../../src/programs/import/source.ts'
import { NOTHING_ELSE } from '../support/import-source.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')

const NOTHING: Source = {
  kind: 'database',
  users: [],
  keys: [],
  settings: [],
  ...NOTHING_ELSE,
}

const here: SiteState = {
  users: [{ id: 7, usernameKey: 'kept', sub: '', role: 0, isBare: false, isUntouched: false }],
  reserved: [],
  highestId: 7,
  passkeyIds: [],
  settings: [],
  groups: [],
  groupMembers: [],
  folderRules: [],
}

const scope = (path: string, permission: number) => ({ path, permission })
const rule = (fields: RawRow) => ({ path: '/a', access: 'read', ...fields })
const role = (id: number, name: string, ...scopes: [string, number][]) => ({
  id,
  name,
  permission_scopes: JSON.stringify(scopes.map(([path, bits]) => scope(path, bits))),
})

const rulesOf = ({ groups }: ReturnType<typeof planImport>) =>
  groups.rules.map(({ path, builtIn, nameKey, userId, access }) => [
    path,
    builtIn ?? nameKey ?? userId,
    access,
  ])

/** Plans an import of AList. Roles are its three, with these paths, and others. */
function planAList(
  { guest = ['/'], general = ['/'] }: { guest?: string[]; general?: string[] },
  others: RawRow[],
  users: RawRow[],
  site = here,
) {
  const read = (paths: string[]) => JSON.stringify(paths.map((path) => scope(path, 0)))
  const roles = [
    { id: 1, name: 'guest', raw_permission: read(guest) },
    { id: 2, name: 'admin', raw_permission: JSON.stringify([scope('/', 65_535)]) },
    { id: 3, name: 'general', raw_permission: read(general) },
    ...others,
  ]
  const old: Source = { ...NOTHING, users, roles }
  return planImport(old, site, NOW)
}

/** Plans an import of these rules of another Latchkey. */
const planRules = (rows: RawRow[], rest: Partial<Source>, site: Partial<SiteState> = {}) =>
  planImport(
    {
      ...NOTHING,
      kind: 'latchkey',
      users: [{ id: 14, username: 'kept', role: 0 }],
      folderRules: rows,
      ...rest,
    },
    { ...here, ...site },
    NOW,
  )

const somePath = fc.constantFrom('/', '/a', '/a/b', '/a/b/c', '/d', '/d/e')
const someBits = fc.constantFrom(0, 1 << 3, 1 << 8)
const someScopes = fc.array(fc.tuple(somePath, someBits), { maxLength: 3 })

const ruleAt = (i: number) => rule({ built_in: 'user', path: `/f${i}`, access: 'none' })
const ruleOfUsers = (path: string, access: 'none' | 'read' | 'write') => ({
  path,
  access,
  builtIn: 'user' as const,
  nameKey: null,
  userId: null,
})

describe('groups and folder rules', () => {
  test('of AList: each role becomes a group with its folders, and users see no others', () => {
    const editors = { ...role(4, 'Editors', ['/news/', 1 << 3], ['/pics', 1 << 8]) }
    const plan = planAList(
      { guest: ['/g'] },
      [{ ...editors, description: 'They write' }, role(5, 'All', ['/', 1 << 7]), role(6, 'a|b')],
      [
        { id: 13, username: 'alice', role: '[3,4]' },
        { id: 14, username: 'bob', role: '[5,4,4]' },
        { id: 15, username: 'kept', role: '[5]' },
        { id: 16, username: 'guest', role: '[1,5]' },
        { id: 17, username: 'carol', role: '[3]' },
        { id: 18, username: 'dan', role: '[6]' },
      ],
    )
    const { groups, refused, notes } = plan
    expect(groups.groups).toEqual([
      { name: 'general', nameKey: 'general', note: '' },
      { name: 'Editors', nameKey: 'editors', note: 'They write' },
      { name: 'All', nameKey: 'all', note: '' },
    ])
    expect(groups.members.map(({ nameKey, userId, before }) => [nameKey, userId, before])).toEqual([
      ['general', 13, 0],
      ['editors', 13, 1],
      ['all', 14, 0],
      ['editors', 14, 1],
      ['general', 17, 0],
    ])
    expect(rulesOf(plan)).toEqual([
      ['/', 'user', 'none'],
      ['/', 'general', 'read'],
      ['/news', 'editors', 'write'],
      ['/pics', 'editors', 'read'],
      ['/', 'all', 'write'],
      ['/g', 'guest', 'write'],
      ['/', 'guest', 'write'],
    ])
    expect(refused).toEqual([
      { kind: 'group', name: 'a|b', reason: 'name has characters that are not allowed' },
    ])
    const noted = (words: RegExp) => notes.filter(({ reason }) => words.test(reason))
    expect(noted(/is in the group of it/).map((note) => note.name)).toEqual(['alice', 'bob'])
    expect(noted(/sees no folder/).map((note) => note.name)).toEqual(['dan'])
    expect(noted(/only the folders that rules give/).map((note) => note.name)).toEqual(['/'])
  })

  test('of AList: the role that all general accounts have is what users may do', () => {
    const users = [
      { id: 13, username: 'alice', role: '[3]' },
      { id: 14, username: 'bob', role: '[3,4]' },
      { id: 16, username: 'guest', role: '[1]' },
    ]
    const others = [role(4, 'Editors', ['/news', 1 << 3])]
    expect(rulesOf(planAList({ guest: ['/pub'], general: ['/members'] }, others, users))).toEqual([
      ['/', 'user', 'none'],
      ['/', 'guest', 'none'],
      ['/news', 'editors', 'write'],
      ['/members', 'user', 'read'],
      ['/pub', 'guest', 'read'],
    ])
    // Without paths of others, users and visitors see everything, as without rules.
    expect(rulesOf(planAList({}, [], users))).toEqual([])
    expect(rulesOf(planAList({}, [], users.slice(0, 2)))).toEqual([
      ['/', 'guest', 'none'],
      ['/', 'user', 'read'],
    ])
    const writer = { id: 17, username: 'carol', role: '[3]', permission: 255 }
    expect(rulesOf(planAList({}, [], [...users, writer]))).toEqual([
      ['/', 'user', 'read'],
      ['/', 'guest', 'read'],
    ])
  })

  test('of AList: users without a role that comes over see nothing', () => {
    const roles = [[], null, [99], [5], [6], 0, '[]']
    const users = roles.map((value, i) => ({ id: 13 + i, username: `u${i}`, role: value }))
    const plan = planAList({}, [role(5, 'everyone', ['/team', 0]), role(6, 'a/b')], users)
    expect(rulesOf(plan)).toContainEqual(['/', 'user', 'none'])
    expect(plan.groups.members).toEqual([])
    const lost = plan.notes.filter(({ reason }) => /sees no folder/.test(reason))
    expect(lost.map((note) => note.name)).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6'])
    // A backup does not say what the roles of its users are.
    const backup: Source = { ...NOTHING, kind: 'backup', users }
    expect(rulesOf(planImport(backup, here, NOW))).toContainEqual(['/', 'user', 'none'])
  })

  test('of AList: of two roles whose names are alike, the second is refused', () => {
    const others = [
      role(4, 'team', ['/a', 0]),
      role(5, 'Team', ['/b', 8]),
      role(6, ' team ', ['/c', 8]),
      role(7, 'te\u0430m', ['/d', 8]),
      role(8, 'f\u0430mily', ['/e', 8]),
    ]
    const users = others.map(({ id }) => ({ id: id + 9, username: `u${id}`, role: [id] }))
    const plan = planAList({}, others, users, { ...here, groups: ['family'] })
    expect(plan.refused.map(({ name: title, reason }) => [title, reason])).toEqual([
      ['Team', 'its name is too similar to "team"'],
      [' team ', 'its name is too similar to "team"'],
      ['te\u0430m', 'its name is too similar to "team"'],
      ['f\u0430mily', 'its name is too similar to "family", which is here'],
    ])
    expect(plan.groups.members).toMatchObject([{ nameKey: 'team', userId: 13 }])
    expect(rulesOf(plan).map(([path]) => path)).toEqual(['/', '/', '/', '/a'])
  })

  test('of AList: what cannot be read of a role is refused by name, and gives nothing', () => {
    const odd = role(4, 'odd', ['team', 0], ['/..', 0], [`/${'p'.repeat(1000)}`, 0], ['/a', 0])
    const broken = { id: 5, name: 'broken', raw_permission: '{' }
    const plan = planAList({}, [odd, broken], [{ id: 13, username: 'a', role: [4, 5] }])
    expect(plan.refused.map(({ kind, name: title }) => [kind, title.slice(0, 6)])).toEqual([
      ['folder rule', 'team'],
      ['folder rule', '/..'],
      ['folder rule', '/ppppp'],
      ['group', 'broken'],
    ])
    expect(rulesOf(plan).map(([path, who]) => [path, who])).toEqual([
      ['/', 'user'],
      ['/', 'guest'],
      ['/', 'general'],
      ['/a', 'odd'],
    ])
  })

  test('of AList: nobody sees more than at the source, and nobody less', () => {
    const ids = fc.uniqueArray(fc.constantFrom(3, 4, 5, 6, 99), { maxLength: 3 })
    const userRows = fc.array(fc.record({ roles: ids, permission: someBits }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(someScopes, { minLength: 6, maxLength: 6 }), userRows, (given, rows) => {
        const paths = new Map(given.map((some, i) => [i + 1, some]))
        const roles = Array.from(paths, ([id, some]) => role(id, `role ${id}`, ...some))
        const users = [
          { id: 2, username: 'guest', role: [1, 4], permission: 8 },
          ...rows.map(({ roles: own, permission }, i) => ({
            id: 13 + i,
            username: `u${i}`,
            role: own,
            permission,
          })),
        ]
        const old: Source = { ...NOTHING, users, roles }
        const { groups, accounts } = planImport(old, { ...here, users: [] }, NOW)
        const names = groups.groups.map(({ nameKey }) => nameKey)
        const at = rulesByPath(
          groups.rules.map((each, id) => ({
            ...each,
            id,
            groupId: each.nameKey === null ? null : names.indexOf(each.nameKey),
          })),
        )
        for (const user of users) {
          const account = accounts.find(({ username }) => username === user.username)
          const ofUser = groups.members.filter(({ userId }) => userId === account?.id)
          const groupIds = ofUser.map(({ nameKey }) => names.indexOf(nameKey))
          const person = { id: account?.id ?? 0, role: account?.role ?? 0, groupIds }
          for (const folder of ['/', '/a', '/a/b', '/a/b/c', '/d', '/d/e', '/d/e/f', '/z']) {
            const { access } = accessAt(seenBy(at, person), folder)
            const covering = user.role
              .flatMap((id) => paths.get(id) ?? [])
              .filter(([top]) => top === folder || isBelow(folder, top))
            expect(mayRead(access)).toBe(covering.length > 0)
            const mayChange = covering.some(([, some]) => some === 1 << 3)
            expect(mayWrite(access) && user.permission === 8 && !mayChange).toBe(false)
          }
        }
      }),
    )
  })

  test('of a Latchkey: by name, and closed where nobody is left', () => {
    const users = [
      { id: 13, username: 'alice', role: 0 },
      { id: 14, username: 'kept', role: 0 },
      { id: 15, username: 'root', role: 2 },
    ]
    const old: Source = {
      ...NOTHING,
      kind: 'latchkey',
      users,
      groups: [{ id: 9, name: 'Editors', name_key: 'editors', note: 'x' }],
      groupMembers: [
        { group_id: 9, user_id: 13 },
        { group_id: 9, user_id: 14 },
        { group_id: 8, user_id: 13 },
      ],
      folderRules: [
        rule({ built_in: 'user', access: 'none' }),
        rule({ group_id: 9 }),
        rule({ user_id: 13, access: 'write' }),
        rule({ user_id: 14 }),
        rule({ user_id: 15 }),
        rule({ user_id: 77 }),
        rule({ group_id: 8, path: '/b' }),
      ],
    }
    const plan = planImport(old, { ...here, groups: ['editors'] }, NOW)
    expect(plan.groups.groups).toEqual([])
    expect(plan.groups.members).toMatchObject([{ nameKey: 'editors', userId: 13 }])
    const hasRules = { path: '/c', builtIn: null, nameKey: 'editors', userId: null }
    const rich = {
      groups: ['editors'],
      folderRules: [{ ...hasRules, id: 1, access: 'write' as const }],
    }
    expect(planImport(old, { ...here, ...rich }, NOW).notes).toContainEqual({
      kind: 'group',
      name: 'Editors',
      reason: 'is the group of this name that was here: its users get the rights of both',
    })
    expect(rulesOf(plan)).toEqual([
      ['/a', 'user', 'none'],
      ['/a', 'editors', 'read'],
      ['/a', 13, 'write'],
      ['/a', 7, 'read'],
      ['/a', -15, 'read'],
      ['/a', -77, 'read'],
      ['/b', -1, 'read'],
    ])
    expect(plan.notes.filter(({ kind }) => kind === 'folder rule')).toEqual([
      { kind: 'folder rule', name: '/a', reason: expect.stringMatching(/"root" is an admin/) },
    ])
  })

  test('of a Latchkey: the rule of a user who is an administrator here is one of nobody', () => {
    const [user] = here.users
    if (user === undefined) throw new Error('there is no user')
    const plan = planRules([rule({ user_id: 14 })], {}, { users: [{ ...user, role: 2 }] })
    expect(rulesOf(plan)).toEqual([['/a', -14, 'read']])
  })

  test('of a Latchkey: members of a group that is refused stay shut out', () => {
    const rest = {
      groups: [{ id: 9, name: 'f\u0430mily' }],
      groupMembers: [{ group_id: 9, user_id: 14 }],
    }
    const rows = [
      rule({ group_id: 9, access: 'none' }),
      rule({ group_id: 9, path: '/b', access: 'none' }),
      rule({ user_id: 14, path: '/b' }),
    ]
    const plan = planRules(rows, rest, { groups: ['family'] })
    expect(rulesOf(plan)).toEqual([
      ['/a', 7, 'none'],
      ['/b', 7, 'read'],
    ])
  })

  test('of a Latchkey: members who stay as here, outside of the group, stay shut out', () => {
    const rest = {
      users: [
        { id: 13, username: 'new', role: 0 },
        { id: 14, username: 'kept', role: 0 },
      ],
      groups: [{ id: 9, name: 'Editors' }],
      groupMembers: [
        { group_id: 9, user_id: 13 },
        { group_id: 9, user_id: 14 },
        { group_id: 9, user_id: 99 },
      ],
    }
    const rows = [rule({ group_id: 9, access: 'none' }), rule({ group_id: 9, path: '/b' })]
    const ofGroup = [
      ['/a', 'editors', 'none'],
      ['/b', 'editors', 'read'],
    ]
    expect(rulesOf(planRules(rows, rest))).toEqual([
      ['/a', 'editors', 'none'],
      ['/a', 7, 'none'],
      ofGroup[1],
    ])
    const isIn = { groupMembers: [{ userId: 7, nameKey: 'editors' }] }
    expect(rulesOf(planRules(rows, rest, isIn))).toEqual(ofGroup)
  })

  test('of a Latchkey: of two rights for one folder, the stricter holds, and no other opens', () => {
    const nobody = {
      path: '/a',
      access: 'none' as const,
      builtIn: null,
      nameKey: null,
      userId: -77,
    }
    const site = {
      folderRules: [
        ruleOfUsers('/a', 'write'),
        ruleOfUsers('/b', 'write'),
        ruleOfUsers('/c', 'none'),
        nobody,
      ].map((each, i) => ({ ...each, id: i + 1 })),
    }
    const rows = [
      rule({ built_in: 'user', access: 'none' }),
      rule({ built_in: 'user', path: '/b' }),
      rule({ built_in: 'user', path: '/c' }),
      rule({ user_id: 77 }),
    ]
    const plan = planRules(rows, {}, site)
    expect(plan.groups.stricter).toEqual([
      { id: 1, access: 'none' },
      { id: 2, access: 'read' },
      { id: 4, access: 'read' },
    ])
    // The rule of nobody keeps visitors out of /a, as before.
    expect(rulesOf(plan)).toEqual([['/a', -1, 'read']])
    expect(plan.notes.map(({ name: title, reason }) => [title, reason])).toEqual([
      ['/a', 'user has none now, as at the source; it was write here'],
      ['/b', 'user has read now, as at the source; it was write here'],
      ['/c', 'user keeps none, which is stricter than read at the source'],
    ])
  })

  test('that do not fit as a whole are refused as a whole', () => {
    const fits = (count: number, site: Partial<SiteState> = {}) => {
      const { groups } = planRules(
        Array.from({ length: count }, (_, i) => ruleAt(i)),
        {},
        site,
      )
      return () => refuseTooMany(groups, { ...here, ...site })
    }
    const { groups } = planRules(
      Array.from({ length: 199 }, (_, i) => ruleAt(i)),
      {},
    )
    const full = { folderRules: groups.rules.map((each, id) => ({ ...each, id })) }
    expect(fits(200)).not.toThrow()
    expect(fits(200, full)).not.toThrow()
    expect(fits(201)).toThrow(
      /^With this file, .* 201 folders with rules, of at most 200\. Nothing/,
    )
    expect(fits(202, full)).toThrow(/202 folders/)
    const many = Array.from({ length: 201 }, (_, i) => role(i + 4, `r${i}`))
    const plan = planAList({}, many, [{ id: 13, username: 'a', role: '[3]' }])
    expect(() => refuseTooMany(plan.groups, here)).toThrow(/201 groups, of at most 200/)
  })

  test('of a user in too many groups are refused by name', () => {
    const many = Array.from({ length: 60 }, (_, i) => role(i + 4, `r${i}`))
    const user = { id: 13, username: 'a', role: [3, ...many.map(({ id: own }) => own)] }
    const { groups, refused } = planAList({}, many, [user])
    expect(groups.members).toHaveLength(50)
    expect(refused.map(({ name: title, reason }) => [title, reason]).slice(-1)).toEqual([
      ['r59', '"a" is not in it: a user is in at most 50 groups'],
    ])
  })
})
