import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, serviceTokens, users } from '../../schema/tables.ts'
import { addServiceToken, deleteServiceToken } from '../../src/tokens/service-tokens.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'

const BLOB = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD'
const FINGERPRINT = 'SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA'
const PASSWORD = 'alice-Passw0rd'
const READ = 1 << 10
const WRITE = 1 << 11
const wrongToken = { code: 401, message: 'service token is missing or wrong', data: null }

let site: CheapSite
let alice: string
let service: string

beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD, permission: READ | WRITE })
  alice = await site.token('alice', PASSWORD)
  await site.post(
    '/api/me/sshkey/add',
    { title: 'laptop', key: `${BLOB} alice@laptop` },
    { token: alice },
  )
  service = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
})

async function setAlice(columns: Partial<typeof users.$inferInsert>) {
  await site.db.update(users).set(columns).where(eq(users.username, 'alice'))
}

async function keys(query: Record<string, string>, token = `Bearer ${service}`) {
  const response = await site.fetch(
    'GET',
    `/api/sftp/authorized_keys?${new URLSearchParams(query).toString()}`,
    { token },
  )
  return {
    status: response.status,
    type: response.headers.get('Content-Type'),
    text: await response.text(),
  }
}

describe('GET /api/sftp/authorized_keys', () => {
  test('gives the line of the key that is offered, without its comment', async () => {
    expect(await keys({ username: 'alice', fingerprint: FINGERPRINT })).toEqual({
      status: 200,
      type: 'text/plain;charset=UTF-8',
      text: `restrict,command="internal-sftp" ${BLOB}\n`,
    })
    expect((await keys({ username: 'alice' })).text).toBe(
      `restrict,command="internal-sftp" ${BLOB}\n`,
    )
  })

  test('gives a reader a server that can not write', async () => {
    await setAlice({ permission: READ })
    expect((await keys({ username: 'alice' })).text).toBe(
      `restrict,command="internal-sftp -R" ${BLOB}\n`,
    )
  })

  test('answers alike for everybody who may not sign in', async () => {
    await site.addUser('keyless', { permission: READ })
    const empty = { status: 200, type: 'text/plain;charset=UTF-8', text: '' }
    for (const username of ['nobody', 'keyless', 'Alice', 'guest'])
      expect(await keys({ username })).toEqual(empty)
    expect(await keys({ username: 'alice', fingerprint: 'SHA256:other' })).toEqual(empty)
    await setAlice({ disabled: true })
    expect(await keys({ username: 'alice' })).toEqual(empty)
    await setAlice({ disabled: false, permission: WRITE })
    expect(await keys({ username: 'alice' })).toEqual(empty)
  })

  test('takes one round trip', async () => {
    await keys({ username: 'alice', fingerprint: FINGERPRINT })
    expect(site.meter.roundTrips).toBe(1)
  })

  test('is for servers alone, and tells them so by the HTTP status', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    for (const token of ['', 'Bearer', 'wrong', alice, admin, `${service}x`]) {
      const answer = await keys({ username: 'alice' }, token)
      expect(answer.status, token).toBe(401)
      expect(JSON.parse(answer.text)).toEqual(wrongToken)
    }
    await deleteServiceToken(site.deps, 'files')
    expect((await keys({ username: 'alice' })).status).toBe(401)
    expect((await keys({})).status).toBe(400)
  })
})

describe('a service token', () => {
  test('is stored as a hash, and its coming and going is remembered', async () => {
    expect(await addServiceToken(site.deps, 'files', 'sftp')).toBeUndefined()
    expect(service).toMatch(/^latchkey_[\w-]{43}$/)
    expect(JSON.stringify(await site.db.select().from(serviceTokens))).not.toContain(
      service.slice(9),
    )
    expect(await deleteServiceToken(site.deps, 'files')).toBe(true)
    expect(await deleteServiceToken(site.deps, 'files')).toBe(false)
    const events = await site.db.select().from(auditEvents)
    expect(events.map(({ kind, detail }) => `${kind} ${detail}`).slice(-2)).toEqual([
      'service_token_made files',
      'service_token_ended files',
    ])
  })
})

describe('POST /api/sftp/used', () => {
  const use = { username: 'alice', fingerprint: FINGERPRINT, address: '2001:db8::1' }

  test('moves the time of the last use, and remembers from where', async () => {
    site.now += MINUTE
    expect(await site.post('/api/sftp/used', use, { token: service })).toEqual({
      code: 200,
      message: 'success',
      data: null,
    })
    const { data } = await site.get('/api/me/sshkey/list', { token: alice })
    expect(data.content[0]).toMatchObject({
      added_time: '2026-11-21T09:15:06.565+00:00',
      last_used_time: '2026-11-21T09:16:06.565+00:00',
    })
    const { data: events } = await site.get('/api/me/events', { token: alice })
    expect(events.content[0]).toMatchObject({
      kind: 'key_used',
      detail: 'laptop',
      network: '2001:db8:0:0::/64',
    })
  })

  test('changes nothing without a token, or for a key the user has not got', async () => {
    const responses = [
      await site.fetch('POST', '/api/sftp/used', { body: use }),
      await site.fetch('POST', '/api/sftp/used', {
        body: { ...use, username: 'admin' },
        token: service,
      }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([401, 404])
    const { data } = await site.get('/api/me/sshkey/list', { token: alice })
    expect(data.content[0].last_used_time).toBe(data.content[0].added_time)
  })
})

async function ask(body: Record<string, string>, token = service) {
  const attempt = { username: 'alice', ip: '198.51.100.7', protocol: 'SSH', ...body }
  const response = await site.fetch('POST', '/api/sftp/external_auth', { body: attempt, token })
  return { status: response.status, body: await response.json() }
}
const refused = { status: 200, body: { username: '' } }
const welcome = (...permissions: string[]) => ({
  status: 200,
  body: { status: 1, username: 'alice', permissions: { '/': permissions } },
})

describe('POST /api/sftp/external_auth', () => {
  test('lets a key in, with what its user may do', async () => {
    expect(await ask({ public_key: BLOB })).toEqual(welcome('*'))
    await setAlice({ permission: READ })
    expect(await ask({ public_key: BLOB })).toEqual(welcome('list', 'download'))
    await setAlice({ permission: 0 })
    expect(await ask({ public_key: BLOB })).toEqual(refused)
  })

  test('lets a password in, by the bits of the protocol', async () => {
    expect(await ask({ password: PASSWORD })).toEqual(welcome('*'))
    expect(await ask({ password: PASSWORD, protocol: 'FTP' })).toEqual(welcome('*'))
    expect(await ask({ password: PASSWORD, protocol: 'DAV' })).toEqual(refused)
    expect(await ask({ password: PASSWORD, protocol: 'HTTP' })).toEqual(refused)
    await setAlice({ permission: 1 << 8 })
    expect(await ask({ password: PASSWORD, protocol: 'DAV' })).toEqual(welcome('list', 'download'))
  })

  test('refuses wrong proof, and a password that would go round the second factor', async () => {
    for (const body of [
      { password: 'wrong' },
      { password: '' },
      { public_key: 'nonsense' },
      { username: 'nobody', password: 'x' },
    ]) {
      expect(await ask(body)).toEqual(refused)
    }
    await site.enrol(alice)
    expect(await ask({ password: PASSWORD })).toEqual(refused)
    expect(await ask({ public_key: BLOB })).toEqual(welcome('*'))
  })

  test('counts wrong passwords by the address of the visitor', async () => {
    for (let i = 0; i < 5; i++) await ask({ password: 'wrong' })
    expect(await ask({ password: PASSWORD })).toEqual(refused)
    expect(await ask({ password: PASSWORD, ip: '198.51.100.8' })).toEqual(welcome('*'))
  })

  test('takes basic authentication, which is all that SFTPGo can send', async () => {
    expect(await ask({ public_key: BLOB }, `Basic ${btoa(`sftpgo:${service}`)}`)).toEqual(
      welcome('*'),
    )
    expect(await ask({ public_key: BLOB }, `Basic ${btoa('sftpgo:wrong')}`)).toEqual({
      status: 401,
      body: wrongToken,
    })
    expect(await ask({ password: PASSWORD }, 'wrong')).toEqual({ status: 401, body: wrongToken })
  })

  test('refuses names that would lead out of a folder', async () => {
    await site.addUser('../alice', { password: PASSWORD, permission: READ })
    expect(await ask({ username: '../alice', password: PASSWORD })).toEqual(refused)
  })
})

describe('/api/admin/user/sshkey', () => {
  test('shows and removes the keys of any user, for an admin alone', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const list = '/api/admin/user/sshkey/list?uid=3'
    const { data } = await site.get(list, { token: admin })
    expect(data).toEqual((await site.get('/api/me/sshkey/list', { token: alice })).data)
    const [{ id }] = data.content
    const remove = `/api/admin/user/sshkey/delete?uid=3&id=${id}`
    for (const path of [list])
      expect(await site.get(path, { token: alice })).toMatchObject({
        code: 403,
        message: 'You are not an admin',
      })
    expect(await site.post(remove, undefined, { token: alice })).toMatchObject({ code: 403 })
    expect(
      await site.post(remove.replace('uid=3', 'uid=1'), undefined, { token: admin }),
    ).toMatchObject({ code: 404 })
    expect((await site.get('/api/me/sshkey/list', { token: alice })).data.total).toBe(1)
    expect(await site.post(remove, undefined, { token: admin })).toEqual({
      code: 200,
      message: 'success',
      data: null,
    })
    expect((await site.get('/api/me/sshkey/list', { token: alice })).data.total).toBe(0)
    expect(await site.post(remove, undefined, { token: admin })).toMatchObject({ code: 404 })
  })

  test('says what is wrong with an id', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const codes = async (...queries: string[]) =>
      Promise.all(
        queries.map(async (query) =>
          site.get(`/api/admin/user/sshkey/list${query}`, { token: admin }),
        ),
      )
    for (const answer of await codes('', '?uid=', '?uid=abc')) {
      expect(answer).toEqual({ code: 400, message: 'user id format invalid', data: null })
    }
    for (const answer of await codes('?uid=0', '?uid=99999')) {
      expect(answer).toEqual({ code: 404, message: 'user invalid', data: null })
    }
  })
})
