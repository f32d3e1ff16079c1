import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, identities, sshKeys, users } from '../../schema/tables.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ED1, ED2 } from '../reference/keys.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const NEW = 'another-Passw0rd'
const CHANGE = { old_password: PASSWORD, password: NEW, repeat: NEW }
const USER = '/account/admin/users/3'

/** The page that goes through all of it, after the sign-in. */
const CHECK = '/account/sign-in?next=/account/security/check'

let site: CheapSite
let visitor: Visitor
let fingerprints: string[]

beforeEach(async () => {
  site = new CheapSite({ sendOut: async () => new Response('') })
  visitor = new Visitor(site)
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  await visitor.signIn('alice', PASSWORD)
  await visitor.post('/account/keys/add', { title: '<b>laptop</b>', key: ED1 })
  await visitor.post('/account/keys/add', { title: 'desk', key: ED2 })
  const keys = await site.db.select().from(sshKeys)
  fingerprints = keys.map((key) => key.fingerprint)
})

describe('a new password of a user who has SSH keys', () => {
  test('shows which of them still open the files, and leads to them by way of the sign-in', async () => {
    const seen = await visitor.post('/account/security/password', CHANGE)
    expect(seen.status).toBe(200)
    expect(visitor.cookies.has('session')).toBe(false)
    const text = textOf(seen.html)
    expect(text).toContain('These can still use your account.')
    expect(seen.html).toContain('&lt;b&gt;laptop&lt;/b&gt;')
    for (const fingerprint of fingerprints) expect(text).toContain(`Added just now ${fingerprint}`)
    for (const secret of [PASSWORD, NEW]) expect(seen.html).not.toContain(secret)
    const [, next = ''] = /<a role="button" href="([^"]+)">/.exec(seen.html) ?? []
    expect(next).toBe(CHECK)

    const signIn = await visitor.get(next)
    expect(signIn.html).toContain(
      '<input type="hidden" name="next" value="/account/security/check"/>',
    )
    const form = { username: 'alice', password: NEW, next: '/account/keys' }
    expect(await visitor.post('/account/sign-in', form)).toMatchObject({
      status: 303,
      location: '/account/keys',
    })
    expect((await visitor.get('/account/keys')).html).toContain('action="/account/keys/delete-all"')
  })

  test('leads to them after a code as well', async () => {
    const secret = await site.enrol(await site.token('alice', PASSWORD))
    await visitor.signIn('alice', PASSWORD, site.code(secret))
    await visitor.post('/account/security/password', CHANGE)
    const form = { username: 'alice', password: NEW, next: '/account/keys' }
    const { location } = await visitor.post('/account/sign-in', form)
    expect(location).toBe('/account/sign-in/code?next=/account/keys')
    const { html } = await visitor.get(location ?? '')
    expect(html).toContain('<input type="hidden" name="next" value="/account/keys"/>')
    site.now += 30_000
    const code = { code: site.code(secret), next: '/account/keys' }
    expect((await visitor.post('/account/sign-in/code', code)).location).toBe('/account/keys')
  })

  test.each(['//evil.example', 'https://evil.example', 'constructor', 'x'])(
    'leads nowhere else: %s',
    async (next) => {
      await visitor.post('/account/sign-out')
      const { html } = await visitor.get(`/account/sign-in?next=${encodeURIComponent(next)}`)
      expect(html).not.toContain('name="next"')
      const form = { username: 'alice', password: PASSWORD, next }
      expect((await visitor.post('/account/sign-in', form)).location).toBe('/account')
    },
  )

  test('keeps the keys until the user deletes them, all at once if need be', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = new Visitor(site)
    await bob.signIn('bob', 'bob-Passw0rd')
    await bob.post('/account/keys/add', { title: 'of bob', key: ED1 })
    expect(await visitor.post('/account/keys/delete-all')).toMatchObject({
      status: 303,
      location: expect.stringMatching(/^\/account\/keys\?done=keys-deleted&undo=[0-9a-f]{32}$/),
    })
    const left = await site.db.select().from(sshKeys)
    expect(left.map(({ title }) => title)).toEqual(['of bob'])
    const events = await site.db.select().from(auditEvents)
    const deleted = events.filter(({ kind }) => kind === 'key_deleted')
    expect(deleted.map(({ userId, detail }) => [userId, detail])).toEqual([
      [3, '<b>laptop</b>'],
      [3, 'desk'],
    ])
  })
})

/** Gives alice an app password and a linked account, and takes her SSH keys away. */
async function replaceKeys() {
  await site.db.delete(sshKeys)
  await addAppPassword(site, 3, ['files:read'], { name: '<i>NAS</i>' })
  await site.db.insert(identities).values({
    issuer: 'https://idp.example',
    subject: '1',
    userId: 3,
    platform: 'OIDC',
    name: 'alice at work',
    linkedAt: site.now,
    linkedBy: 'user',
  })
}

describe('a new password of a user who has an app password and a linked account', () => {
  test('shows both, and leads to the page where one of them can be removed', async () => {
    await replaceKeys()
    const { html } = await visitor.post('/account/security/password', CHANGE)
    expect(html).toContain('&lt;i&gt;NAS&lt;/i&gt;')
    expect(textOf(html)).toContain('alice at work')
    expect(html).toContain(`<a role="button" href="${CHECK}">Sign in and check</a>`)
  })
})

const TOPIC = 'a-secret-topic'

/** Gives alice a channel for notices, and takes her SSH keys away. */
async function saveChannel() {
  await site.db.delete(sshKeys)
  const channel = { kind: 'ntfy', address: `https://ntfy.sh/${TOPIC}`, 'topic-password': 'on' }
  await visitor.post('/account/notices/save', channel)
}

describe('a new password of a user who has a channel for notices', () => {
  test('shows its kind and host, and leads to the page where it can be deleted', async () => {
    await saveChannel()
    site.now += 3 * HOUR
    const { html } = await visitor.post('/account/security/password', CHANGE)
    expect(textOf(html)).toContain('Notifications ntfy · ntfy.sh Added 3 hours ago')
    expect(html).not.toContain(TOPIC)
    expect(html).toContain('<a href="/account/sign-in?next=/account/notices">Delete channel</a>')
  })

  test('says since when the channel is the present one', async () => {
    await saveChannel()
    site.now += 3 * HOUR
    visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    await saveChannel()
    const { html } = await visitor.post('/account/security/password', CHANGE)
    expect(textOf(html)).toContain('Notifications ntfy · ntfy.sh Added just now')
  })

  test('shows it to the operator who sets the password, generated or not', async () => {
    await saveChannel()
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const shown = 'ntfy · ntfy.sh Added just now Only the user can delete it'
    const { html } = await visitor.post(`${USER}/password`, { password: '' })
    expect(textOf(html)).toContain(shown)
    const { location } = await visitor.post(`${USER}/password`, { password: NEW })
    expect(location).toBe(`${USER}?done=user-password-set-remaining`)
    const seen = await visitor.get(location ?? '')
    expect(textOf(seen.html)).toContain(shown)
    for (const page of [html, seen.html]) expect(page).not.toContain(TOPIC)
  })
})

describe('a new password of a user who has nothing else', () => {
  test('leads to the sign-in', async () => {
    await site.db.delete(sshKeys)
    const { location } = await visitor.post('/account/security/password', CHANGE)
    expect(location).toBe('/account/sign-in?done=password-changed')
  })
})

describe('a new password that an operator sets', () => {
  beforeEach(async () => {
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
  })

  test('leads to the keys that still work', async () => {
    const { location } = await visitor.post(`${USER}/password`, { password: NEW })
    expect(location).toBe(`${USER}?done=user-password-set-remaining`)
    const text = textOf((await visitor.get(location ?? '')).html)
    expect(text).toContain(
      'All sessions of the user have ended, but everything else below still works.',
    )
    for (const fingerprint of fingerprints) expect(text).toContain(fingerprint)
  })

  test('shows them beside a generated one', async () => {
    const { status, html } = await visitor.post(`${USER}/password`, { password: '' })
    expect(status).toBe(200)
    expect(valueOf(html, 'password')).not.toBe('')
    for (const fingerprint of fingerprints) expect(textOf(html)).toContain(fingerprint)
  })

  test('shows an app password and a linked account beside a generated one', async () => {
    await replaceKeys()
    const { html } = await visitor.post(`${USER}/password`, { password: '' })
    expect(html).toContain('&lt;i&gt;NAS&lt;/i&gt;')
    expect(textOf(html)).toContain('alice at work')
    expect(textOf(html)).toContain('Linked by the user just now')
  })
})

async function setAddress(emailVerified: boolean): Promise<void> {
  await site.db.update(users).set({ email: 'alice@example.org', emailVerified })
}

describe('a new password of a user with an e-mail address', () => {
  beforeEach(async () => {
    await site.db.delete(sshKeys)
  })

  test('shows the address, to which a link can be mailed, and leads to its page', async () => {
    await setAddress(true)
    const { html } = await visitor.post('/account/security/password', CHANGE)
    expect(textOf(html)).toContain(
      'E-mail address alice@example.org A link for a new password can be mailed there. Change',
    )
    expect(html).toContain('href="/account/sign-in?next=/account/email"')
  })

  test('shows what opens the files itself first', async () => {
    await setAddress(true)
    await visitor.post('/account/keys/add', { title: 'laptop', key: ED1 })
    const { html } = await visitor.post('/account/security/password', CHANGE)
    expect(textOf(html)).toMatch(/SSH keys laptop .* E-mail address alice@example\.org /)
  })

  test('shows it to the operator who sets the password', async () => {
    await setAddress(true)
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { html } = await visitor.post(`${USER}/password`, { password: '' })
    expect(textOf(html)).toContain(
      'alice@example.org A link for a new password can be mailed there.',
    )
    expect(html).not.toContain('next=/account/email')
  })

  test('shows none that is not confirmed: nothing is mailed there', async () => {
    await setAddress(false)
    const { location } = await visitor.post('/account/security/password', CHANGE)
    expect(location).toBe('/account/sign-in?done=password-changed')
  })
})
