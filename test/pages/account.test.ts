import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, settings, sshKeys, users } from '../../schema/tables.ts'
import { PERMISSION } from '../../src/core/accounts/roles.ts'
import { ED2 } from '../reference/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, SECOND } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const OTHER_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIINf1QkT3udeh3bK3QT8eL4IL33C/HpQ1WaWYscX1oJz'
const FINGERPRINT = 'SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA'
const PRIVATE_KEY = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQ
-----END OPENSSH PRIVATE KEY-----`

let site: CheapSite
let visitor: Visitor
/** An unused recovery code. */
let recoveryLeft: string

const signIn = preparedVisit(
  async (arranged, browser) => {
    await arranged.addFirstUsers()
    await arranged.addUser('alice', { password: PASSWORD })
    await browser.signIn('alice', PASSWORD)
  },
  { 'User-Agent': FIREFOX },
)

beforeEach(async () => {
  site = new CheapSite()
  visitor = await signIn(site)
})

async function textAt(path: string): Promise<string> {
  return textOf((await visitor.get(path)).html)
}

/** Another session of Alice. */
async function signInElsewhere(): Promise<string> {
  return site.token('alice', PASSWORD)
}

describe('the overview', () => {
  test('shows name, role, folder and permissions in words', async () => {
    const permission = 1 | PERMISSION.sftpRead | (1 << 15)
    await site.db.update(users).set({ permission, basePath: '/files/alice' })
    const text = await textAt('/account')
    expect(text).toContain('User name alice Role User Base folder /files/alice')
    expect(text).toContain(
      'Your permissions See hidden files Sign in and read over FTP and SFTP Choose the address of a share',
    )
    expect(text).not.toContain('Rename')
  })

  test('says so when there are no permissions, and that two-step verification is off', async () => {
    const text = await textAt('/account')
    expect(text).toContain('You can only browse files.')
    expect(text).toContain('Two-step verification is off')
  })

  test('is one round trip', async () => {
    await visitor.get('/account')
    // The first visitor has the KV copy of the settings made, which reads D1 in its own time.
    await site.settle()
    for (const path of ['', '/security', '/keys', '/sessions', '/activity']) {
      await visitor.get(`/account${path}`)
      expect(site.meter.roundTrips, path).toBe(1)
    }
  })
})

describe('a new password', () => {
  const change = { old_password: PASSWORD, password: 'new-Passw0rd', repeat: 'new-Passw0rd' }

  test('counts at the next sign-in, which it asks for', async () => {
    const seen = await visitor.post('/account/security/password', change)
    expect(seen).toMatchObject({
      status: 303,
      location: '/account/sign-in?done=password-changed',
    })
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await site.db.select().from(sessions)).toEqual([])
    await visitor.signIn('alice', 'new-Passw0rd')
  })

  test.each([
    [{ old_password: 'wrong-Passw0rd' }, 403, 'old_password', 'This is not your current password.'],
    [{ old_password: '' }, 400, 'old_password', 'This is required.'],
    [{ repeat: 'new-Passw0rt' }, 400, 'repeat', 'The two passwords are not the same.'],
    [{ password: 'short', repeat: 'short' }, 400, 'password', 'It must have 8 to 1024 characters.'],
    [
      { password: 'password1', repeat: 'password1' },
      400,
      'password',
      'This is one of the most common passwords. Choose another.',
    ],
  ])('is refused with the reason at its field: %j', async (wrong, status, field, problem) => {
    const seen = await visitor.post('/account/security/password', { ...change, ...wrong })
    expect([seen.status, problemAt(seen.html, field)]).toEqual([status, problem])
    for (const typed of Object.values({ ...change, ...wrong }).filter((text) => text !== '')) {
      expect(seen.html).not.toContain(`value="${typed}"`)
    }
    await signInElsewhere()
  })

  test('keeps the name of who has files under it', async () => {
    await site.db.update(users).set({ permission: PERMISSION.sftpRead })
    expect(await visitor.post('/account/security/password', change)).toMatchObject({ status: 303 })
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    expect(alice?.passwordChangedAt).toBe(site.now)
  })
})

/** Starts the enrolment; the key as the page shows it. */
async function startEnrolment(): Promise<string> {
  const { html } = await visitor.post('/account/security/start')
  const [, secret = ''] = /name="secret" value="([A-Z2-7]{32})"/.exec(html) ?? []
  rememberSecret(secret)
  return secret
}

/** Switches two-step verification on. */
async function enrol(): Promise<{ secret: string; html: string }> {
  const secret = await startEnrolment()
  const code = site.code(secret)
  const { html } = await visitor.post('/account/security/confirm', { secret, code })
  site.now += MINUTE
  return { secret, html }
}

describe('setting up two-step verification', () => {
  test('shows the key as an image and in groups of four', async () => {
    const { status, html } = await visitor.post('/account/security/start')
    expect(status).toBe(200)
    expect(html).toMatch(/<img class="qr" src="data:image\/png;base64,[\w+/=]+" alt="QR code/)
    expect(html).toMatch(
      /<code class="secret" id="enrolment-secret" data-text="[A-Z2-7]{32}">(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}<\/code>/,
    )
    expect(html).toMatch(/<input[^>]*autocomplete="one-time-code"/)
    const [, secret = ''] = /name="secret" value="([A-Z2-7]{32})"/.exec(html) ?? []
    const uri = `otpauth://totp/Latchkey:alice?secret=${secret}&amp;issuer=Latchkey&amp;algorithm=SHA1&amp;digits=6&amp;period=30`
    expect(html).toContain(`<a role="button" class="secondary" href="${uri}">`)
  })

  test('ends with ten recovery codes, and ends the other sessions', async () => {
    await signInElsewhere()
    const { html } = await enrol()
    expect(textOf(html)).toContain('Two-step verification is on. ')
    const codes = valueOf(html, 'codes').split('\n')
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    await new Visitor(site).signIn('alice', PASSWORD, codes[3])
    expect(await textAt('/account')).toContain('Two-step verification is on')
  })

  test('shows the same key again after a wrong code', async () => {
    const secret = await startEnrolment()
    for (const [code, status] of [
      ['000000', 400],
      ['', 400],
    ] as const) {
      const seen = await visitor.post('/account/security/confirm', { secret, code })
      expect(seen.status).toBe(status)
      expect(problemAt(seen.html, 'code')).toMatch(code === '' ? /required/ : /wrong/)
      expect(valueOf(seen.html, 'code')).toBe('')
      expect(seen.html).toContain(`name="secret" value="${secret}"`)
    }
    const code = site.code(secret)
    expect((await visitor.post('/account/security/confirm', { secret, code })).status).toBe(200)
  })

  test('takes and shows no key but one of ours', async () => {
    await startEnrolment()
    for (const secret of ['', 'AAAA', '"><b>x', 'A'.repeat(64)]) {
      const seen = await visitor.post('/account/security/confirm', { secret, code: '123456' })
      expect(seen, secret).toMatchObject({
        status: 303,
        location: '/account/security?done=key-void',
      })
    }
  })

  test('is refused while it is on', async () => {
    await enrol()
    const { status, html } = await visitor.post('/account/security/start')
    expect(status).toBe(400)
    expect(textOf(html)).toContain('New recovery codes')
  })
})

describe('two-step verification that is on', () => {
  test('gives new recovery codes for a code, and none for a wrong one', async () => {
    const { secret, html: first } = await enrol()
    const refused = await visitor.post('/account/security/codes', { code: '000000' })
    expect(refused.status).toBe(400)
    expect(problemAt(refused.html, 'codes-code')).toMatch(/^This code is wrong/)
    expect(problemAt(refused.html, 'off-code')).toBeUndefined()
    expect(refused.html).toMatch(/<details class="confirm" open="">/)
    const { status, html } = await visitor.post('/account/security/codes', {
      code: site.code(secret),
    })
    expect(status).toBe(200)
    expect(valueOf(html, 'codes').split('\n')).toHaveLength(10)
    expect(valueOf(html, 'codes')).not.toBe(valueOf(first, 'codes'))
  })

  test('says how many recovery codes are left, and warns at two', async () => {
    const { html } = await enrol()
    const codes = valueOf(html, 'codes').split('\n')
    expect(await textAt('/account/security')).toContain('10 of 10 recovery codes left')
    for (const code of codes.slice(0, 7)) await new Visitor(site).signIn('alice', PASSWORD, code)
    expect(await textAt('/account/security')).toContain(
      '3 of 10 recovery codes left Move to a new phone',
    )
    await new Visitor(site).signIn('alice', PASSWORD, codes[7])
    const few = await visitor.get('/account/security')
    expect(few.html).toContain('<strong>2 of 10 recovery codes left</strong>')
    expect(textOf(few.html)).toContain('Generate new codes.')
    for (const code of codes.slice(8)) await new Visitor(site).signIn('alice', PASSWORD, code)
    expect(await textAt('/account/security')).toContain('You have no recovery codes')
  })

  test('says at the sign-in that a recovery code was used, where a new phone is set up', async () => {
    const { html } = await enrol()
    const [code = ''] = valueOf(html, 'codes').split('\n')
    const other = new Visitor(site)
    await other.post('/account/sign-in', { username: 'alice', password: PASSWORD })
    const { location } = await other.post('/account/sign-in/code', { code })
    expect(location).toBe('/account/security?done=recovery-code-used')
    const page = await other.get(location ?? '')
    expect(textOf(page.html)).toContain('You signed in with a recovery code')
    expect(textOf(page.html)).toContain('9 of 10 recovery codes left')
  })

  test('gives the recovery codes as a file that names account, site and day', async () => {
    const { html } = await enrol()
    const [, data = '', name] =
      /href="data:text\/plain;charset=utf-8,([^"]*)" download="([^"]*)"/.exec(html) ?? []
    expect(name).toBe('recovery-codes-alice.txt')
    expect(decodeURIComponent(data).split('\r\n')).toEqual([
      'Recovery codes of alice for Latchkey, 2026-11-21',
      'Each code signs you in once.',
      '',
      ...valueOf(html, 'codes').split('\n'),
      '',
    ])
  })

  test('goes off for a code, and stays on for a wrong one', async () => {
    const { secret } = await enrol()
    const refused = await visitor.post('/account/security/off', { code: '000000' })
    expect([refused.status, problemAt(refused.html, 'off-code')]).toEqual([
      400,
      'This code is wrong or was already used. Wait for the next code.',
    ])
    const seen = await visitor.post('/account/security/off', { code: site.code(secret) })
    expect(seen).toMatchObject({ status: 303, location: '/account/security?done=two-factor-off' })
    await signInElsewhere()
  })
})

describe('SSH keys', () => {
  const laptop = { title: 'laptop', key: KEY }

  test('are added by pasting, and shown with all there is to know', async () => {
    expect(await textAt('/account/keys')).toContain('No keys yet')
    expect(await visitor.post('/account/keys/add', laptop)).toMatchObject({
      status: 303,
      location: '/account/keys?done=key-added#newest',
    })
    expect(await textAt('/account/keys?done=key-added')).toContain('The key “laptop” was added.')
    expect(await textAt('/account/keys')).toContain(
      `laptop Never used Added just now ssh-ed25519 Fingerprint ${FINGERPRINT}`,
    )
    site.now += 25 * HOUR
    await visitor.signIn('alice', PASSWORD)
    const use = { lastUsedAt: site.now - 2 * HOUR, lastUsedNetwork: '192.0.2.9' }
    await site.db.update(sshKeys).set(use)
    const { html } = await visitor.get('/account/keys')
    expect(textOf(html)).toContain('Last used 2 hours ago from 192.0.2.9 Added yesterday')
    expect(html).toContain(
      '<time datetime="2026-11-21T09:15:06.565Z" title="2026-11-21 09:15 +00:00">Added yesterday</time>',
    )
  })

  test.each([
    [{ key: 'nonsense' }, 400, 'key', /^This key was refused: it must begin with its type/],
    [{ key: '' }, 400, 'key', /^This is required\.$/],
    [{ title: 'x'.repeat(256) }, 400, 'title', /at most 255 characters/],
  ])(
    'are refused with the reason at the field and nothing lost',
    async (wrong, status, field, problem) => {
      const sent: Record<string, string> = { ...laptop, ...wrong }
      const seen = await visitor.post('/account/keys/add', sent)
      expect(seen.status).toBe(status)
      expect(problemAt(seen.html, field)).toMatch(problem)
      for (const name of ['title', 'key']) expect(valueOf(seen.html, name)).toBe(sent[name])
      expect(await site.db.select().from(sshKeys)).toEqual([])
    },
  )

  test('are listed newest first, and added on a page of their own', async () => {
    const { html } = await visitor.get('/account/keys')
    expect(html).toContain('<a role="button" href="/account/keys/add">Add key</a>')
    expect((await visitor.get('/account/keys/add')).html).toContain('action="/account/keys/add"')
    await visitor.post('/account/keys/add', laptop)
    await visitor.post('/account/keys/add', { title: 'desk', key: ED2 })
    expect(await textAt('/account/keys')).toMatch(/desk Never used.*laptop Never used/)
  })

  test('are folded from the eleventh on', async () => {
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    for (let n = 1; n <= 30; n++) {
      const row = { title: `key ${n}`, fingerprint: `SHA256:${n}`, userId: alice?.id ?? 0 }
      const rest = { type: 'ssh-ed25519', bits: 256, line: 'x', addedAt: n, lastUsedAt: n }
      await site.db.insert(sshKeys).values({ ...row, ...rest })
    }
    const { html } = await visitor.get('/account/keys')
    const [newest = '', older = ''] = html.split('<details class="older">')
    expect(newest.match(/<h2>key \d+<\/h2>/g)).toHaveLength(10)
    expect(newest).toContain('<h2>key 30</h2>')
    expect(textOf(older)).toMatch(/^20 older keys key 20 .* key 1 Never/)
  })

  test('come with whom to ask when the user may not use SFTP', async () => {
    expect(await textAt('/account/keys')).toContain(
      'Your account may not use SFTP, so keys do not work yet Ask an administrator',
    )
    await site.db.insert(settings).values([
      { key: 'security_contact', value: 'mailto:admin@example.org?subject=x' },
      { key: 'sftp_address', value: 'files.example.org' },
    ])
    const { html } = await visitor.get('/account/keys')
    expect(html).toContain('<a href="mailto:admin@example.org?subject=x">admin@example.org</a>')
    expect(html).not.toContain('sftp alice@')
  })

  test('come with the command for a user who may use SFTP', async () => {
    await site.db.update(users).set({ permission: PERMISSION.sftpRead })
    expect((await visitor.get('/account/keys')).html).not.toContain('id="sftp"')
    await site.db.insert(settings).values({ key: 'sftp_address', value: 'files.example.org:2022' })
    const { html } = await visitor.get('/account/keys')
    expect(html).toContain('<code id="sftp">sftp -P 2022 alice@files.example.org</code>')
    expect(html).toMatch(/<button type="button"[^>]* data-copy="sftp"[^>]* hidden="">/)
    expect(textOf(html)).not.toContain('may not use SFTP')
  })

  test.each([
    ['sftp_address', 'x; rm -rf ~'],
    ['security_contact', 'javascript:alert(1)'],
  ])('show no %s that was written past its check', async (key, value) => {
    await site.db.update(users).set({ permission: key === 'sftp_address' ? 0xc00 : 0 })
    await site.db.insert(settings).values({ key, value })
    const { html } = await visitor.get('/account/keys')
    expect(html).not.toMatch(/rm -rf|javascript:|id="sftp"/)
  })

  test('have the title of their comment, or else of their type, when the user gives none', async () => {
    await visitor.post('/account/keys/add', { title: ' ', key: `${KEY} ` })
    const [type = '', base64 = ''] = OTHER_KEY.split(' ')
    await visitor.post('/account/keys/add', { title: '', key: `${type} ${base64}` })
    const stored = await site.db.select().from(sshKeys)
    expect(stored.map(({ title }) => title)).toEqual([KEY.split(' ')[2], type])
    const refused = await visitor.post('/account/keys/add', {
      title: '',
      key: `${type} ${base64.slice(0, 24)}`,
    })
    expect(problemAt(refused.html, 'key')).toMatch(
      /The key is not complete: .*Copy the whole line\./i,
    )
  })

  test('are refused where title or key is there already', async () => {
    await visitor.post('/account/keys/add', laptop)
    const sameTitle = await visitor.post('/account/keys/add', { ...laptop, key: `${KEY}2` })
    expect(sameTitle.status).toBe(409)
    expect(problemAt(sameTitle.html, 'title')).toBe('You already have a key with this title.')
    const sameKey = await visitor.post('/account/keys/add', { ...laptop, title: 'work' })
    expect(problemAt(sameKey.html, 'key')).toBe('You already have this key, as “laptop”.')
  })

  const inOneLine = PRIVATE_KEY.replaceAll('\n', ' ')

  test.each([
    [{ title: 'laptop', key: PRIVATE_KEY }, 'key'],
    [{ title: inOneLine, key: KEY }, 'title'],
    [{ title: inOneLine, key: PRIVATE_KEY }, 'title'],
  ])('never keep or show a private key, whichever field it was pasted into', async (fields, at) => {
    const { status, html } = await visitor.post('/account/keys/add', fields)
    expect(status).toBe(400)
    expect(problemAt(html, at)).toMatch(/this is a private key, which must never be pasted/i)
    expect(html).not.toMatch(/b3BlbnNzaC1rZXk|PRIVATE KEY/)
    expect(valueOf(html, 'title')).toBe(at === 'key' ? 'laptop' : '')
    expect(await site.db.select().from(sshKeys)).toEqual([])
  })

  test('go when they are deleted, and nobody else can do that', async () => {
    await visitor.post('/account/keys/add', laptop)
    const [key] = await site.db.select().from(sshKeys)
    const id = String(key?.id)
    await site.addUser('mallory', { password: 'mallory-Passw0rd' })
    const mallory = new Visitor(site)
    await mallory.signIn('mallory', 'mallory-Passw0rd')
    const refused = await mallory.post('/account/keys/delete', { id })
    expect([refused.status, alertIn(refused.html)]).toEqual([404, 'This key was already deleted.'])

    expect((await visitor.get('/account/keys')).html).toMatch(/<details.*Delete “laptop”\?/s)
    expect(await visitor.post('/account/keys/delete', { id })).toMatchObject({
      status: 303,
      location: expect.stringMatching(/^\/account\/keys\?done=key-deleted&undo=[0-9a-f]{32}$/),
    })
    expect(await site.db.select().from(sshKeys)).toEqual([])
  })
})

async function idOf(token: string): Promise<string> {
  const { data } = await site.get('/api/me/sessions', { token })
  return data.content.find((session: { current: boolean }) => session.current).id
}

describe('sessions', () => {
  test('are shown in words, this one first', async () => {
    site.now += 5 * MINUTE
    await signInElsewhere()
    const { html } = await visitor.get('/account/sessions')
    expect(textOf(html)).toMatch(
      /Firefox on Linux This device Active now 192\.0\.2\.1 Signed in 5 minutes ago With password Ends in 2 days Unknown app Active in the last hour 192\.0\.2\.1 Signed in just now With password Ends in 2 days Sign out/,
    )
    expect(html.match(/action="\/account\/sessions\/end"/g)).toHaveLength(1)
  })

  test('are listed by their last use, which is known to the hour', async () => {
    const [older, newer] = [await signInElsewhere(), await signInElsewhere()]
    await site.db
      .update(sessions)
      .set({ userAgent: 'curl/8' })
      .where(eq(sessions.id, await idOf(older)))
    site.now += 3 * HOUR
    await site.get('/api/me', { token: older })
    await site.settle()
    site.now += 2 * HOUR
    expect(newer).not.toBe(older)
    expect(await textAt('/account/sessions')).toMatch(
      /This device Active now .* curl Last active 2 hours ago .* Unknown app Last active 5 hours ago/,
    )
  })

  test('are told in good Chinese', async () => {
    await signInElsewhere()
    const { html } = await visitor.get('/account/sessions', { 'Accept-Language': 'zh-CN' })
    expect(textOf(html)).toMatch(
      /Linux 上的 Firefox 本设备 正在使用 192\.0\.2\.1 刚刚登录 使用密码 2 天后到期 未知应用 一小时内活跃 192\.0\.2\.1 刚刚登录 使用密码 2 天后到期 退出/,
    )
  })

  test('end one by one, and all others at once', async () => {
    const token = await signInElsewhere()
    const { html } = await visitor.get('/account/sessions')
    const [, id = ''] = /sessions\/end">.*?<button[^>]* name="id" value="([^"]+)"/.exec(html) ?? []
    expect(await visitor.post('/account/sessions/end', { id })).toMatchObject({
      location: '/account/sessions?done=session-ended',
    })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 401 })
    const again = await visitor.post('/account/sessions/end', { id })
    expect([again.status, alertIn(again.html)]).toEqual([404, 'This session has already ended.'])

    await signInElsewhere()
    await signInElsewhere()
    expect(await visitor.post('/account/sessions/end-others')).toMatchObject({
      location: '/account/sessions?done=sessions-ended',
    })
    expect(await textAt('/account/sessions')).toContain('You are not signed in anywhere else.')
  })
})

describe('activity', () => {
  test('is told in words, latest first, with the exact time', async () => {
    await site.login('alice', 'wrong-Passw0rd')
    await visitor.post('/account/keys/add', { title: 'laptop', key: KEY })
    const { html } = await visitor.get('/account/activity')
    expect(textOf(html)).toContain(
      'Today You added the SSH key “laptop” 09:15 UTC 192.0.2.1 Firefox on Linux ' +
        'A sign-in to your account was refused: wrong password 09:15 UTC 192.0.2.1 ' +
        'You signed in 09:15 UTC 192.0.2.1 Firefox on Linux',
    )
    expect(html).toContain('<time datetime="2026-11-21T09:15:06.565Z"')
  })

  test('comes in pages', async () => {
    for (let i = 0; i < 30; i++) await site.login('alice', PASSWORD)
    const first = await visitor.get('/account/activity')
    expect(textOf(first.html)).toContain('Page 1 of 2')
    expect(first.html).toContain('href="/account/activity?page=2"')
    const second = await visitor.get('/account/activity?page=2')
    expect(textOf(second.html)).toContain('You signed in')
    expect(second.html).toContain('href="/account/activity?page=1"')
    expect((await visitor.get('/account/activity?page=x')).status).toBe(400)
    expect((await visitor.get('/account/activity?page=9')).status).toBe(200)
  })
})

describe('an address that is none', () => {
  test('of a form leads back to its page', async () => {
    for (const [path, page] of [
      ['keys/delete', 'keys'],
      ['sessions/end', 'sessions'],
      ['security/confirm', 'security'],
    ]) {
      expect(await visitor.get(`/account/${path}`)).toMatchObject({ location: `/account/${page}` })
    }
  })

  test('says so on a page', async () => {
    for (const path of ['/account/nope', '/account/keys/a/b']) {
      const { status, html } = await visitor.get(path)
      expect([status, textOf(html)]).toEqual([404, expect.stringContaining('does not exist')])
    }
  })
})

/** The browser of a user who has lost the phone. */
async function signInWithoutPhone(): Promise<{ other: Visitor; codes: string[] }> {
  const { html } = await enrol()
  const codes = valueOf(html, 'codes').split('\n')
  const other = new Visitor(site)
  await other.signIn('alice', PASSWORD, codes[0])
  return { other, codes }
}

/** What a browser is told that tries to move to a new phone without a code. */
async function moveWithoutCode(browser: Visitor) {
  const offer = textOf((await browser.get('/account/security')).html)
  const { status } = await browser.post('/account/security/phone', { recovered: 'true' })
  const asksForCode = (await browser.get('/account/security/phone')).html.includes('name="code"')
  const isOn = (await browser.get('/account/security')).html.includes('10 recovery codes')
  return { isOffered: offer.includes('Have you lost your phone?'), status, asksForCode, isOn }
}

const CODE_NEEDED = { isOffered: false, status: 403, asksForCode: true, isOn: true }

/** Begins a move with a code of the phone in use. @returns The key for the new phone. */
async function beginMove(browser: Visitor, fields: Record<string, string>): Promise<string> {
  const { status, html } = await browser.post('/account/security/phone', fields)
  expect(status).toBe(200)
  return /name="secret" value="([A-Z2-7]{32})"/.exec(html)?.[1] ?? ''
}

const confirmMove = (browser: Visitor, secret: string) =>
  browser.post('/account/security/confirm', { secret, code: site.code(secret) })

/** The codes of answers to sign-ins with the password alone and with these codes. */
async function signInWith(...codes: string[]): Promise<number[]> {
  const answers = []
  for (const code of ['', ...codes]) answers.push((await site.login('alice', PASSWORD, code)).code)
  return answers
}

const kindsOfAlice = async () => {
  const rows = await site.db.select({ kind: auditEvents.kind }).from(auditEvents)
  return rows.map(({ kind }) => kind)
}

describe('moving to a new phone', () => {
  test('is one flow from one code to new recovery codes', async () => {
    const { secret: old, html } = await enrol()
    const [recovery = '', other = ''] = valueOf(html, 'codes').split('\n')
    expect((await visitor.get('/account/security')).html).toContain(
      'href="/account/security/phone"',
    )
    expect(textOf((await visitor.get('/account/security/phone')).html)).toContain('new phone')
    const moved = await visitor.post('/account/security/phone', { code: recovery })
    expect(moved.status).toBe(200)
    expect(textOf(moved.html)).toContain('the old phone still works')
    const [, secret = ''] = /name="secret" value="([^"]*)"/.exec(moved.html) ?? []
    const wrong = await visitor.post('/account/security/confirm', { secret, code: '000000' })
    expect(textOf(wrong.html)).toContain('the old phone still works')
    const done = await confirmMove(visitor, secret)
    expect(valueOf(done.html, 'codes').split('\n')).toHaveLength(10)
    expect(valueOf(done.html, 'codes')).not.toContain(other)
    const kinds = await kindsOfAlice()
    expect(kinds.filter((kind) => kind.startsWith('two_factor'))).toEqual([
      'two_factor_on',
      'two_factor_moved',
    ])
    expect(await textAt('/account/activity')).toContain(
      'You moved two-step verification to a new phone',
    )
    expect(await signInWith(site.code(old), other, site.code(secret))).toEqual([402, 402, 402, 200])
  })

  test('leaves no old recovery code when it is finished over the interface', async () => {
    const { secret: old, html } = await enrol()
    const [recovery = '', , third = ''] = valueOf(html, 'codes').split('\n')
    const moved = await visitor.post('/account/security/phone', { code: recovery })
    const [, secret = ''] = /name="secret" value="([^"]*)"/.exec(moved.html) ?? []
    const token = visitor.cookies.get('session') ?? ''
    const body = { secret, code: site.code(secret) }
    expect((await site.post('/api/auth/2fa/verify', body, { token })).code).toBe(200)
    expect(await signInWith(site.code(old), third, site.code(secret))).toEqual([402, 402, 402, 200])
  })

  test('changes nothing until it is finished', async () => {
    const { secret: old, html } = await enrol()
    const [recovery = ''] = valueOf(html, 'codes').split('\n')
    const elsewhere = await site.token('alice', PASSWORD, site.code(old))
    site.now += MINUTE
    const secret = await beginMove(visitor, { code: site.code(old) })
    site.now += MINUTE
    expect(await signInWith(site.code(secret), site.code(old), recovery)).toEqual([
      402, 402, 200, 200,
    ])
    expect(await site.get('/api/me', { token: elsewhere })).toMatchObject({ code: 200 })
    expect(await kindsOfAlice()).not.toContain('two_factor_off')
    expect(await textAt('/account/security')).toContain('9 of 10 recovery codes')
    const generated = await site.post('/api/auth/2fa/generate', undefined, { token: elsewhere })
    expect(generated).toMatchObject({ code: 400 })
  })

  test.each<[string, (secret: string) => Promise<unknown>]>([
    ['ten minutes have passed', async () => (site.now += 10 * MINUTE)],
    [
      'another tab has begun it again',
      async () => {
        await beginMove(visitor, { code: recoveryLeft })
      },
    ],
    ['it is finished', (secret) => confirmMove(visitor, secret)],
    [
      'the user has turned two-step verification off',
      () => visitor.post('/account/security/off', { code: recoveryLeft }),
    ],
    [
      'an operator has cancelled two-step verification',
      async () => {
        const admin = await site.token('admin', ADMIN_PASSWORD)
        const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
        await site.post(`/api/admin/user/cancel_2fa?id=${alice?.id}`, undefined, { token: admin })
        await visitor.signIn('alice', PASSWORD)
      },
    ],
  ])('can no longer be finished when %s', async (_, between) => {
    const { secret: old, html } = await enrol()
    recoveryLeft = valueOf(html, 'codes').split('\n')[0] ?? ''
    const secret = await beginMove(visitor, { code: site.code(old) })
    await between(secret)
    const before = await kindsOfAlice()
    const rows = await site.db.select().from(users)
    const confirmed = await visitor.post('/account/security/confirm', {
      secret,
      code: site.code(secret),
      confirm_password: PASSWORD,
    })
    expect(confirmed.html).not.toContain('id="codes"')
    expect(await site.db.select().from(users)).toEqual(rows)
    expect(await kindsOfAlice()).toEqual(before)
  })

  test('leads to what holds when its key has expired', async () => {
    const { secret: old } = await enrol()
    const secret = await beginMove(visitor, { code: site.code(old) })
    site.now += 10 * MINUTE
    const fields = { secret, code: site.code(secret), confirm_password: PASSWORD }
    expect(await visitor.post('/account/security/confirm', fields)).toMatchObject({
      location: '/account/security?done=key-void',
    })
  })

  test('needs a fresh session at both ends', async () => {
    const { secret: old } = await enrol()
    site.now += 10 * MINUTE
    expect((await visitor.post('/account/security/phone', { code: site.code(old) })).status).toBe(
      403,
    )
    const secret = await beginMove(visitor, { code: site.code(old), confirm_password: PASSWORD })
    site.now += 10 * MINUTE - SECOND
    await site.db.update(sessions).set({ confirmedAt: 0 })
    expect((await confirmMove(visitor, secret)).status).toBe(403)
    expect(await kindsOfAlice()).not.toContain('two_factor_moved')
  })

  describe('after a sign-in with a recovery code', () => {
    const withoutCode = { recovered: 'true' }

    test('needs no second code, and ends the other sessions', async () => {
      const { other } = await signInWithoutPhone()
      const page = textOf((await other.get('/account/security')).html)
      expect(page).toContain('Have you lost your phone?')
      const secret = await beginMove(other, withoutCode)
      expect((await visitor.get('/account')).location, 'nothing has changed yet').toBeNull()
      const done = await confirmMove(other, secret)
      expect(valueOf(done.html, 'codes').split('\n')).toHaveLength(10)
      expect((await visitor.get('/account')).location).toContain('/account/sign-in')
      const again = await other.post('/account/security/phone', withoutCode)
      expect(again.status, 'a code of the new phone was shown').toBe(403)
    })

    test('begins from the sign-in, with the form that has the code', async () => {
      const { codes } = await signInWithoutPhone()
      const [, code = ''] = codes
      const other = new Visitor(site)
      await other.post('/account/sign-in', { username: 'alice', password: PASSWORD })
      const wrong = await other.post('/account/sign-in/code', { code: '000000', ...withoutCode })
      expect(wrong.status).toBe(402)
      const form = { code, ...withoutCode }
      const first = await other.post('/account/sign-in/code', form)
      expect(first).toMatchObject({ status: 307, location: '/account/security/phone' })
      const second = await other.post('/account/security/phone', form)
      expect(second.status).toBe(200)
      expect(second.html).toContain('class="secret"')
    })

    test('changes nothing until it is finished', async () => {
      const { other, codes } = await signInWithoutPhone()
      const secret = await beginMove(other, withoutCode)
      const [used = '', unused = ''] = codes
      expect(await signInWith(site.code(secret), used, unused)).toEqual([402, 402, 402, 200])
      expect((await visitor.get('/account')).location).toBeNull()
    })

    test('asks for one ten minutes later, and in every other session', async () => {
      const { other, codes } = await signInWithoutPhone()
      expect(await moveWithoutCode(visitor)).toEqual(CODE_NEEDED)
      site.now += 10 * MINUTE
      await other.post('/account/security/codes', {
        code: codes[1] ?? '',
        confirm_password: PASSWORD,
      })
      expect(await moveWithoutCode(other)).toEqual(CODE_NEEDED)
    })

    test('asks for one in a session that a recovery code has only confirmed', async () => {
      const { secret, html } = await enrol()
      const codes = valueOf(html, 'codes').split('\n')
      const thief = new Visitor(site)
      thief.cookies.set('session', await site.token('alice', PASSWORD, site.code(secret)))
      // As if it had begun with the password alone, before two-step verification was on.
      await site.db.update(sessions).set({ amr: 'pwd' })
      const confirmed = await site.post(
        '/api/me/confirm',
        { otp_code: codes[0] },
        { token: thief.cookies.get('session') ?? '' },
      )
      expect(confirmed.code).toBe(200)
      const { isOffered, status, asksForCode } = await moveWithoutCode(thief)
      expect({ isOffered, status, asksForCode }).toEqual({
        isOffered: false,
        status: 403,
        asksForCode: true,
      })
    })
  })

  test('changes nothing for a wrong code, and is for users of two-step verification', async () => {
    expect((await visitor.get('/account/security/phone')).location).toBe('/account/security')
    await enrol()
    const before = await site.db.select().from(users)
    const refused = await visitor.post('/account/security/phone', { code: 'aaaa-bbbb-cccc' })
    expect(refused.status).not.toBe(200)
    expect(problemAt(refused.html, 'code')).toBeDefined()
    expect((await visitor.get('/account/security/phone')).status).toBe(200)
    expect(await site.db.select().from(users)).toEqual(before)
  })
})

describe('the overview', () => {
  test('says how well the account is protected, and names one next step', async () => {
    const bare = await visitor.get('/account')
    expect(textOf(bare.html)).toContain('Your account has little protection')
    const [guard = ''] = /<article class="guard.*?<\/article>/s.exec(bare.html) ?? []
    expect(guard.match(/<a role="button"/g)).toHaveLength(1)
    await enrol()
    const text = await textAt('/account')
    expect(text).toContain('Your account is well protected')
    expect(text).toContain('10 of 10 recovery codes left')
    expect(text).toContain('You turned on two-step verification')
  })
})
