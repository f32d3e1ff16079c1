import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanFolder } from '../../src/core/base/clean-folder.ts'
import {
  accessAt,
  accessToWhole,
  ACCESS,
  type FolderRule,
  hasRulesBelow,
  hasRulesIn,
  mayRead,
  mayWrite,
  pathAndParents,
  type Person,
  rulesByPath,
  seenBy,
  usersOf,
} from '../../src/capabilities/groups/decision.ts'
import { foldPath } from '../../src/capabilities/groups/spelling.ts'
import { ADMIN, GENERAL, GUEST } from '../../src/core/accounts/roles.ts'

const STAFF = 10
const BOARD = 11

const admin: Person = { id: 1, role: ADMIN, groupIds: [STAFF] }
const guest: Person = { id: 2, role: GUEST, groupIds: [] }
const alice: Person = { id: 3, role: GENERAL, groupIds: [STAFF, BOARD] }
const bob: Person = { id: 4, role: GENERAL, groupIds: [STAFF] }
const carol: Person = { id: 5, role: GENERAL, groupIds: [] }

type Whose = 'user' | 'guest' | { group: number } | { user: number }

let nextId = 1
function rule(path: string, whose: Whose, access: FolderRule['access']): FolderRule {
  const isBuiltIn = typeof whose === 'string'
  return {
    id: nextId++,
    path,
    builtIn: isBuiltIn ? whose : null,
    groupId: !isBuiltIn && 'group' in whose ? whose.group : null,
    userId: !isBuiltIn && 'user' in whose ? whose.user : null,
    access,
  }
}

const seenOf = (rules: readonly FolderRule[], person: Person) => seenBy(rulesByPath(rules), person)
const at = (rules: FolderRule[], person: Person, path: string) =>
  accessAt(seenOf(rules, person), path).access

describe('accessAt', () => {
  test('is open without rules, and for admins everything', () => {
    expect(at([], carol, '/nas')).toBe('open')
    expect(
      at([rule('/nas', 'user', 'none'), rule('/nas', { group: STAFF }, 'none')], admin, '/nas'),
    ).toBe('write')
  })

  test('closes a folder to all others with the first right', () => {
    const rules = [rule('/nas', { user: alice.id }, 'read')]
    expect(at(rules, alice, '/nas/a')).toBe('read')
    expect(at(rules, bob, '/nas/a')).toBe('none')
    expect(at(rules, guest, '/nas')).toBe('none')
    expect(at(rules, bob, '/')).toBe('open')
    expect(at(rules, bob, '/nasty')).toBe('open')
  })

  test('shuts out one with a lone none', () => {
    const rules = [rule('/nas', { user: bob.id }, 'none')]
    expect(at(rules, bob, '/nas/a/b')).toBe('none')
    expect(at(rules, carol, '/nas/a/b')).toBe('open')
  })

  test('takes the rule of the account before its groups, and these before the built-in one', () => {
    const staff = rule('/a', { group: STAFF }, 'read')
    const board = rule('/a', { group: BOARD }, 'write')
    const all = rule('/a', 'user', 'none')
    const own = rule('/a', { user: alice.id }, 'none')
    expect(at([staff, board, all], alice, '/a')).toBe('write')
    expect(at([staff, board, all, own], alice, '/a')).toBe('none')
    expect(at([staff, board, all], bob, '/a')).toBe('read')
    expect(at([staff, board, all], carol, '/a')).toBe('none')
    expect(at([staff, rule('/a', { group: BOARD }, 'none')], alice, '/a')).toBe('none')
  })

  test('lets the nearest folder decide, whoever it names', () => {
    const rules = [
      rule('/', 'user', 'none'),
      rule('/nas', { group: STAFF }, 'read'),
      rule('/nas/deep', 'user', 'write'),
    ]
    expect(at(rules, alice, '/nas/deep/x')).toBe('write')
    expect(at(rules, carol, '/nas')).toBe('none')
    expect(at(rules, carol, '/nas/deep')).toBe('write')
    expect(at(rules, guest, '/nas/deep')).toBe('none')
    expect(at(rules, guest, '/x')).toBe('open')
  })

  test('keeps a folder closed for which only a deleted user has a right', () => {
    const rules = [rule('/nas', { user: 99 }, 'read')]
    expect(at(rules, carol, '/nas')).toBe('none')
  })

  test('names the rule that decides, if one names the account', () => {
    const staff = rule('/nas', { group: STAFF }, 'read')
    expect(accessAt(seenOf([staff], bob), '/nas/x').rule?.id).toBe(staff.id)
    expect(accessAt(seenOf([staff], carol), '/nas/x').rule).toBeUndefined()
  })
})

describe('another spelling', () => {
  const closed = rule('/a/team', 'user', 'none')
  const given = rule('/a/team', { group: STAFF }, 'read')

  test('is closed to whom the rule refuses, and gives nothing', () => {
    const seen = seenOf([closed, given], carol)
    expect(accessAt(seen, '/a/Team/x')).toMatchObject({
      access: 'none',
      rule: closed,
      otherSpellingOf: '/a/team',
    })
    expect(accessAt(seen, '/a/team')).not.toHaveProperty('otherSpellingOf')
    expect(at([closed, given], bob, '/a/Team')).toBe('read')
    expect(at([rule('/', 'user', 'none'), given], bob, '/a/Team')).toBe('none')
    expect(at([given], carol, '/A/TEAM')).toBe('none')
    expect(at([closed], carol, '/a/teams')).toBe('open')
    expect(at([closed], carol, '/A')).toBe('open')
    expect(at([closed], admin, '/a/Team')).toBe('write')
  })

  test('counts below a rule that says another thing', () => {
    const rules = [rule('/a', 'user', 'write'), closed]
    expect(at(rules, carol, '/a/TEAM')).toBe('none')
    expect(at(rules, carol, '/a/x')).toBe('write')
  })

  test('does not count where a rule names the account in the spelling of the path', () => {
    const own = rule('/a/Team', 'user', 'write')
    expect(at([closed, own], carol, '/a/Team/x')).toBe('write')
    expect(at([closed, own], carol, '/a/TEAM')).toBe('none')
    expect(at([closed, own], carol, '/a/team')).toBe('none')
    expect(at([closed, rule('/a/Team', { user: bob.id }, 'none')], carol, '/a/Team')).toBe('none')
    expect(at([closed, own, rule('/a/team/b', 'user', 'none')], carol, '/a/Team/b')).toBe('none')
  })

  test('is looked for below a folder, too', () => {
    const seen = seenOf([closed], carol)
    expect(accessToWhole(seen, '/A')).toBe('none')
    expect(hasRulesBelow(seen, '/A')).toBe(true)
    expect(hasRulesIn(seen, '/A/team.')).toBe(true)
    expect(hasRulesIn(seen, '/A/teams')).toBe(false)
    expect(usersOf([{ id: 5, seen }], '/a/Team')).toEqual({ readers: [], writers: [] })
  })

  const name = fc.constantFrom('a', 'A', 'b', 'é', 'e\u0301', 'É', 'a.', 'b ', 'A:x', '...')
  const path = fc.array(name, { maxLength: 3 }).map((names) => `/${names.join('/')}`)
  const whose = fc.constantFrom<Whose>('user', 'guest', { group: STAFF }, { user: carol.id })
  const rules = fc.array(
    fc.tuple(path, whose, fc.constantFrom(...ACCESS)).map((some) => rule(...some)),
    { maxLength: 6 },
  )
  const person = fc.constantFrom(guest, alice, bob, carol)

  test('never opens more than the spelling of the path does', () => {
    fc.assert(
      fc.property(rules, person, path, (some, who, folder) => {
        const seen = seenOf(some, who)
        const bySpelling = accessAt(seen, folder, []).access
        const decided = accessAt(seen, folder).access
        expect(mayRead(bySpelling) || !mayRead(decided)).toBe(true)
        expect(mayWrite(bySpelling) || !mayWrite(decided)).toBe(true)
      }),
    )
  })

  test('is no less closed than the folder that it is another spelling of', () => {
    fc.assert(
      fc.property(rules, person, path, (some, who, folder) => {
        const seen = seenOf(some, who)
        const decided = accessAt(seen, folder)
        const isNamed = accessAt(seen, folder, []).rule !== undefined
        const isOpen = some
          .filter((each) => foldPath(each.path) === foldPath(folder))
          .every((each) => mayRead(accessAt(seen, each.path, []).access))
        expect(isNamed || isOpen || !mayRead(decided.access)).toBe(true)
      }),
    )
  })
})

describe('foldPath', () => {
  test.each([
    ['/a/Team', '/A/TEAM'],
    ['/caf\u00e9', '/cafe\u0301'],
    ['/straße', '/STRASSE'],
    ['/stra\u1e9ee', '/strasse'],
    ['/ſ', '/s'],
    ['/\u212a', '/k'],
    ['/Σίσυφος', '/σίσυφοσ'],
    ['/a.', '/a'],
    ['/a . .', '/a'],
    ['/a:b:$DATA', '/a'],
    ['/a\u200d\ufe0fb', '/ab'],
    ['/a.:x/b', '/A/b'],
  ])('takes %j and %j for one', (one, other) => {
    expect(foldPath(one)).toBe(foldPath(other))
  })

  test.each([
    ['/a', '/b'],
    ['/.a', '/a'],
    [' /a', '/a'],
    ['/:a', '/:b'],
    ['/а', '/a'],
    ['/ａ', '/a'],
    ['/a/b', '/ab'],
  ])('does not take %j and %j for one', (one, other) => {
    expect(foldPath(one)).not.toBe(foldPath(other))
  })

  test('knows nothing of a path with a name of dots and blanks', () => {
    for (const path of ['/...', '/a/.. /b', '/ ', '/a/\u200b'])
      expect(foldPath(path)).toBeUndefined()
  })

  test('of a folded path is the same', () => {
    const names = fc.string({ unit: 'binary', minLength: 1 }).filter((name) => !name.includes('/'))
    fc.assert(
      fc.property(fc.array(names), (some) => {
        const folded = foldPath(`/${some.join('/')}`)
        expect(folded && foldPath(folded)).toBe(folded)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('accessToWhole', () => {
  const rules = [
    rule('/nas', 'user', 'write'),
    rule('/nas/read', 'user', 'read'),
    rule('/nas/closed', 'user', 'none'),
    rule('/nas/closed', { user: alice.id }, 'read'),
  ]

  test('is the least of a folder and of those with rules below', () => {
    expect(accessToWhole(seenOf(rules, alice), '/nas')).toBe('read')
    expect(accessToWhole(seenOf(rules, bob), '/nas')).toBe('none')
    expect(accessToWhole(seenOf(rules, bob), '/')).toBe('none')
    expect(accessToWhole(seenOf(rules, bob), '/nas/other')).toBe('write')
    expect(accessToWhole(seenOf(rules, admin), '/nas')).toBe('write')
  })

  test('knows of rules in it and below it', () => {
    const seen = seenOf(rules, bob)
    expect([hasRulesIn(seen, '/nas/read'), hasRulesBelow(seen, '/nas/read')]).toEqual([true, false])
    expect([hasRulesIn(seen, '/'), hasRulesIn(seen, '/nas/readme')]).toEqual([true, false])
  })
})

describe('usersOf', () => {
  test('lists nobody where nobody is shut out', () => {
    const people = [guest, alice, bob].map((person) => ({
      id: person.id,
      seen: seenOf([rule('/nas', { user: bob.id }, 'none')], person),
    }))
    expect(usersOf(people, '/nas')).toEqual({ readers: [2, 3], writers: [2, 3] })
    expect(usersOf(people, '/')).toEqual({ readers: undefined, writers: undefined })
  })
})

const segment = fc.constantFrom('a', 'b', 'c')
const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`)
const whose = fc.constantFrom<Whose>(
  'user',
  'guest',
  { group: STAFF },
  { group: BOARD },
  { user: 3 },
  { user: 4 },
  { user: 99 },
)
const anyRules = fc.uniqueArray(
  fc.tuple(path, whose, fc.constantFrom(...ACCESS)).map((parts) => rule(...parts)),
  {
    maxLength: 12,
    selector: (each) => `${each.path} ${each.builtIn} ${each.groupId} ${each.userId}`,
  },
)
const anybody = fc.constantFrom(guest, alice, bob, carol)

/** The words of the contract, one after the other. */
function byTheBook(rules: FolderRule[], person: Person, folder: string): string {
  const order = ['none', 'write', 'read']
  const first = (found: FolderRule[]) =>
    found.map(({ access }) => access).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))[0]
  const role = person.role === GUEST ? 'guest' : 'user'
  for (const above of pathAndParents(folder)) {
    const here = rules.filter((each) => each.path === above)
    const found =
      first(here.filter(({ userId }) => userId === person.id)) ??
      first(here.filter(({ groupId }) => person.groupIds.some((id) => id === groupId))) ??
      first(here.filter(({ builtIn }) => builtIn === role))
    if (found !== undefined) return found
  }
  const gives = rules.some(
    (each) => pathAndParents(folder).includes(each.path) && each.access !== 'none',
  )
  return gives ? 'none' : 'open'
}

describe('any rules', () => {
  test('are decided as the contract says', () => {
    fc.assert(
      fc.property(anyRules, anybody, path, (rules, person, folder) => {
        expect(at(rules, person, folder)).toBe(byTheBook(rules, person, folder))
      }),
    )
  })

  test('give no more in the whole than in any part, whether it has rules or not', () => {
    fc.assert(
      fc.property(anyRules, anybody, path, path, (rules, person, folder, below) => {
        const seen = seenOf(rules, person)
        const part = accessAt(seen, cleanFolder(`${folder}/${below}`)).access
        const whole = accessToWhole(seen, folder)
        expect(mayRead(whole) && !mayRead(part)).toBe(false)
        expect(mayWrite(whole) && !mayWrite(part)).toBe(false)
      }),
    )
  })
})

describe('cleanFolder', () => {
  test.each([
    ['', '/'],
    ['a', '/a'],
    ['/a//b/', '/a/b'],
    ['\\a\\.\\b', '/a/b'],
    ['/a/../../b', '/b'],
    ['/a/…/B ', '/a/…/B '],
    ['/..a/b..', '/..a/b..'],
  ])('cleans %j', (given, clean) => {
    expect(cleanFolder(given)).toBe(clean)
  })

  test('gives a path that stays as it is, without a segment that means another', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', '\\', '.', 'a', ' ', 'é') }), (given) => {
        const clean = cleanFolder(given)
        expect(cleanFolder(clean)).toBe(clean)
        expect(clean).toMatch(/^\/(?!.*(?:\/\/|\\|\/$))|^\/$/)
        expect(clean.split('/').some((each) => each === '.' || each === '..')).toBe(false)
      }),
    )
  })
})
