import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, passkeys, settings } from '../../schema/tables.ts'
import { SoftwarePasskey, type Tampering } from '../support/passkey.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { alertIn, problemAt, type Seen, textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const SIGN_IN = '/account/sign-in'
const SECURITY = '/account/security'
const ADD = `${SECURITY}/passkeys/add`
const REFUSED =
  'This passkey was not accepted. It may have been deleted here, or belong to another site. Try another one.'

let site: PasskeySite
let visitor: Visitor

beforeEach(async () => {
  site = new PasskeySite()
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  visitor = new Visitor(site)
})

/** The ceremony of a page, as the script reads it. */
function ceremonyIn({ html }: Seen) {
  const [, options = ''] = /data-passkey="([^"]*)"/.exec(html) ?? []
  const [, session = ''] = /name="passkey_session" value="([^"]*)"/.exec(html) ?? []
  return { options: JSON.parse(options.replaceAll('&quot;', '"')), session }
}

const fieldsOf = (answer: unknown, session: string) => ({
  passkey_answer: JSON.stringify(answer),
  passkey_session: session,
})

async function add(name = 'phone', passkey?: SoftwarePasskey) {
  const { options, session } = ceremonyIn(await visitor.get(ADD))
  const made = passkey ?? (await SoftwarePasskey.make())
  const seen = await visitor.post(ADD, { name, ...fieldsOf(await made.create(options), session) })
  expect(seen.location).toBe(`${SECURITY}?done=passkey-added`)
  return made
}

interface SignIn {
  next?: string
  change?: Tampering
  headers?: Record<string, string>
}

async function signInWith(
  passkey: SoftwarePasskey,
  { next = '', change = {}, headers = {} }: SignIn = {},
) {
  const page = await visitor.get(next === '' ? SIGN_IN : `${SIGN_IN}?next=${next}`)
  const { options, session } = ceremonyIn(page)
  const fields = fieldsOf(await passkey.get(options, change), session)
  return visitor.post(`${SIGN_IN}/passkey`, { next, ...fields }, headers)
}

const requireSecondFactor = () =>
  site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })

const kinds = async () => (await site.db.select().from(auditEvents)).map(({ kind }) => kind)

describe('the sign-in page', () => {
  test('offers a passkey while the API does not, and leads on to the page that was asked for', async () => {
    await visitor.signIn('alice', PASSWORD)
    const passkey = await add()
    await visitor.post('/account/sign-out')
    expect(await site.beginLogin()).toMatchObject({ code: 403 })
    expect(await signInWith(passkey, { next: '/account/keys' })).toMatchObject({
      status: 303,
      location: '/account/keys',
    })
    expect(textOf((await visitor.get('/account/sessions')).html)).toContain('With passkey')
  })

  test('begins without a read or a write, and shows the button to the script only', async () => {
    await visitor.get(SIGN_IN)
    site.meter.roundTrips = 0
    const { html } = await visitor.get(SIGN_IN)
    expect(site.meter.roundTrips).toBe(0)
    expect(html).toMatch(/<div class="passkey"[^>]* hidden=""/)
    expect(html).toContain('autocomplete="username webauthn"')
  })

  test.each([
    ['a bogus signature', { signature: Uint8Array.of(1) }],
    ['no user verification', { userVerified: false }],
    ['another origin', { origin: 'https://evil.example' }],
  ])('refuses %s in words', async (_, change) => {
    await visitor.signIn('alice', PASSWORD)
    const passkey = await add()
    await visitor.post('/account/sign-out')
    const seen = await signInWith(passkey, { change })
    expect([seen.status, alertIn(seen.html)]).toEqual([400, REFUSED])
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test.each(['', 'x', '[]', '{}', `{"id":"${'A'.repeat(9000)}"}`])(
    'refuses what is no answer: %.20s',
    async (answer) => {
      const { session } = ceremonyIn(await visitor.get(SIGN_IN))
      const fields = { passkey_answer: answer, passkey_session: session }
      const seen = await visitor.post(`${SIGN_IN}/passkey`, fields)
      expect([seen.status, alertIn(seen.html)]).toEqual([400, REFUSED])
    },
  )

  test('refuses an answer twice, and one from another site', async () => {
    await visitor.signIn('alice', PASSWORD)
    const passkey = await add()
    await visitor.post('/account/sign-out')
    const { options, session } = ceremonyIn(await visitor.get(SIGN_IN))
    const fields = fieldsOf(await passkey.get(options), session)
    const foreign = await visitor.post(`${SIGN_IN}/passkey`, fields, {
      Origin: 'https://evil.example',
    })
    expect(foreign.status).toBe(403)
    expect((await visitor.post(`${SIGN_IN}/passkey`, fields)).location).toBe('/account')
    await visitor.post('/account/sign-out')
    expect(alertIn((await visitor.post(`${SIGN_IN}/passkey`, fields)).html)).toBe(REFUSED)
  })

  test('says that an IP address has no passkeys', async () => {
    const { html } = await visitor.get(`http://127.0.0.1${SIGN_IN}`)
    expect(html).not.toContain('data-passkey')
    expect(textOf(html)).toContain('or at http://localhost')
  })
})

describe('the page Security', () => {
  beforeEach(() => visitor.signIn('alice', PASSWORD))

  test('adds, lists, renames and deletes', async () => {
    await add('phone')
    const { html } = await visitor.get(SECURITY)
    expect(textOf(html)).toContain('phone Added just now Never used This device only')
    expect(textOf(html)).toContain('then your password alone signs you in')
    const [, id = ''] = /name="id" value="([^"]*)"/.exec(html) ?? []
    const rename = { id, name: 'old phone' }
    expect((await visitor.post(`${SECURITY}/passkeys/rename`, rename)).location).toBe(
      `${SECURITY}?done=passkey-renamed`,
    )
    const empty = await visitor.post(`${SECURITY}/passkeys/rename`, { id, name: ' ' })
    expect([empty.status, empty.html.includes('aria-invalid="true"')]).toEqual([400, true])
    expect((await visitor.post(`${SECURITY}/passkeys/delete`, { id })).location).toBe(
      `${SECURITY}?done=passkey-deleted`,
    )
    expect(await site.db.select().from(passkeys)).toEqual([])
    const again = await visitor.post(`${SECURITY}/passkeys/delete`, { id })
    expect(alertIn(again.html)).toBe('This passkey was already deleted.')
    expect(await kinds()).toEqual(
      expect.arrayContaining(['passkey_added', 'passkey_renamed', 'passkey_deleted']),
    )
  })

  test('guesses the name by the browser', async () => {
    const firefox = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
    expect((await visitor.get(ADD, firefox)).html).toContain('value="Firefox on Linux"')
  })

  test('asks for the password before it adds one to a session that is not fresh', async () => {
    site.now += HOUR
    const { html, status } = await visitor.get(ADD)
    expect(status).toBe(200)
    expect(html).not.toContain('data-use="create"')
    expect(problemAt(html, 'add-confirm_password')).toBeUndefined()
    const wrong = await visitor.post(`${SECURITY}/passkeys/confirm`, { confirm_password: 'x' })
    expect(problemAt(wrong.html, 'add-confirm_password')).toBe('This is not your password.')
    const right = { confirm_password: PASSWORD }
    expect((await visitor.post(`${SECURITY}/passkeys/confirm`, right)).location).toBe(ADD)
    await add()
  })

  test('is confirmed with a passkey, and not with that of another user', async () => {
    const passkey = await add()
    site.now += HOUR
    const page = await visitor.get(SECURITY)
    const { options, session } = ceremonyIn(page)
    const [, id = ''] = /name="id" value="([^"]*)"/.exec(page.html) ?? []
    const stranger = await SoftwarePasskey.make()
    stranger.userHandle = passkey.userHandle
    const bad = { id, ...fieldsOf(await stranger.get(options), session) }
    const refused = await visitor.post(`${SECURITY}/passkeys/delete`, bad)
    expect([refused.status, await site.db.$count(passkeys)]).toEqual([403, 1])
    expect(textOf(refused.html)).toContain('This passkey was not accepted.')
    const good = { id, ...fieldsOf(await passkey.get(options), session) }
    expect((await visitor.post(`${SECURITY}/passkeys/delete`, good)).location).toBe(
      `${SECURITY}?done=passkey-deleted`,
    )
  })

  test('tells the owner that a copy of a passkey seems to exist', async () => {
    const passkey = await add('phone')
    await visitor.post('/account/sign-out')
    await signInWith(passkey)
    await visitor.post('/account/sign-out')
    passkey.counter = 0
    expect(alertIn((await signInWith(passkey)).html)).toBe(REFUSED)
    await visitor.signIn('alice', PASSWORD)
    expect(textOf((await visitor.get(SECURITY)).html)).toContain(
      'a copy of this passkey seems to exist',
    )
  })

  test('lists the passkeys that survive a new password', async () => {
    await add('phone')
    const change = { old_password: PASSWORD, password: 'new-Passw0rd', repeat: 'new-Passw0rd' }
    const { html } = await visitor.post(`${SECURITY}/password`, change)
    expect(textOf(html)).toContain('These can still use your account.')
    expect(textOf(html)).toContain('phone Added just now')
  })

  test('nudges a user without a passkey, once the script shows it', async () => {
    expect((await visitor.get('/account')).html).toMatch(/<article class="status"[^>]* hidden=""/)
    await add()
    expect((await visitor.get('/account')).html).not.toContain('data-nudge')
  })
})

describe('where a second factor is required', () => {
  test('a user without one is led to add one, and then goes on', async () => {
    await requireSecondFactor()
    await visitor.signIn('alice', PASSWORD)
    const { location } = await visitor.get('/account')
    expect(location).toBe(SECURITY)
    const text = textOf((await visitor.get(location ?? '')).html)
    expect(text.match(/This site requires a second factor/g)).toHaveLength(1)
    expect(text).not.toContain('Change password')
    await add()
    expect((await visitor.get('/account')).status).toBe(200)
  })

  test('a user who has a passkey shows it, and sees nothing before', async () => {
    await visitor.signIn('alice', PASSWORD)
    const passkey = await add('phone')
    await visitor.post('/account/sign-out')
    await requireSecondFactor()
    await visitor.signIn('alice', PASSWORD)
    const page = await visitor.get(SECURITY)
    expect(textOf(page.html)).toContain('you signed in with your password only')
    expect(page.html).not.toContain('phone')
    const { options, session } = ceremonyIn(page)
    const fields = fieldsOf(await passkey.get(options), session)
    expect((await visitor.post(`${SECURITY}/factor`, fields)).location).toBe('/account')
    expect((await visitor.get('/account')).status).toBe(200)
  })
})

describe('an operator', () => {
  let admin: Visitor

  beforeEach(async () => {
    await visitor.signIn('alice', PASSWORD)
    await add('phone')
    admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
  })

  test('lists and deletes the passkeys of a user, when fresh', async () => {
    const { html } = await admin.get('/account/admin/users/3')
    expect(textOf(html)).toContain('Passkeys 1 phone Added just now')
    expect(html).toMatch(/alice\s+<span class="badge good">Passkey/)
    expect(html).not.toContain('Turn off two-step verification')
    const id = /delete-passkey.*?name="id" value="([^"]*)"/s.exec(html)?.[1] ?? ''
    site.now += 20 * MINUTE
    const path = '/account/admin/users/3/delete-passkey'
    expect((await admin.post(path, { id })).status).toBe(403)
    const confirmed = { id, confirm_password: ADMIN_PASSWORD }
    expect((await admin.post(path, confirmed)).location).toBe(
      '/account/admin/users/3?done=passkey-deleted',
    )
    expect(await site.db.$count(passkeys)).toBe(0)
  })

  test('removes passkeys with two-step verification, only when asked', async () => {
    const path = '/account/admin/users/3/cancel-two-factor'
    await admin.post(path)
    expect(await site.db.$count(passkeys)).toBe(1)
    await admin.post(path, { with_passkeys: 'true' })
    expect(await site.db.$count(passkeys)).toBe(0)
  })

  test('sees in the list who has which second factor', async () => {
    const text = textOf((await admin.get('/account/admin/users')).html)
    expect(text).toContain('alice User Passkey')
    const lacking = await admin.get('/account/admin/users?group=without-two-factor')
    expect(textOf(lacking.html)).not.toContain('alice')
  })
})
