import { eq } from 'drizzle-orm'
import { assert, property, string } from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  groupMembers,
  groups,
  reservedNames,
  settings,
  throttleCounters,
  users,
} from '../../schema/tables.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import {
  isOfOneAlphabet,
  refuseReservedName,
  skeletonOf,
} from '../../src/core/accounts/chosen-names.ts'
import { addGroup } from '../support/groups.ts'
import { JoiningSite, NEW_PASSWORD } from '../support/joining.ts'
import { HOUR } from '../support/site.ts'
import { alertIn, textOf, Visitor } from '../support/visitor.ts'

const DAY = 24 * HOUR
const OK = { code: 200, message: 'success', data: null }
const TAKEN = { code: 409, message: 'username is already taken', data: null }

let site: JoiningSite
/** What Turnstile is asked, and what it answers. */
let asked: { url: string; form: Record<string, string> }[]
let verdict: () => Response | Promise<Response>
beforeEach(async () => {
  asked = []
  verdict = () => Response.json({ success: true })
  site = await new JoiningSite({
    sendOut: async (url, { body }) => {
      asked.push({
        url,
        form: Object.fromEntries(new URLSearchParams(typeof body === 'string' ? body : '')),
      })
      return verdict()
    },
  }).begin()
})

const userNamed = async (username: string) =>
  (await site.db.select().from(users).where(eq(users.username, username)))[0]

describe('POST /api/auth/register without an invitation', () => {
  test('is refused before anything else while registration is off', async () => {
    const off = { code: 403, message: 'registration is disabled', data: null }
    expect(await site.register({ username: 'bob' })).toEqual(off)
    expect(await site.post('/api/auth/register', {})).toEqual(off)
    expect((await site.get('/api/public/settings')).data).not.toHaveProperty('allow_register')
  })

  test('puts the account into the groups of the setting that exist', async () => {
    const family = await addGroup(site, 'family')
    const club = await addGroup(site, 'club')
    await site.set({ allow_register: 'true', register_groups: ' Club ,family,' })
    await site.db.delete(groups).where(eq(groups.id, family))
    expect(await site.register({ username: 'bob' })).toEqual(OK)
    const members = () => site.db.select().from(groupMembers)
    const bob = {
      groupId: club,
      userId: 3,
      addedAt: site.now,
      addedBy: null,
      source: 'registration',
    }
    expect(await members()).toEqual([bob])
    await site.addUser('carol')
    expect(await site.register({ username: 'carol' })).toEqual(TAKEN)
    expect(await members()).toEqual([bob])
  })

  test('makes an account as the settings say', async () => {
    await site.set({
      allow_register: 'true',
      register_permission: '768',
      register_base_path: '/home/{username}',
      register_days: '30',
    })
    expect((await site.get('/api/public/settings')).data.allow_register).toBe('true')
    expect(await site.register({ username: 'bob' })).toEqual(OK)
    expect(site.meter.roundTrips, 'settings, limit, name, account').toBe(4)
    expect(await userNamed('bob')).toMatchObject({
      role: 0,
      permission: 768,
      basePath: '/home/bob',
      endsAt: site.now + 30 * DAY,
      disabled: false,
      waiting: false,
      registeredNetwork: '198.51.100.7',
    })
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(200)
    site.now += 30 * DAY
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(401)
  })

  test.each([
    'admin',
    'Ad.Min',
    '4dm1n',
    'аԁмin',
    'ROOT',
    'supp0rt',
    'ро5tmaster',
    'b.o.s.s',
    'b0ss',
    'ᴀᴅᴍɪɴ',
    'ʀᴏᴏᴛ',
    '⍺dmin',
    'ɐdmin',
    'åđmin',
    'adʍin',
    'adm¡n',
    '🅰dmin',
    '🅐🇩min',
  ])('has the answer of a taken name for %s', async (username) => {
    await site.addUser('boss', { role: 2 })
    await site.set({ allow_register: 'true' })
    const answer = await site.register({ username })
    // A name of several alphabets is told so before it is compared.
    const mixed = { code: 400, message: 'username must not mix alphabets', data: null }
    expect(answer).toEqual(isOfOneAlphabet(username) ? TAKEN : mixed)
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test.each(['4dm1n', 'Ad.Min', 'supp0rt', 'Trea5urer', 'b0ss'])(
    'has that answer for a user who wants to be called %s later, too',
    async (username) => {
      await site.addUser('boss', { role: 2, password: NEW_PASSWORD })
      await site.set({ allow_register: 'true', register_reserved_names: 'treasurer' })
      await site.register({ username: 'bob' })
      const token = await site.token('bob', NEW_PASSWORD)
      expect(await site.post('/api/me/update', { username }, { token })).toEqual(TAKEN)
      const mixed = await site.post('/api/me/update', { username: 'bоb' }, { token })
      expect(mixed).toMatchObject({ code: 400, message: 'username must not mix alphabets' })
      const address = await site.post('/api/me/update', { username: 'bob@x.org' }, { token })
      expect(address).toMatchObject({ code: 400, message: 'username must not contain @' })
      expect(await site.post('/api/me/update', { username: 'bobby' }, { token })).toEqual(OK)
      // Operators may give any name, and admins may have one.
      await site.asAdmin('/api/admin/user/update', { id: 4, username })
      expect(await site.post('/api/me/update', { username }, { token })).toEqual(OK)
      const boss = await site.token('boss', NEW_PASSWORD)
      expect(await site.post('/api/me/update', { username: 'support' }, { token: boss })).toEqual(
        OK,
      )
    },
  )

  test('leaves the names that the file server needs to nobody, whoever gives them', async () => {
    await site.set({ allow_register: 'true' })
    const message = 'username must not end in ~ and digits, which the file server needs'
    const refused = { code: 400, message, data: null }
    const username = 'bob~7'
    expect(await site.asAdmin('/api/admin/user/create', { username })).toEqual(refused)
    expect(await site.asAdmin('/api/admin/invitation/create', { username })).toEqual(refused)
    expect(await site.register({ username, invitation: await site.invite() })).toEqual(refused)
    await site.register({ username: 'bob~x' })
    const token = await site.token('bob~x', NEW_PASSWORD)
    expect(await site.post('/api/me/update', { username }, { token })).toEqual(refused)
    expect(await site.asAdmin('/api/me/update', { username })).toEqual(refused)
    const rename = { id: 3, username }
    expect(await site.asAdmin('/api/admin/user/update', rename)).toEqual(refused)
    // Of an import from the file server.
    await site.db.update(users).set({ username, usernameKey: username }).where(eq(users.id, 3))
    expect(await site.asAdmin('/api/admin/user/update', { ...rename, permission: 1 })).toEqual(OK)
    const body = { username, password: `${NEW_PASSWORD}2` }
    expect(await site.post('/api/me/update', body, { token })).toEqual(OK)
  })

  test('gives nobody the folder of a name that somebody had', async () => {
    await site.set({ allow_register: 'true', register_base_path: '/home/{username}/files' })
    for (const username of ['bob', 'carol', 'dave']) await site.register({ username })
    const bob = { token: await site.token('bob', NEW_PASSWORD) }
    const dave = { token: await site.token('dave', NEW_PASSWORD) }
    expect(await site.post('/api/me/update', { username: 'bobby' }, bob)).toEqual(OK)
    const { id = 0 } = (await userNamed('carol')) ?? {}
    expect(await site.asAdmin(`/api/admin/user/delete?id=${id}`)).toEqual(OK)
    for (const username of ['bob', 'Bob', 'carol'])
      expect(await site.register({ username })).toEqual(TAKEN)
    const invitation = await site.invite({ base_path: '/x/{username}' })
    expect(await site.register({ username: 'carol', invitation })).toEqual(TAKEN)
    expect(await site.post('/api/me/update', { username: 'carol' }, dave)).toEqual(TAKEN)
    // Bob may have his name again, and an operator knows whose folder it is.
    expect(await site.post('/api/me/update', { username: 'bob' }, bob)).toEqual(OK)
    expect(await site.asAdmin('/api/admin/user/create', { username: 'carol' })).toMatchObject(OK)
  })

  test.each<[string, string, object[]]>([
    ['was written otherwise', '/home/{username}', [{ username: 'BOB' }, { username: 'other' }]],
    ['has more in its name', '/home/u-{username}', [{ username: 'other' }]],
    ['was taken away', '/home/{username}', [{ base_path: '/' }, { username: 'other' }]],
    [
      'was taken away, and the name left for a while',
      '/home/{username}',
      [{ base_path: '/' }, { username: 'one' }, { username: 'bob' }, { username: 'other' }],
    ],
  ])('gives nobody the folder of a name that %s', async (_, path, changes) => {
    await site.set({ allow_register: 'true', register_base_path: path })
    await site.register({ username: 'bob' })
    const { id = 0 } = (await userNamed('bob')) ?? {}
    for (const fields of changes)
      expect(await site.asAdmin('/api/admin/user/update', { id, ...fields })).toEqual(OK)
    expect(await site.register({ username: 'bob' })).toEqual(TAKEN)
    expect(await site.asAdmin(`/api/admin/user/delete?id=${id}`)).toEqual(OK)
    expect(await site.register({ username: 'bob' })).toEqual(TAKEN)
  })

  test.each<[string, string, string]>([
    ['is called otherwise than they', '/home/bob', 'bob'],
    ['is written otherwise', '/Home/BOB/', 'bob'],
    ['has letters that only Unicode knows', '/home/Иван', 'Иван'],
    ['lies in it', '/home/bob/shared', 'bob'],
    ['is of another template', '/home/u-bob', 'u-bob'],
    ['is not clean', '//home/.\\bob/', 'bob'],
    ['has another case of é', '/home/ÉMILE', 'émile'],
    ['has another form of é', '/home/e\u0301mile', 'émile'],
    ['has another case of Cyrillic letters', '/home/ЖЕНЯ', 'женя'],
    ['has another case of Greek letters', '/home/ΝΙΚΟΣ', 'νικος'],
    ['has two letters for ß', '/home/Strasse', 'straße'],
    ['has a capital ẞ', '/home/STRAẞE', 'strasse'],
    ['has a ligature', '/home/ﬁsh', 'fish'],
    ['has wide letters', '/home/ＦＵＬＬ', 'full'],
    ['has a dotless i', '/home/ısık', 'ISIK'],
    ['has an invisible character', '/home/bo\u200Bb', 'bob'],
    ['lies in it, written otherwise', '/home/ÉMILE/shared', 'émile'],
  ])('gives nobody the folder of somebody that %s', async (_, path, username) => {
    const template = '/home/{username}'
    await site.set({ allow_register: 'true', register_base_path: template })
    const other = { username: 'other', base_path: path }
    expect(await site.asAdmin('/api/admin/user/create', other)).toMatchObject(OK)
    const { id = 0 } = (await userNamed('other')) ?? {}
    const invitation = await site.invite({ base_path: template })
    const isRefused = async () => {
      expect(await site.register({ username })).toEqual(TAKEN)
      expect(await site.register({ username, invitation })).toEqual(TAKEN)
    }
    await isRefused()
    expect(await site.asAdmin('/api/admin/user/update', { id, base_path: '/' })).toEqual(OK)
    await isRefused()
    await site.db.delete(reservedNames)
    await site.asAdmin('/api/admin/user/update', { id, base_path: path })
    expect(await site.asAdmin(`/api/admin/user/delete?id=${id}`)).toEqual(OK)
    await isRefused()
  })

  test.each([
    '/home/{username}/files',
    '/home//{username}',
    '/home/./{username}/.',
    '/home\\{username}\\',
    '/home/{username}/{username}',
  ])('gives nobody a folder in that of somebody: %s', async (template) => {
    await site.set({ allow_register: 'true', register_base_path: template })
    const other = { username: 'other', base_path: '/home/bob' }
    expect(await site.asAdmin('/api/admin/user/create', other)).toMatchObject(OK)
    expect(await site.register({ username: 'bob' })).toEqual(TAKEN)
    expect(await site.register({ username: 'bobby' })).toEqual(OK)
  })

  test('gives a name whose folder only looks like that of somebody', async () => {
    await site.set({ allow_register: 'true', register_base_path: '/home/{username}' })
    for (const base_path of ['/home/bobby', '/home/bob.x', '/home/bob0', '/bob', '/home', '/'])
      await site.asAdmin('/api/admin/user/create', {
        username: `of ${base_path.slice(1)}`,
        base_path,
      })
    expect(await site.register({ username: 'bob' })).toEqual(OK)
  })

  test('gives a common folder to everybody, and any name to an operator', async () => {
    await site.set({ allow_register: 'true', register_base_path: '/home/bob' })
    for (const username of ['one', 'two', 'bob'])
      expect(await site.register({ username })).toEqual(OK)
    const invitation = await site.invite({ username: 'carol', base_path: '/home/{username}' })
    const dave = { username: 'dave', base_path: '/home/carol' }
    expect(await site.asAdmin('/api/admin/user/create', dave)).toMatchObject(OK)
    const { id = 0 } = (await userNamed('dave')) ?? {}
    expect(await site.asAdmin(`/api/admin/user/delete?id=${id}`)).toEqual(OK)
    expect(await site.register({ username: 'carol' })).toEqual(TAKEN)
    expect(await site.register({ invitation })).toEqual(OK)
  })

  test('gives the name of a user whom an operator has rejected to the next one', async () => {
    const path = '/home/{username}'
    await site.set({ allow_register: 'true', register_approval: 'true', register_base_path: path })
    expect(await site.register({ username: 'bob' })).toEqual(OK)
    const { id = 0 } = (await userNamed('bob')) ?? {}
    expect(await site.asAdmin(`/api/admin/user/reject?id=${id}`)).toEqual(OK)
    expect(await site.register({ username: 'bob' })).toEqual(OK)
  })

  test('lets a user hold ten names at most, and take them again', async () => {
    await site.set({ allow_register: 'true', register_base_path: '/home/{username}' })
    await site.register({ username: 'bob' })
    const bob = { token: await site.token('bob', NEW_PASSWORD) }
    const rename = (username: string) => site.post('/api/me/update', { username }, bob)
    for (let i = 1; i <= 10; i++) expect(await rename(`bob${i}x`)).toEqual(OK)
    const refused = {
      code: 403,
      message: 'you have had too many user names, ask an administrator',
      data: null,
    }
    expect(await rename('bob11x')).toEqual(refused)
    expect(await rename('BOB10X'), 'another spelling').toEqual(OK)
    expect(await rename('bob'), 'an earlier one').toEqual(OK)
    expect(await rename('bob11x')).toEqual(refused)
    expect(await site.register({ username: 'bob3x' }), 'none is free').toEqual(TAKEN)
    const { id = 0 } = (await userNamed('bob')) ?? {}
    for (const username of ['bob11x', 'bob12x'])
      expect(await site.asAdmin('/api/admin/user/update', { id, username })).toEqual(OK)
  })

  test('keeps the names of the setting', async () => {
    await site.set({ allow_register: 'true', register_reserved_names: 'treasurer, chair' })
    expect(await site.register({ username: 'Trea5urer' })).toEqual(TAKEN)
    expect(await site.register({ username: 'chair' })).toEqual(TAKEN)
  })

  test.each([5, {}, []])('refuses a name that is no text: %j', async (username) => {
    await site.set({ allow_register: 'true' })
    const body = { username, password: NEW_PASSWORD }
    expect(await site.post('/api/auth/register', body)).toMatchObject({
      code: 400,
      message: 'username must be a string',
    })
  })

  test.each([
    ['', 'username is required'],
    ['a@b', 'username must not contain @'],
    ['pаypal', 'username must not mix alphabets'],
    ['Ωmega', 'username must not mix alphabets'],
    ['bob~7', 'username must not end in ~ and digits, which the file server needs'],
    ['bob～７', 'username must not end in ~ and digits, which the file server needs'],
    ...[
      '...',
      '. .',
      'bob.',
      'bob．',
      'bob::$INDEX_ALLOCATION',
      'NUL',
      'con.txt',
      'COM1',
      'prn .x',
      'conout$',
      'alice~1.las',
      'a*b',
      '\u0301',
    ].map((username) => [
      username,
      'username must fit the name of a folder: no colon, no dot at the end, no name of a device',
    ]),
    ['a/b', 'username must not be . or .. nor contain / or \\'],
  ])('refuses the name %s', async (username, message) => {
    await site.set({ allow_register: 'true' })
    expect(await site.register({ username })).toEqual({ code: 400, message, data: null })
  })

  test.each([
    '小明',
    'Анна',
    'Ελένη',
    'さくらタロウ',
    '김철수',
    'Zoë',
    'kim 철수',
    '🦊',
    'con-stance',
    'a.b',
  ])('takes the name %s', async (username) => {
    await site.set({ allow_register: 'true' })
    expect(await site.register({ username })).toEqual(OK)
  })

  test('counts ten an hour from one network, taken names too, and touches no sign-in', async () => {
    await site.set({ allow_register: 'true' })
    for (let i = 0; i < 10; i++) await site.register({ username: 'admin' })
    const response = await site.fetch('POST', '/api/auth/register', {
      body: { username: 'bob', password: NEW_PASSWORD },
      headers: { 'CF-Connecting-IP': '198.51.100.7' },
    })
    expect(await response.json()).toEqual({
      code: 429,
      message: 'too many requests, try again later',
      data: null,
    })
    expect(response.headers.get('Retry-After')).toBe('3600')
    expect((await site.register({ username: 'bob' }, '198.51.100.8')).code).toBe(200)
    const headers = { 'CF-Connecting-IP': '198.51.100.7' }
    const signIn = { username: 'bob', password: NEW_PASSWORD }
    expect((await site.post('/api/auth/login', signIn, { headers })).code).toBe(200)
    site.now += HOUR
    expect((await site.register({ username: 'carol' })).code).toBe(200)
  })

  test('counts no invitation that is not valid', async () => {
    const invitation = await site.invite()
    const junk = 'x'.repeat(43)
    const before = await site.db.select().from(throttleCounters)
    for (let i = 0; i < 10; i++)
      expect((await site.register({ username: 'bob', invitation: junk })).code).toBe(404)
    expect(await site.db.select().from(throttleCounters)).toEqual(before)
    expect(await site.register({ username: 'bob', invitation })).toEqual(OK)
  })

  test('gives one account for one name at once', async () => {
    await site.set({ allow_register: 'true' })
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        site.register({ username: i % 2 ? 'eve' : 'EVE' }, `198.51.100.${i}`),
      ),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  })
})

/**
 * Does what a person does at the form of AList's web client, and returns what is shown. The form is
 * there while the public settings say so, and shows every 403 as a closed registration. OpenList's
 * web client has no such form.
 *
 * @see https://github.com/AlistGo/alist-web/blob/main/src/web/kit/login/index.tsx
 */
async function useFormOfAlist(username: string, password = NEW_PASSWORD): Promise<string> {
  const { data } = await site.get('/api/public/settings')
  if (data.allow_register !== 'true') return 'no form'
  const response = await site.fetch('POST', '/api/auth/register', {
    headers: {
      Authorization: '',
      'Content-Type': 'application/json;charset=utf-8',
      'Client-Id': '3f2a9c52-7be1-4b2e-9d0c-1a5b8f6e7d40',
      'CF-Connecting-IP': '198.51.100.7',
    },
    body: { username, password },
  })
  // Of any other status it reads no message.
  expect(response.status).toBe(200)
  const { code, message } = await response.json<{ code: number; message: string }>()
  if (code === 200) return 'Register successfully'
  return code === 403 ? 'Register is disabled' : message
}

describe("the form of AList's web client", () => {
  test('is not there while registration is off', async () => {
    expect(await useFormOfAlist('bob')).toBe('no form')
  })

  test('makes an account, which signs in there with the hash of its password', async () => {
    await site.set({ allow_register: 'true' })
    expect(await useFormOfAlist('bob')).toBe('Register successfully')
    const password = await staticDigest(NEW_PASSWORD)
    const body = { username: 'bob', password, otp_code: '' }
    expect(await site.post('/api/auth/login/hash', body)).toMatchObject({ code: 200 })
  })

  test('shows why it is refused', async () => {
    await site.set({ allow_register: 'true' })
    expect(await useFormOfAlist('admin')).toBe('username is already taken')
    expect(await useFormOfAlist('a@b')).toBe('username must not contain @')
    expect(await useFormOfAlist('', NEW_PASSWORD)).toBe('username is required')
    expect(await useFormOfAlist('bob', 'short')).toContain('password')
    for (let i = 0; i < 10; i++) await useFormOfAlist('admin')
    expect(await useFormOfAlist('bob')).toBe('too many requests, try again later')
  })

  test('has no widget of Turnstile, and lets nobody in where there must be one', async () => {
    await site.set({ allow_register: 'true', turnstile_site_key: 'site', turnstile_secret: 's' })
    expect(await useFormOfAlist('bob')).toBe('Register is disabled')
    expect(await userNamed('bob')).toBeUndefined()
  })

  test('makes an account that waits, and its sign-in is refused there', async () => {
    await site.set({ allow_register: 'true', register_approval: 'true' })
    expect(await useFormOfAlist('bob')).toBe('Register successfully')
    expect(await site.login('bob', NEW_PASSWORD)).toMatchObject({ code: 403 })
  })
})

describe('Turnstile', () => {
  const on = { allow_register: 'true', turnstile_site_key: 'site', turnstile_secret: 's3cret' }

  test('is asked once, with the network, and lets a human in', async () => {
    await site.set(on)
    expect(await site.register({ username: 'bob', turnstile: 'token' })).toEqual(OK)
    expect(asked).toEqual([
      {
        url: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
        form: { secret: 's3cret', response: 'token', remoteip: '198.51.100.7' },
      },
    ])
  })

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    // Only the network of an IPv6 address is known, and a network is no address.
    ['2001:db8:1:2::3', undefined],
    ['none', undefined],
  ])('is told the address of a visitor at %s if it is one: %s', async (address, remoteip) => {
    await site.set(on)
    expect(await site.register({ username: 'bob', turnstile: 'token' }, address)).toEqual(OK)
    expect(asked[0]?.form['remoteip']).toBe(remoteip)
  })

  test.each<[string, () => Response | Promise<Response>, number]>([
    ['says no', () => Response.json({ success: false }), 403],
    ['says something else', () => Response.json({ success: 'true' }), 503],
    ['fails', () => Response.json({ success: true }, { status: 500 }), 503],
    ['gives no JSON', () => new Response('<html>'), 503],
    ['is down', () => Promise.reject(new TypeError('network')), 503],
  ])('lets nobody in when it %s, and tells nothing of names', async (_, answer, code) => {
    await site.set(on)
    verdict = answer
    const [free, taken] = [
      await site.register({ username: 'bob', turnstile: 'token' }),
      await site.register({ username: 'admin', turnstile: 'token' }),
    ]
    expect(free.code).toBe(code)
    expect(taken).toEqual(free)
    expect(await userNamed('bob')).toBeUndefined()
  })

  test('lets nobody in without its answer, or without a secret', async () => {
    await site.set(on)
    expect((await site.register({ username: 'bob' })).message).toBe(
      'the check that you are human failed, try again',
    )
    expect(asked).toEqual([])
    await site.db.delete(settings).where(eq(settings.key, 'turnstile_secret'))
    expect((await site.register({ username: 'bob', turnstile: 'token' })).code).toBe(503)
  })

  test('is not asked for an invitation', async () => {
    await site.set(on)
    const invitation = await site.invite()
    expect(await site.register({ username: 'bob', invitation })).toEqual(OK)
    expect(asked).toEqual([])
  })
})

describe('with approval', () => {
  beforeEach(() => site.set({ allow_register: 'true', register_approval: 'true' }))

  test('a user waits, and gets in when an admin approves', async () => {
    await site.register({ username: 'bob' })
    expect((await site.get('/api/admin/user/waiting', { token: site.admin })).data).toEqual({
      content: [
        {
          id: 3,
          username: 'bob',
          registered_at: '2026-11-21T09:15:06.565+00:00',
          network: '198.51.100.7',
        },
      ],
      total: 1,
    })
    expect(await site.asAdmin('/api/admin/user/approve?id=3')).toEqual(OK)
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(200)
    expect((await site.asAdmin('/api/admin/user/approve?id=3')).message).toBe('user invalid')
    expect((await site.db.select().from(auditEvents)).map(({ kind }) => kind)).toContain(
      'registration_approved',
    )
  })

  test('a user who waits is told so after the right password alone', async () => {
    await site.register({ username: 'bob' })
    const waits = {
      code: 403,
      message: 'your registration waits for an administrator',
      data: null,
    }
    const sent = async (name: string, password: string) => {
      const body = { username: name, password }
      const response = await site.fetch('POST', '/api/auth/login', { body })
      const names = [...response.headers].map(([header]) => header)
      return { status: response.status, names, text: await response.text() }
    }
    const unknown = await sent('nobody', 'wrong-Passw0rd')
    expect(await sent('bob', 'wrong-Passw0rd')).toEqual(unknown)
    const trips = site.meter.roundTrips
    // It is no failure, so it never locks.
    for (let i = 0; i < 6; i++) {
      expect(await site.login('bob', NEW_PASSWORD)).toEqual(waits)
      expect(site.meter.roundTrips).toBe(trips)
    }
    const fields = { username: 'bob', password: NEW_PASSWORD }
    const { status, html } = await new Visitor(site).post('/account/sign-in', fields)
    // It is no mistake of the user, so the page is no form with an error.
    expect([status, alertIn(html)]).toEqual([403, undefined])
    expect(textOf(html)).toContain('Your account is waiting for approval')
    await site.db.update(users).set({ waiting: false }).where(eq(users.username, 'bob'))
    expect(await site.login('bob', NEW_PASSWORD)).toMatchObject(JSON.parse(unknown.text))
    const ended = { waiting: true, endsAt: site.now }
    await site.db.update(users).set(ended).where(eq(users.username, 'bob'))
    expect(await site.login('bob', NEW_PASSWORD)).toMatchObject(JSON.parse(unknown.text))
  })

  test('to enable a user is to approve the user', async () => {
    await site.register({ username: 'bob' })
    await site.asAdmin('/api/admin/user/update', { id: 3, disabled: false })
    expect((await site.get('/api/admin/user/waiting', { token: site.admin })).data.total).toBe(0)
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(200)
  })

  test('a rejected user is deleted, and nobody else can be', async () => {
    await site.register({ username: 'bob' })
    expect(await site.asAdmin('/api/admin/user/reject?id=3')).toEqual(OK)
    expect(await userNamed('bob')).toBeUndefined()
    expect((await site.asAdmin('/api/admin/user/reject?id=1')).message).toBe('user invalid')
  })

  test('two hundred wait at most', async () => {
    for (let i = 0; i < 199; i++) await site.addUser(`w${i}`, { disabled: true, waiting: true })
    expect((await site.register({ username: 'bob' })).code).toBe(200)
    expect((await site.register({ username: 'carol' })).code).toBe(429)
  })
})

describe('skeletonOf', () => {
  test('is the same for what looks the same', () => {
    for (const name of ['аԁмin', '4dm1n', 'Ad.Min', 'admin', 'ADMİN', 'á-d_m i n'])
      expect(skeletonOf(name), name).toBe(skeletonOf('admin'))
    expect(skeletonOf('amelia')).not.toBe(skeletonOf('admin'))
  })

  test('throws for no text, and changes nothing the second time', () => {
    assert(
      property(string({ unit: 'grapheme' }), (name) => {
        skeletonOf(name)
        isOfOneAlphabet(name)
        expect(() => refuseReservedName(`${name}zq`, [])).not.toThrow(TypeError)
      }),
    )
  })
})
