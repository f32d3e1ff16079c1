import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { openidClients, reservedNames, sessions, sshKeys, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { alertIn, problemAt, type Seen, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW = 'another-Passw0rd'
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const ASKED = 'Confirm your identity to continue.'
const USER = '/account/admin/users/3'

let site: CheapSite
let visitor: Visitor

const signIn = preparedVisit(async (arranged, browser) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  await browser.signIn('alice', PASSWORD)
})

beforeEach(async () => {
  site = new CheapSite()
  visitor = await signIn(site)
})

/** A page with the field that asks for the password, and nothing typed in it. */
function expectAsked(seen: Seen, field: string, typed: string[] = []) {
  expect([seen.status, problemAt(seen.html, field)]).toEqual([403, ASKED])
  for (const secret of [PASSWORD, ADMIN_PASSWORD, ...typed]) expect(seen.html).not.toContain(secret)
}

const rowOf = async (name: string) => {
  const [row] = await site.db.select().from(users).where(eq(users.username, name))
  return row
}

describe('a form of a session that is not fresh', () => {
  const laptop = { title: 'laptop', key: KEY }

  test('has no field more while the session is fresh', async () => {
    for (const page of ['keys/add', 'security'])
      expect((await visitor.get(`/account/${page}`)).html).not.toContain('confirm_')
  })

  test('asks for the password in place, and goes on with it', async () => {
    site.now += HOUR
    const { html } = await visitor.get('/account/keys/add')
    expect(html).toMatch(/<input id="add-confirm_password"[^>]*type="password"/)
    expect(html).toMatch(/id="add-confirm_password"[^>]*autocomplete="current-password"/)
    expect(html).not.toContain('add-confirm_code')
    const form = { ...laptop, confirm_password: PASSWORD }
    expect(await visitor.post('/account/keys/add', form)).toMatchObject({
      status: 303,
      location: '/account/keys?done=key-added#newest',
    })
    expect((await visitor.get('/account/keys/add')).html).not.toContain('confirm_password')
  })

  test('keeps what was typed when it was sent without, or with a wrong one', async () => {
    site.now += HOUR
    const refused = await visitor.post('/account/keys/add', laptop)
    expectAsked(refused, 'add-confirm_password')
    const wrong = { ...laptop, confirm_password: 'wrong-Passw0rd' }
    const again = await visitor.post('/account/keys/add', wrong)
    expect(problemAt(again.html, 'add-confirm_password')).toBe('This is not your password.')
    for (const { html } of [refused, again]) {
      for (const [name, value] of Object.entries(laptop)) expect(valueOf(html, name)).toBe(value)
      expect(valueOf(html, 'add-confirm_password')).toBe('')
    }
    expect(await site.db.select().from(sshKeys)).toEqual([])
  })

  test('says in Chinese what it needs', async () => {
    site.now += HOUR
    const seen = await visitor.post('/account/keys/add', laptop, { 'Accept-Language': 'zh' })
    expect(problemAt(seen.html, 'add-confirm_password')).toBe('请先确认是你本人。')
    expect(textOf(seen.html)).toContain('你的密码')
  })

  test('says when too many were wrong', async () => {
    site.now += HOUR
    const wrong = { ...laptop, confirm_password: 'wrong-Passw0rd' }
    for (let i = 0; i < 10; i++) await visitor.post('/account/keys/add', wrong)
    const seen = await visitor.post('/account/keys/add', { ...laptop, confirm_password: PASSWORD })
    expect([seen.status, alertIn(seen.html)]).toEqual([
      429,
      'Too many failed attempts. Try again in 15 minutes.',
    ])
  })

  test('confirms nothing when it comes from another site', async () => {
    site.now += HOUR
    const foreign = { Origin: 'https://evil.example' }
    const form = { ...laptop, confirm_password: PASSWORD }
    expect((await visitor.post('/account/keys/add', form, foreign)).status).toBe(403)
    const [session] = await site.db.select().from(sessions)
    expect(session?.confirmedAt).toBe(0)
  })

  test('is told first what is wrong with it', async () => {
    site.now += HOUR
    const seen = await visitor.post('/account/keys/add', { title: 'laptop', key: '' })
    expect(problemAt(seen.html, 'key')).toBe('This is required.')
  })

  test('takes a code instead where two-step verification is on', async () => {
    const { secret } = await enrol()
    site.now += HOUR
    const { html } = await visitor.get('/account/keys/add')
    expect(html).toContain('id="add-confirm_code"')
    const wrong = await visitor.post('/account/keys/add', { ...laptop, confirm_code: '000000' })
    expect(problemAt(wrong.html, 'add-confirm_code')).toMatch(/^This code is wrong/)
    const form = { ...laptop, confirm_password: '', confirm_code: site.code(secret) }
    expect(await visitor.post('/account/keys/add', form)).toMatchObject({ status: 303 })
  })

  test('takes a right code with no wrong password beside it', async () => {
    const { secret } = await enrol()
    site.now += HOUR
    const code = site.code(secret)
    const wrong = { ...laptop, confirm_password: 'wrong-Passw0rd', confirm_code: code }
    const refused = await visitor.post('/account/keys/add', wrong)
    expect(problemAt(refused.html, 'add-confirm_password')).toBe('This is not your password.')
    expect(await site.db.select().from(sshKeys)).toEqual([])
    // The code was not used up by that.
    const right = { ...laptop, confirm_password: '', confirm_code: code }
    expect(await visitor.post('/account/keys/add', right)).toMatchObject({ status: 303 })
  })
})

/** Switches two-step verification on. */
async function enrol(fields: Record<string, string> = {}) {
  const started = await visitor.post('/account/security/start')
  const [, secret = ''] = /name="secret" value="([A-Z2-7]{32})"/.exec(started.html) ?? []
  rememberSecret(secret)
  const form = { secret, code: site.code(secret), ...fields }
  const seen = await visitor.post('/account/security/confirm', form)
  return { secret, started, seen }
}

describe('two-step verification of a session that is not fresh', () => {
  test('goes on with the password', async () => {
    site.now += HOUR
    const { started, seen } = await enrol()
    expect(started.html).toContain('id="enrolment-confirm_password"')
    expectAsked(seen, 'enrolment-confirm_password')
    expect(seen.html).toContain('<img class="qr"')
    const { seen: confirmed } = await enrol({ confirm_password: PASSWORD })
    expect(valueOf(confirmed.html, 'codes').split('\n')).toHaveLength(10)
  })

  test.each([
    ['codes', 200],
    ['off', 303],
  ])('takes a password beside the code: %s', async (form, status) => {
    const { secret } = await enrol()
    site.now += HOUR
    const { html } = await visitor.get('/account/security')
    expect(html).toContain(`id="${form}-confirm_password"`)
    expect(html).not.toContain('confirm_code')
    const path = `/account/security/${form}`
    const code = site.code(secret)
    const refused = await visitor.post(path, { code })
    expectAsked(refused, `${form}-confirm_password`)
    expect(refused.html).toMatch(/<details class="confirm" open="">/)
    const seen = await visitor.post(path, { code, confirm_password: PASSWORD })
    expect(seen.status).toBe(status)
  })
})

describe("an operator's session that is not fresh", () => {
  beforeEach(async () => {
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
  })

  test('sets a password with its own', async () => {
    site.now += HOUR
    expect((await visitor.get(USER)).html).toContain('id="password-confirm_password"')
    const refused = await visitor.post(`${USER}/password`, { password: NEW })
    expectAsked(refused, 'password-confirm_password', [NEW])
    const form = { password: NEW, confirm_password: ADMIN_PASSWORD }
    expect(await visitor.post(`${USER}/password`, form)).toMatchObject({ status: 303 })
    expect(await site.login('alice', NEW)).toMatchObject({ code: 200 })
  })

  test("cancels a user's two-step verification with the password", async () => {
    await site.enrol(await site.token('alice', PASSWORD))
    site.now += HOUR
    const path = `${USER}/cancel-two-factor`
    expectAsked(await visitor.post(path), 'cancel-two-factor-confirm_password')
    expect((await rowOf('alice'))?.totpSeed).not.toBeNull()
    expect(await visitor.post(path, { confirm_password: ADMIN_PASSWORD })).toMatchObject({
      status: 303,
    })
    expect((await rowOf('alice'))?.totpSeed).toBeNull()
  })

  test('gives a user access with the password, and takes access away without', async () => {
    site.now += HOUR
    const change = { username: 'alice', role: '0', base_path: '/a' }
    expect((await visitor.get(USER)).html).not.toContain('id="change-confirm_password"')
    expect(await visitor.post(`${USER}/change`, change)).toMatchObject({ status: 303 })
    const asAdmin = { ...change, role: '2', base_path: '/b', 'permission-3': 'on' }
    const refused = await visitor.post(`${USER}/change`, asAdmin)
    expectAsked(refused, 'change-confirm_password')
    expect(valueOf(refused.html, 'base_path')).toBe('/b')
    expect(refused.html).toMatch(/name="permission-3" checked/)
    expect(await rowOf('alice')).toMatchObject({ role: 0, basePath: '/a' })
    const confirmed = { ...asAdmin, confirm_password: ADMIN_PASSWORD }
    expect(await visitor.post(`${USER}/change`, confirmed)).toMatchObject({ status: 303 })
    expect(await rowOf('alice')).toMatchObject({ role: 2, basePath: '/b' })
  })

  test.each(['0', '2'])('makes a new user of role %s with the password', async (role) => {
    site.now += HOUR
    const path = '/account/admin/users/new'
    expect((await visitor.get(path)).html).toContain('id="new-confirm_password"')
    const carol = { username: 'carol', role, base_path: '/', password: NEW }
    expectAsked(await visitor.post(path, carol), 'new-confirm_password', [NEW])
    expect(await rowOf('carol')).toBeUndefined()
    const confirmed = { ...carol, confirm_password: ADMIN_PASSWORD }
    expect(await visitor.post(path, confirmed)).toMatchObject({ status: 303 })
    expect(await rowOf('carol')).toMatchObject({ role: Number(role) })
  })

  test('unlocks nobody: the failures may be guesses at the password of the operator', async () => {
    const token = visitor.cookies.get('session') ?? ''
    site.now += HOUR
    const guess = () => site.post('/api/me/confirm', { password: NEW }, { token })
    for (let i = 0; i < 10; i++) expect(await guess()).toMatchObject({ code: 403 })
    expect(await guess()).toMatchObject({ code: 429 })
    expectAsked(await visitor.post('/account/admin/users/1/unlock'), 'unlock-1-confirm_password')
    expect(await guess()).toMatchObject({ code: 429 })
  })

  test('releases a name with the password, asked for beside the name', async () => {
    const row = { usernameKey: 'erika', username: 'erika', userId: 77, reservedAt: site.now }
    await site.db.insert(reservedNames).values(row)
    site.now += HOUR
    const path = '/account/admin/programs/release'
    expectAsked(await visitor.post(path, { username: 'erika' }), 'release-erika-confirm_password')
    const confirmed = { username: 'erika', confirm_password: ADMIN_PASSWORD }
    expect(await visitor.post(path, confirmed)).toMatchObject({ status: 303 })
    expect(await site.db.select().from(reservedNames)).toEqual([])
  })

  test('asks again in the row whose form it sent, and keeps the question open', async () => {
    const programs = '/account/admin/programs'
    const notices = '/account/admin/notices'
    const forms = { kind: 'slack', address: 'https://203.0.114.1/x', 'topic-new_admin': 'on' }
    for (const name of ['one', 'two']) {
      await visitor.post(`${programs}/add`, { name, redirect_uris: `https://${name}.example/cb` })
      await visitor.post(`${notices}/add`, { ...forms, name })
    }
    const [client] = await site.db.select().from(openidClients)
    const id = client?.id ?? ''
    site.now += HOUR
    for (const [path, fields, field] of [
      [`${programs}/secret`, { id }, `secret-${id}-confirm_password`],
      [`${programs}/delete`, { id }, `delete-${id}-confirm_password`],
      [`${notices}/topics`, { id: '1', 'topic-new_admin': 'on' }, 'topics-1-confirm_password'],
      [`${notices}/delete`, { id: '1' }, 'delete-1-confirm_password'],
    ] as const) {
      const { html } = await visitor.post(path, { ...fields, confirm_password: NEW })
      expect(problemAt(html, field)).toBe('This is not your password.')
      const open = html.match(/<details class="(?:menu|confirm)" open="">/g)
      expect([path, open?.length, alertIn(html)]).toEqual([path, 2, undefined])
    }
    const chosen = await visitor.post(`${notices}/topics`, { id: '1', 'topic-locked_out': 'on' })
    expect(chosen.html.match(/name="topic-new_admin" checked/g)).toHaveLength(1)
    expect(chosen.html.match(/name="topic-locked_out" checked/g)).toHaveLength(1)
  })

  test('has no field more while it is fresh', async () => {
    site.now += 9 * MINUTE
    for (const path of [USER, '/account/admin/users/new'])
      expect((await visitor.get(path)).html).not.toContain('confirm_')
  })
})
