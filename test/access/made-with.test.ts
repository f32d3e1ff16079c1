import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { appPasswords, auditEvents, sessions, settings, sshKeys } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { MAX_PERMISSION } from '../../src/core/accounts/roles.ts'
import { addKey as addKeyTo } from '../../src/capabilities/ssh-keys/keys.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { newKey } from '../support/new-key.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const ADMIN = 1

let site: CheapSite
let alice: number
let token: string
let service: string

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  const id = await arranged.addUser('alice', { password: PASSWORD, permission: MAX_PERMISSION })
  const server = (await addServiceToken(arranged.deps, 'files', 'sftp')) ?? ''
  return { id, server, session: await arranged.token('alice', PASSWORD) }
})

beforeEach(async () => {
  site = new CheapSite()
  const { id, server, session } = await arrange(site)
  alice = id
  service = server
  token = session
})

const demand = (value = 'everybody') =>
  site.db.insert(settings).values({ key: 'require_second_factor', value })

async function makeToken(name: string, scopes: string[], by = token): Promise<string> {
  const { data } = await site.post('/api/me/tokens/create', { name, scopes }, { token: by })
  return data.token
}

const addKey = (title: string, by = token) =>
  site.post('/api/me/sshkey/add', { title, key: newKey().line }, { token: by })

const madeWith = async () => ({
  tokens: (await site.db.select().from(appPasswords)).map(({ name, amr }) => [name, amr]),
  keys: (await site.db.select().from(sshKeys)).map(({ title, amr }) => [title, amr]),
})

const keep = (by: string) => site.post('/api/me/credentials/keep', undefined, { token: by })

const codeOf = async (appPassword: string) =>
  (await site.get('/api/me/sshkey/list', { token: appPassword })).code

async function linesOfSshd(): Promise<number> {
  const call = { token: `Bearer ${service}` }
  const answer = await site.fetch('GET', '/api/sftp/authorized_keys?username=alice', call)
  return (await answer.text()).split('\n').length - 1
}

describe('what an app password or an SSH key was made with', () => {
  test('is what the session has shown until then', async () => {
    await makeToken('early', ['account:write'])
    await addKey('early')
    await site.enrol(token)
    await makeToken('late', ['account:write'])
    await addKey('late')
    expect(await madeWith()).toEqual({
      tokens: [
        ['early', 'pwd'],
        ['late', 'pwd otp'],
      ],
      keys: [
        ['early', 'pwd'],
        ['late', 'pwd otp'],
      ],
    })
  })

  test('is handed down from an app password to the key that it adds', async () => {
    await addKey('by weak', await makeToken('weak', ['account:write']))
    await site.enrol(token)
    await addKey('by strong', await makeToken('strong', ['account:write']))
    expect((await madeWith()).keys).toEqual([
      ['by weak', 'pwd'],
      ['by strong', 'pwd otp'],
    ])
  })

  test('is the decision of the operator on the command line', async () => {
    await addAppPassword(site, alice, ['account:read'])
    await addKeyTo(site.deps, of(COMMAND_LINE, alice), 'server', newKey().line)
    expect(await madeWith()).toEqual({
      tokens: [['account:read', 'operator']],
      keys: [['server', 'operator']],
    })
  })
})

describe('while a second factor is demanded', () => {
  test('an app password that a password alone has made says what is missing', async () => {
    const weak = await makeToken('weak', ['account:read', 'account:write'])
    await demand()
    expect(await site.get('/api/me', { token: weak })).toEqual({
      code: 403,
      message:
        'This site requires a second factor, and this app password was made without one: its owner can keep it',
      data: null,
    })
    expect(await addKey('more', weak)).toMatchObject({ code: 403 })
    expect((await madeWith()).keys).toEqual([])
    await site.db.update(settings).set({ value: 'admins' })
    expect(await codeOf(weak)).toBe(200)
  })

  test.each(['off', 'admins'])('it does not lower the demand to %s', async (value) => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const weak = await makeToken('weak', ['admin'], admin)
    await demand()
    const wish = [{ key: 'require_second_factor', value }]
    const saved = await site.post('/api/admin/setting/save', wish, { token: weak })
    expect(saved).toMatchObject({ code: 403 })
    const reset = { key: 'require_second_factor' }
    expect(
      await site.post(`/api/admin/setting/default?key=${reset.key}`, undefined, { token: weak }),
    ).not.toMatchObject({ code: 200 })
    expect(await site.db.select().from(settings)).toMatchObject([{ value: 'everybody' }])
  })

  test('a role that is demanded of closes what its user has made before', async () => {
    const weak = await makeToken('weak', ['account:read'])
    await demand('admins')
    expect(await codeOf(weak)).toBe(200)
    await site.db.run(`update users set role = 2 where id = ${alice}`)
    expect(await codeOf(weak)).toBe(403)
  })

  test('its owner keeps it with one action, in a fresh session with a second factor', async () => {
    const weak = await makeToken('weak', ['account:read'])
    await addKey('weak')
    await addAppPassword(site, ADMIN, ['account:read'], { name: 'of admin', amr: 'pwd' })
    await demand()
    expect([await codeOf(weak), await linesOfSshd()]).toEqual([403, 0])
    expect(await keep(token)).toMatchObject({ code: 403 })
    expect(await keep(weak)).toMatchObject({ code: 403 })
    await site.enrol(token)
    site.now += HOUR
    expect(await keep(token)).toMatchObject({
      code: 403,
      message: 'Sign in again or confirm to do this',
    })
    site.now -= HOUR
    expect(await keep(token)).toEqual({
      code: 200,
      message: 'success',
      data: { app_passwords: 1, ssh_keys: 1 },
    })
    expect([await codeOf(weak), await linesOfSshd()]).toEqual([200, 1])
    expect(await keep(token)).toMatchObject({ data: { app_passwords: 0, ssh_keys: 0 } })
    expect(await madeWith()).toEqual({
      tokens: [
        ['weak', 'pwd otp'],
        ['of admin', 'pwd'],
      ],
      keys: [['weak', 'pwd otp']],
    })
    const events = await site.db.select().from(auditEvents).where(eq(auditEvents.detail, 'weak'))
    expect(events.map(({ kind, userId }) => [kind, userId])).toEqual([
      ['token_created', alice],
      ['key_added', alice],
      ['token_kept', alice],
      ['key_kept', alice],
    ])
  })

  test('lists say so', async () => {
    await makeToken('weak', ['account:read'])
    await site.enrol(token)
    const listed = async () =>
      (await site.get('/api/me/tokens', { token })).data.content[0].lacks_second_factor
    expect(await listed()).toBe(false)
    await demand()
    expect(await listed()).toBe(true)
    expect((await keep(token)).code).toBe(200)
    expect(await listed()).toBe(false)
  })
})

test('a session that has shown no second factor keeps nothing, demanded or not', async () => {
  await makeToken('weak', ['account:read'])
  expect(await keep(token)).toMatchObject({
    code: 403,
    message: 'Sign in or confirm with a second factor to keep them',
  })
  expect((await madeWith()).tokens).toEqual([['weak', 'pwd']])
})

async function visit(): Promise<Visitor> {
  await makeToken('weak', ['account:read'])
  await addKey('weak')
  await site.enrol(token)
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  return visitor
}

describe('the pages', () => {
  const note = '1 app password and 1 SSH key are closed'

  test('say what is closed, and keep it', async () => {
    const visitor = await visit()
    const pages = ['/account', '/account/keys', '/account/app-passwords', '/account/security']
    for (const page of pages) expect((await visitor.get(page)).html).not.toContain(note)
    await demand()
    for (const page of pages) expect((await visitor.get(page)).html, page).toContain(note)
    const { location } = await visitor.post('/account/security/keep', {})
    expect(location).toBe('/account/security?done=credentials-kept')
    for (const page of pages) expect((await visitor.get(page)).html).not.toContain(note)
    expect((await site.db.select().from(sessions)).length).toBeGreaterThan(0)
  })

  test('that set the demand say what it closes', async () => {
    await visit()
    await addAppPassword(site, ADMIN, ['account:read'], { name: 'of admin', amr: '' })
    const admin = new Visitor(site)
    admin.cookies.set('session', await site.token('admin', ADMIN_PASSWORD))
    const { html } = await admin.get('/account/admin/settings/accounts')
    expect(html).toContain('“Administrators” stops 1 app password.')
    expect(html).toContain('“Everybody” stops 2 app passwords, 1 SSH key.')
  })
})
