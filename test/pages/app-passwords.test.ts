import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { appPasswords, sessions, settings, users } from '../../schema/tables.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { FILES_BINDINGS } from '../support/openlist-stand-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, NOW } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const PATH = '/account/app-passwords'
const form = { name: 'rclone', use: 'read', lifetime: 'year' }

let site: CheapSite
let visitor: Visitor

beforeEach(async () => {
  site = new CheapSite()
  visitor = new Visitor(site)
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  await visitor.signIn('alice', PASSWORD)
})

const textAt = async (path: string) => textOf((await visitor.get(path)).html)

describe('the page of app passwords', () => {
  test('shows a new one once, with a way to use it, and then only its name', async () => {
    const { status, html } = await visitor.post(`${PATH}/create`, form)
    expect(status).toBe(200)
    const token = valueOf(html, 'token')
    rememberSecret(token)
    expect(token).toMatch(/^lk_[0-9A-Za-z]{38}$/)
    expect(textOf(html)).toContain('rclone config create files webdav')
    expect(html).toContain('<code id="user">alice</code>')
    const text = await textAt(PATH)
    expect(text).toContain('rclone Reads files Created just now Never used Expires next year')
    expect(text).not.toContain(token)
    expect(text).toContain('App passwords stay valid when you change your password.')
    const [row] = await site.db.select().from(appPasswords)
    expect(row?.scopes).toBe('files:read')
  })

  test.each([
    ['write', 'month', 'files:write', NOW + 30 * 24 * HOUR],
    ['look', 'quarter', 'account:read', NOW + 90 * 24 * HOUR],
    ['manage', 'never', 'account:read account:write', null],
  ])('makes one for %s and %s', async (use, lifetime, scopes, expiresAt) => {
    const { html } = await visitor.post(`${PATH}/create`, { ...form, use, lifetime })
    rememberSecret(valueOf(html, 'token'))
    const [row] = await site.db.select().from(appPasswords)
    expect(row).toMatchObject({ scopes, expiresAt })
    expect(textOf(html)).toContain(use === 'write' ? 'rclone config' : 'curl -H')
  })

  test('shows where the SFTP server is, and commands that can be pasted one by one', async () => {
    const created = async (fields: Record<string, string>) => {
      const { html } = await visitor.post(`${PATH}/create`, { ...form, ...fields })
      rememberSecret(valueOf(html, 'token'))
      return html
    }
    const before = await created({ name: 'one' })
    expect(before).toContain('<pre>sftp alice@files.example.org</pre>')
    expect(before).toContain('rclone config create files webdav \\\n')
    expect(textOf(before)).toContain('OpenSSH servers take SSH keys only.')
    expect(textOf(before)).toContain('Replace files.example.org by your file server.')
    await site.db.insert(settings).values({ key: 'sftp_address', value: 'sftp.example.net:2022' })
    const after = await created({ name: 'two' })
    expect(after).toContain('<pre>sftp -P 2022 alice@sftp.example.net</pre>')
    const curl = await created({ name: 'three', use: 'look' })
    expect(curl).toMatch(/<pre>read -rs APP_PASSWORD<\/pre>.*<pre>curl -H/s)
    await visitor.post('/account/language', { language: 'zh', path: PATH })
    const chinese = textOf(await created({ name: 'four' }))
    expect(chinese).toContain('OpenSSH 服务器只接受 SSH 公钥。')
    expect(chinese).toContain('请把 files.example.org 换成你的文件服务器。')
  })

  test('shows the address of the file server behind the site, and no SFTP that it does not have', async () => {
    site = new CheapSite({}, FILES_BINDINGS)
    visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    const { html } = await visitor.post(`${PATH}/create`, form)
    rememberSecret(valueOf(html, 'token'))
    const address = 'http://localhost/dav'
    expect(html).toContain(`url=${address} \\\n`)
    expect(html).toContain(`<code id="address">${address}</code>`)
    expect(html).not.toContain('files.example.org')
    expect(textOf(html)).not.toContain('OpenSSH servers')
  })

  test('offers administration to admins alone', async () => {
    const words = 'Everything that you may do as an administrator'
    expect(await textAt(`${PATH}/add`)).not.toContain(words)
    const refused = await visitor.post(`${PATH}/create`, { ...form, use: 'admin' })
    expect(refused.status).toBe(403)
    expect(alertIn(refused.html)).toBe('Only administrators can do this.')
    const admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    expect(textOf((await admin.get(`${PATH}/add`)).html)).toContain(words)
  })

  test('keeps what was typed when it refuses', async () => {
    await addAppPassword(site, ALICE, ['files:read'], { name: 'rclone' })
    const taken = await visitor.post(`${PATH}/create`, { ...form, use: 'write' })
    expect(problemAt(taken.html, 'name')).toBe('You already have an app password with this name.')
    expect(valueOf(taken.html, 'name')).toBe('rclone')
    expect(taken.html).toContain('value="write" checked')
    const empty = await visitor.post(`${PATH}/create`, { ...form, name: '' })
    expect(problemAt(empty.html, 'name')).toBe('This is required.')
    const unknown = await visitor.post(`${PATH}/create`, { ...form, use: 'all' })
    expect(unknown.status).toBe(400)
  })

  test('asks for the password when the session is not fresh', async () => {
    site.now += 11 * MINUTE
    const refused = await visitor.post(`${PATH}/create`, form)
    expect(refused.status).toBe(403)
    expect(problemAt(refused.html, 'create-confirm_password')).toBe(
      'Confirm your identity to continue.',
    )
    const made = await visitor.post(`${PATH}/create`, { ...form, confirm_password: PASSWORD })
    rememberSecret(valueOf(made.html, 'token'))
    expect(made.status).toBe(200)
  })

  test('shows the last use, and what has expired; deletes', async () => {
    const { token, id } = await addAppPassword(site, ALICE, ['account:read', 'account:write'], {
      name: 'tool',
      expiresAt: NOW + 2 * HOUR,
    })
    await site.get('/api/me', { token })
    await site.settle()
    site.now += HOUR
    expect(await textAt(PATH)).toContain(
      'tool Reads the account Changes SSH keys and sessions Created 1 hour ago Last used 1 hour ago from 192.0.2.1 Expires in 1 hour',
    )
    site.now += HOUR
    expect(await textAt(PATH)).toContain('Expired just now')
    const deleted = await visitor.post(`${PATH}/delete`, { id: String(id) })
    expect(deleted.location).toBe(`${PATH}?done=app-password-deleted`)
    expect(await textAt(PATH)).toContain('No app passwords')
    const again = await visitor.post(`${PATH}/delete`, { id: String(id) })
    expect(alertIn(again.html)).toBe('This app password was already deleted.')
  })

  test('speaks Chinese', async () => {
    await visitor.post('/account/language', { language: 'zh', path: PATH })
    await addAppPassword(site, ALICE, ['files:write'], { name: 'rclone' })
    const text = await textAt(PATH)
    expect(text).toContain('应用专用密码')
    expect(text).toContain('读取和写入文件')
  })
})

describe('the button that ends everything', () => {
  test('signs out everywhere, deletes app passwords, and says so', async () => {
    await site.token('alice', PASSWORD)
    await addAppPassword(site, ALICE, ['files:read'])
    expect(await textAt('/account/sessions')).toContain('App passwords stay valid.')
    const seen = await visitor.post('/account/sessions/end-everything')
    expect(seen.location).toBe('/account/sign-in?done=everything-ended')
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await site.db.select().from(sessions)).toEqual([])
    expect(await site.db.select().from(appPasswords)).toEqual([])
    expect(await textAt('/account/sign-in?done=everything-ended')).toContain(
      'You are signed out everywhere, and your app passwords are deleted.',
    )
  })
})

describe('the page of a user, for operators', () => {
  test('lists and deletes app passwords', async () => {
    const { id } = await addAppPassword(site, ALICE, ['files:read'], { name: 'rclone' })
    await site.db.update(users).set({ permission: 0 }).where(eq(users.id, ALICE))
    const admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    const path = `/account/admin/users/${ALICE}`
    expect(textOf((await admin.get(path)).html)).toContain('App passwords 1 rclone Reads files')
    const deleted = await admin.post(`${path}/delete-app-password`, { id: String(id) })
    expect(deleted.location).toBe(`${path}?done=app-password-deleted`)
    expect(textOf((await admin.get(path)).html)).toMatch(/None: [^.]*App passwords/)
    const again = await admin.post(`${path}/delete-app-password`, { id: String(id) })
    expect(alertIn(again.html)).toBe('This app password was already deleted.')
  })
})
