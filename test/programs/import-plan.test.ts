import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseGoTime } from '../../src/programs/import/columns.ts'
import { planImport } from '../../src/programs/import/plan.ts'
import type { SiteState } from '../../src/programs/import/site-state.ts'
import { planSettings } from '../../src/programs/import/settings.ts'
import type { RawRow, Source } from '../../src/programs/import/source.ts'
import { readUser } from '../../src/programs/import/users.ts'
import { fromLooseBase32, toBase32 } from '../../src/core/base/base32.ts'
import { usernameKey } from '../../src/core/accounts/username.ts'
import { ECDSA, ED25519, RSA } from '../ssh-keys/key-texts.ts'
import { NOTHING_ELSE } from '../support/import-source.ts'

/** A site that has nothing yet. */
const EMPTY_SITE: SiteState = {
  users: [],
  reserved: [],
  highestId: 0,
  passkeyIds: [],
  settings: [],
  groups: [],
  groupMembers: [],
  folderRules: [],
}

const NOW = Date.parse('2026-11-21T00:00:00Z')
/** Stands in every column that holds a secret, so that it can be looked for. */
const SECRET = 'TOPSECRET'

const anything = fc.oneof(
  fc.anything({ withBigInt: true, maxDepth: 1 }),
  fc.constantFrom(null, undefined, '', 0, 1, 2, -1, '[2]', '[0,7]', 2n ** 63n),
)
const name = fc.oneof(
  fc.constantFrom('admin', 'Admin', 'guest', 'anna', 'ANNA', 'straße', 'STRASSE', '', 'a\u200Bb'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)
const id = fc.oneof(fc.integer({ min: -1, max: 12 }), fc.constantFrom(null, 2 ** 40, '7', 7n))
const secret = fc.oneof(
  fc.constantFrom('', null),
  fc.constant(SECRET),
  fc.constantFrom(`${SECRET}$`, `${SECRET}\uD800`),
)

/** Rows mostly as they ought to be, any column wrong or missing now and then. */
const userRow: fc.Arbitrary<RawRow> = fc.record(
  {
    id: mostly(id),
    username: mostly(name),
    pwd_hash: mostly(fc.oneof(fc.constant('0a'.repeat(32)), secret)),
    salt: mostly(secret),
    password: mostly(secret),
    pwd_ts: mostly(fc.integer()),
    base_path: mostly(fc.constantFrom('', '/', 'a/b', '\\a', '/..')),
    role: mostly(fc.constantFrom(0, 1, 2, 3, '[0]', '[1,2]', [2])),
    disabled: mostly(fc.constantFrom(0, 1, true)),
    permission: mostly(fc.integer({ min: -1, max: 70_000 })),
    otp_secret: mostly(fc.constantFrom('', 'JBSWY3DP', SECRET)),
  },
  { requiredKeys: [] },
)
const keyRow: fc.Arbitrary<RawRow> = fc.record(
  {
    id: mostly(id),
    user_id: mostly(id),
    title: mostly(fc.constantFrom('a', 'b', 'c', '')),
    key_str: mostly(fc.constantFrom(ED25519, ECDSA, RSA, 'ssh-rsa AAAA')),
    added_time: mostly(fc.constantFrom('2025-03-09 10:11:12+08:00', '0001-01-01 00:00:00+00:00')),
  },
  { requiredKeys: [] },
)
const settingRow: fc.Arbitrary<RawRow> = fc.record({
  key: mostly(fc.constantFrom('site_title', 'main_color', 'version', 'token')),
  value: mostly(fc.constantFrom('Ours', '#123456', 'OpenList', SECRET)),
})
const roleRow: fc.Arbitrary<RawRow> = fc.record(
  {
    id: mostly(fc.constantFrom(1, 2, 3, 4)),
    name: mostly(fc.constantFrom('admin', 'general', 'editors', 'Editors', 'a,b', 'users')),
    permission_scopes: mostly(
      fc.constantFrom(
        '',
        '[{"path":"/a/","permission":8}]',
        '[{"path":"/"}]',
        '[{"path":"/.."}]',
        '{',
      ),
    ),
  },
  { requiredKeys: [] },
)
const source: fc.Arbitrary<Source> = fc.record({
  kind: fc.constant('database' as const),
  users: fc.array(userRow, { maxLength: 12 }),
  keys: fc.array(keyRow, { maxLength: 12 }),
  settings: fc.array(settingRow, { maxLength: 3 }),
  recoveryCodes: fc.constant([]),
  identities: fc.constant([]),
  passkeys: fc.constant([]),
  reservedNames: fc.constant([]),
  serviceTokens: fc.constant([]),
  groups: fc.constant([]),
  groupMembers: fc.constant([]),
  folderRules: fc.constant([]),
  roles: fc.array(roleRow, { maxLength: 4 }),
  warnings: fc.constant([]),
})

/** A site as `npm start` has made it, used or not, and a user with or without a password. */
const site: fc.Arbitrary<SiteState> = fc
  .tuple(fc.boolean(), fc.boolean())
  .map(([isUntouched, isBare]) => ({
    users: [
      { id: 1, usernameKey: 'admin', sub: '1', role: 2, isUntouched, isBare: false },
      { id: 2, usernameKey: 'guest', sub: '2', role: 1, isUntouched, isBare: true },
      { id: 5, usernameKey: 'anna', sub: '5', role: 0, isUntouched: false, isBare },
    ],
    reserved: ['strasse'],
    highestId: 6,
    passkeyIds: [],
    settings: [],
    groups: [],
    groupMembers: [],
    folderRules: [],
  }))

function mostly(arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: anything })
}

/** What `selectSiteState` says once a plan was carried out. */
function siteAfter(
  before: SiteState,
  { accounts, settings, groups }: ReturnType<typeof planImport>,
): SiteState {
  const replaced = new Set(accounts.map((account) => account.id))
  return {
    users: [
      ...before.users.filter((user) => !replaced.has(user.id)),
      ...accounts.map((account) => ({
        ...account,
        isUntouched: false,
        isBare: account.password === undefined && account.keys.length === 0,
      })),
    ],
    reserved: before.reserved,
    highestId: Math.max(before.highestId, ...accounts.map((account) => account.id)),
    passkeyIds: accounts.flatMap(({ passkeys }) => passkeys.map((passkey) => passkey.credentialId)),
    settings: Object.keys(settings),
    groupMembers: [...before.groupMembers, ...groups.members],
    groups: [...before.groups, ...groups.groups.map(({ nameKey }) => nameKey)],
    folderRules: [
      ...before.folderRules.map((rule) => ({
        ...rule,
        access: groups.stricter.find(({ id: ruleId }) => ruleId === rule.id)?.access ?? rule.access,
      })),
      ...groups.rules.map((rule, index) => ({
        ...rule,
        id: before.folderRules.length + index + 1,
      })),
    ],
  }
}

describe('whatever a source holds, the plan', () => {
  test('says of every row whether it comes, stays away or is here already', () => {
    fc.assert(
      fc.property(source, site, (from, to) => {
        const { accounts, kept, refused } = planImport(from, to, NOW)
        const refusedOf = (kind: string) => refused.filter((item) => item.kind === kind).length
        expect(accounts.length + kept.users + refusedOf('user')).toBe(from.users.length)
        const given = accounts.reduce((sum, { keys }) => sum + keys.length, 0)
        expect(given + kept.keys + refusedOf('key')).toBe(from.keys.length)
      }),
    )
  })

  test('gives no id and no name twice, and none of those who are or were here', () => {
    fc.assert(
      fc.property(source, site, (from, to) => {
        const { accounts } = planImport(from, to, NOW)
        const fresh = accounts.filter(({ takesOver, completes }) => !takesOver && !completes)
        const ids = [...to.users.map((user) => user.id), ...fresh.map((user) => user.id)]
        const names = [...[...to.users, ...fresh].map((user) => user.usernameKey), ...to.reserved]
        expect(new Set(ids).size).toBe(ids.length)
        expect(new Set(names).size).toBe(names.length)
        for (const account of fresh) {
          expect(account.id).toBeGreaterThan(to.highestId)
          expect(account.usernameKey).toBe(usernameKey(account.username))
        }
        for (const { takesOver, completes, id: local } of accounts) {
          const here = to.users.find((user) => user.id === local)
          expect(here?.isUntouched ?? false).toBe(takesOver)
          expect(here?.isBare ?? false).toBe(completes || here?.role === 1)
        }
      }),
    )
  })

  test('changes nothing once it was carried out', () => {
    fc.assert(
      fc.property(source, site, (from, to) => {
        const plan = planImport(from, to, NOW)
        const again = planImport(from, siteAfter(to, plan), NOW)
        expect(again.accounts).toEqual([])
        expect(again.settings).toEqual({})
        expect(again.refused).toEqual(plan.refused)
      }),
    )
  })

  test('names no secret', () => {
    fc.assert(
      fc.property(source, site, (from, to) => {
        const { refused, notes } = planImport(from, to, NOW)
        expect(JSON.stringify([refused, notes])).not.toMatch(/TOPSECRET|0a0a0a|JBSWY3DP/)
      }),
    )
  })

  test('never leaves an account without the second step it had', () => {
    fc.assert(
      fc.property(userRow, fc.constantFrom('JBSWY3DP', 'M', '!', ' '), (row, otp) => {
        const user = readUser({ ...row, otp_secret: otp }, NOW)
        const isSafe = typeof user === 'string' || user.role === 1 || user.seed?.length === 5
        expect(isSafe).toBe(true)
      }),
    )
  })
})

test('an empty password, which OpenList takes, is none', () => {
  // As OpenList stores it: SHA-256 over the digest of nothing, a hyphen and the salt.
  const hash = '7250a02afc5312787c4d5e87af126673233b41c60ea564f9946fc1ddcce3bfbd'
  expect(readUser({ username: 'a', pwd_hash: hash, salt: 's' }, NOW)).toMatchObject({
    password: undefined,
  })
})

test('a user has no more than a hundred keys', () => {
  const blob = Buffer.from(ED25519.split(' ')[1] ?? '', 'base64')
  const keys = Array.from({ length: 103 }, (_, i) => {
    const other = Buffer.from(blob)
    other.writeUInt16BE(i, other.length - 20)
    return { user_id: 3, title: `k${i}`, key_str: `ssh-ed25519 ${other.toString('base64')}` }
  })
  const users = [{ id: 3, username: 'a' }]
  const plan = planImport(
    { kind: 'database', users, keys, settings: [], ...NOTHING_ELSE },
    EMPTY_SITE,
    NOW,
  )
  expect(plan.accounts[0]?.keys).toHaveLength(100)
  expect(plan.refused.map(({ name: title, reason }) => [title, reason])).toEqual(
    ['k100', 'k101', 'k102'].map((title) => [title, 'a user can have at most 100 keys (of "a")']),
  )
})

test('a guest who replaces the one here is told of, with what everybody may do', () => {
  const here = { id: 2, usernameKey: 'guest', sub: '', role: 1, isBare: true }
  const notesFor = (fields: RawRow, isUntouched = true) => {
    const before = {
      users: [{ ...here, isUntouched }],
      reserved: [],
      highestId: 2,
      passkeyIds: [],
      settings: [],
      groups: [],
      groupMembers: [],
      folderRules: [],
    }
    const users = [{ id: 2, username: 'guest', role: 1, ...fields }]
    const { notes } = planImport(
      { kind: 'backup', users, keys: [], settings: [], ...NOTHING_ELSE },
      before,
      NOW,
    )
    return notes.map(({ reason }) => reason)
  }
  expect(notesFor({ disabled: 1 })).toEqual([
    'replaces the guest of this site; it is disabled, so nobody gets in without a sign-in',
  ])
  const open = { disabled: 0, base_path: '/p\u202Eublic', permission: 256 }
  expect(notesFor(open)).toEqual([
    'replaces the guest of this site; it is enabled: without a sign-in, everybody gets into /p�ublic, with the permissions: webdav-read',
  ])
  expect(notesFor(open, false)).toEqual([])
})

test('an admin who could not sign in never takes the place of the one who can', () => {
  const untouched = {
    users: [{ id: 1, usernameKey: 'admin', sub: '1', role: 2, isUntouched: true, isBare: false }],
  }
  const here = {
    ...untouched,
    reserved: [],
    highestId: 0,
    passkeyIds: [],
    settings: [],
    groups: [],
    groupMembers: [],
    folderRules: [],
  }
  const admin = { id: 1, username: 'admin', role: 2, pwd_hash: '0a'.repeat(32), salt: 's' }
  for (const flaw of [{ disabled: 1 }, { pwd_hash: '' }, { role: 0 }]) {
    const users = [{ ...admin, ...flaw }]
    const plan = planImport(
      { kind: 'database', users, keys: [], settings: [], ...NOTHING_ELSE },
      here,
      NOW,
    )
    expect(plan).toMatchObject({ accounts: [], kept: { users: 1 } })
  }
})

test('settings come when somebody has changed them there, and nobody here', () => {
  const rows = [
    { key: 'site_title', value: 'OpenList' },
    { key: 'announcement', value: '### repo\nhttps://github.com/alist-org/alist' },
    { key: 'logo', value: 'https://cdn.jsdelivr.net/gh/alist-org/logo@main/logo.svg' },
    { key: 'robots_txt', value: 'User-agent: *\nAllow: /' },
    { key: 'main_color', value: '#123456' },
    { key: 'home_icon', value: '🐧' },
    { key: 'default_page_size', value: 'many' },
    { key: 'audio_types', value: 'mp3' },
  ]
  expect(planSettings(rows, ['home_icon'])).toEqual({
    changes: { main_color: '#123456' },
    kept: 1,
    refused: [
      {
        kind: 'setting',
        name: 'default_page_size',
        reason: 'must be a whole number from 1 to 9999',
      },
    ],
  })
})

test('times are read as Go writes them', () => {
  const time = Date.parse('2025-03-09T02:11:12.123Z')
  for (const text of [
    '2025-03-09 10:11:12.123456789+08:00',
    '2025-03-09T02:11:12.123Z',
    '2025-03-09 10:11:12.1234 +0800 CST m=+0.25',
  ])
    expect(parseGoTime(text)).toBe(time)
  for (const none of [
    '0001-01-01 00:00:00+00:00',
    'yesterday',
    '',
    null,
    17,
    '2025-13-41 99:99:99',
  ])
    expect(parseGoTime(none)).toBeUndefined()
})

test('a 2FA secret is read as the reference reads it: any bits may be left over', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(fromLooseBase32(toBase32(bytes).toLowerCase())).toEqual(bytes)
    }),
  )
  expect(fromLooseBase32('MZ======')).toEqual(fromLooseBase32('MY======'))
  for (const none of ['M', 'MZX', 'MZXW61']) expect(fromLooseBase32(none)).toBeUndefined()
})

/** The settings of a site with this provider. */
const platform = (value: string) => [
  { key: 'sso_login_enabled', value: 'true' },
  { key: 'sso_login_platform', value },
  { key: 'sso_client_id', value: 'client' },
  { key: 'sso_client_secret', value: SECRET },
]

describe('single sign-on', () => {
  const users = [
    { id: 3, username: 'anna', role: 0, sso_id: '583231' },
    { id: 4, username: 'berta', role: 0, sso_id: '7' },
    { id: 5, username: 'clara', role: 0, sso_id: '7' },
    { id: 6, username: 'dora', role: 0, sso_id: 'Dora' },
  ]
  const plan = (value: string) =>
    planImport(
      { kind: 'database', users, keys: [], settings: platform(value), ...NOTHING_ELSE },
      EMPTY_SITE,
      NOW,
    )

  test("takes GitHub's numbers as identities, where one user has each", () => {
    const { accounts, settings, notes } = plan('Github')
    const github = { issuer: 'https://github.com/login/oauth', platform: 'Github', name: '' }
    expect(accounts.map(({ identities }) => identities)).toEqual([
      [{ ...github, subject: '583231' }],
      [],
      [],
      [],
    ])
    expect(settings).toMatchObject({ sso_login_platform: 'Github', sso_client_secret: SECRET })
    const reasons = notes.filter(({ reason }) => reason.includes('sso_id'))
    expect(reasons.map((note) => note.name)).toEqual(['berta', 'clara'])
  })

  test.each([
    ['Google', 'https://accounts.google.com', '117169283071284613217'],
    ['Dingtalk', 'https://login.dingtalk.com', 'z21HjQliSzpw0YWCNxmii6u2Os62cZ62iSZ'],
  ])('takes the ids of %s as identities, and no name', (provider, issuer, sso_id) => {
    const both = [
      { id: 3, username: 'anna', role: 0, sso_id },
      { id: 4, username: 'berta', role: 0, sso_id: 'Berta B' },
    ]
    const { accounts } = planImport(
      { kind: 'database', users: both, keys: [], settings: platform(provider), ...NOTHING_ELSE },
      EMPTY_SITE,
      NOW,
    )
    expect(accounts.map(({ identities }) => identities)).toEqual([
      [{ issuer, subject: sso_id, platform: provider, name: '' }],
      [],
    ])
  })

  test('leaves every other sso_id as a text, which its user confirms', () => {
    for (const other of ['Microsoft', 'Casdoor', '__proto__'])
      expect(plan(other).accounts.flatMap(({ identities }) => identities)).toEqual([])
    const { accounts } = plan('OIDC')
    expect(accounts.flatMap(({ identities }) => identities)).toEqual([])
    expect(accounts.map(({ ssoId }) => ssoId)).toEqual(['583231', '7', '7', 'Dora'])
  })

  test('takes the identities of another Latchkey site, but not its sealed secret', () => {
    const row = { issuer: 'https://idp.example.org', subject: 's', platform: 'OIDC', name: 'Anna' }
    const latchkey = { kind: 'latchkey' as const, users, keys: [], settings: platform('OIDC') }
    const identities = [{ ...row, user_id: 3 }]
    const { accounts, settings, refused } = planImport(
      { ...latchkey, ...NOTHING_ELSE, identities },
      EMPTY_SITE,
      NOW,
    )
    expect(accounts[0]?.identities).toEqual([row])
    expect(settings).not.toHaveProperty('sso_client_secret')
    expect(refused).toMatchObject([{ kind: 'setting', name: 'sso_client_secret' }])
  })
})

describe('the address and the end of a user', () => {
  const row = { username: 'a', latchkey_email: 'a@example.org', latchkey_email_verified: 1 }

  test('come from another Latchkey site', () => {
    expect(readUser({ ...row, latchkey_ends_at: 4_000_000_000_000 }, NOW)).toMatchObject({
      email: 'a@example.org',
      emailVerified: true,
      endsAt: 4_000_000_000_000,
      waiting: false,
    })
  })

  test('come from no other source, whatever its columns', () => {
    const other = {
      username: 'a',
      email: 'a@example.org',
      email_verified: 1,
      ends_at: 1,
      waiting: 1,
    }
    expect(readUser({ ...other, disabled: 1 }, NOW)).toMatchObject({
      email: '',
      emailVerified: false,
      endsAt: null,
      waiting: false,
    })
  })

  test('are not taken of the guest', () => {
    expect(readUser({ ...row, role: 1, latchkey_ends_at: 1 }, NOW)).toMatchObject({
      email: '',
      emailVerified: false,
      endsAt: null,
    })
  })

  test('are not taken where they mean nothing: a broken address, the end of an admin', () => {
    const broken = { ...row, role: 2, latchkey_email: 'nobody', latchkey_ends_at: 1 }
    expect(readUser({ ...broken, latchkey_waiting: 1 }, NOW)).toMatchObject({
      email: '',
      emailVerified: false,
      endsAt: null,
      waiting: false,
    })
  })

  test('refuse the user when the end can not be read: it would be an account without one', () => {
    expect(readUser({ ...row, latchkey_ends_at: 'soon' }, NOW)).toMatch(/^latchkey_ends_at /)
    expect(readUser({ ...row, latchkey_ends_at: 1.5 }, NOW)).toMatch(/^latchkey_ends_at /)
  })
})
