import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, serviceTokens, sshKeys, users } from '../../schema/tables.ts'
import { addServiceToken, deleteServiceToken } from '../../src/core/access/service-tokens.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
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

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD, permission: READ | WRITE })
  const token = await arranged.token('alice', PASSWORD)
  const key = { title: 'laptop', key: `${BLOB} alice@laptop` }
  await arranged.post('/api/me/sshkey/add', key, { token })
  return { token, server: (await addServiceToken(arranged.deps, 'files', 'sftp')) ?? '' }
})

beforeEach(async () => {
  site = new CheapSite()
  const { token, server } = await arrange(site)
  alice = token
  service = server
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

  describe.each([
    ['sftp:keys', { keys: 200, passwords: 401 }],
    ['sftp:passwords', { keys: 401, passwords: 200 }],
    ['sftp', { keys: 200, passwords: 200 }],
  ] as const)('with the scope %s', (scope, codes) => {
    let limited: string

    beforeEach(async () => {
      limited = (await addServiceToken(site.deps, 'limited', scope)) ?? ''
    })

    test('asks for keys or not', async () => {
      const use = { username: 'alice', fingerprint: FINGERPRINT, address: '192.0.2.1' }
      const used = await site.fetch('POST', '/api/sftp/used', { body: use, token: limited })
      const signedIn = await site.fetch(
        'POST',
        '/api/sftp/post_login?login_method=publickey&status=1&ip=192.0.2.1',
        { body: { username: 'alice', public_keys: [BLOB] }, token: limited },
      )
      expect([
        (await keys({ username: 'alice' }, limited)).status,
        used.status,
        signedIn.status,
        (await ask({ public_key: BLOB }, limited)).status,
      ]).toEqual(Array(4).fill(codes.keys))
    })

    test('tests passwords or not, and its refusal costs no hash', async () => {
      const right = await ask({ password: PASSWORD }, limited)
      const wrong = await ask({ password: 'wrong' }, limited)
      expect([right.status, wrong.status]).toEqual([codes.passwords, codes.passwords])
      const { data } = await site.get('/api/me/events', { token: alice })
      const kinds = data.content.map(({ kind }: { kind: string }) => kind)
      expect(kinds.includes('sign_in_refused')).toBe(codes.passwords === 200)
    })
  })

  test('made before there were two scopes keeps both', async () => {
    const migration = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith('0003'))
    await site.db.update(serviceTokens).set({ scope: 'sftp' })
    expect((await keys({ username: 'alice' })).status).toBe(401)
    for (const query of migration?.queries ?? []) await env.DB.prepare(query).run()
    expect(await site.db.select({ scope: serviceTokens.scope }).from(serviceTokens)).toEqual([
      { scope: 'sftp:keys sftp:passwords' },
    ])
    expect((await keys({ username: 'alice' })).status).toBe(200)
    expect((await ask({ password: PASSWORD })).status).toBe(200)
  })

  test('has no scope that is only part of a word', async () => {
    for (const scope of ['', 'sftp', 'sftp:key', 'sftp:keys2', 'xsftp:keys', 'sftp:passwords']) {
      await site.db.update(serviceTokens).set({ scope })
      expect((await keys({ username: 'alice' })).status, scope).toBe(401)
    }
    await site.db.update(serviceTokens).set({ scope: 'introspect sftp:keys' })
    expect((await keys({ username: 'alice' })).status).toBe(200)
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
    const [key] = await site.db.select().from(sshKeys)
    expect(key?.lastUsedNetwork).toBe('2001:db8:0:0::/64')
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

interface ExternalAnswer {
  username: string
  filters?: object
  public_keys?: string[]
}

async function ask(body: Record<string, unknown>, token = service) {
  const attempt = { username: 'alice', ip: '198.51.100.7', protocol: 'SSH', ...body }
  const response = await site.fetch('POST', '/api/sftp/external_auth', { body: attempt, token })
  const answer: ExternalAnswer = await response.json()
  return { status: response.status, body: answer }
}
const refused = { status: 200, body: { username: '' } }
const DENIED = ['keyboard-interactive', 'publickey+keyboard-interactive', 'publickey+password']

/** The answer for a key. */
const welcome = (...permissions: string[]) => ({
  status: 200,
  body: {
    status: 1,
    username: 'alice',
    permissions: { '/': permissions },
    filters: { denied_login_methods: DENIED },
  },
})

/** The answer for a password of somebody who may use SFTP and FTP. */
const remembered = (...permissions: string[]) => ({
  status: 200,
  body: {
    ...welcome(...permissions).body,
    public_keys: [BLOB],
    filters: {
      denied_login_methods: DENIED,
      denied_protocols: ['DAV', 'HTTP'],
      external_auth_cache_time: 60,
    },
  },
})

/** What SFTPGo keeps after a password over WebDAV, by the permission of alice. */
async function rememberedOfWebdav(permission: number) {
  await setAlice({ permission })
  const { body } = await ask({ password: PASSWORD, protocol: 'DAV' })
  return { ...body.filters, keys: body.public_keys }
}

/** The networks of the accepted passwords that were remembered. */
async function serviceSignIns() {
  const all = await site.db.select().from(auditEvents)
  return all.filter(({ kind }) => kind === 'service_sign_in').map(({ network }) => network)
}

describe('POST /api/sftp/external_auth', () => {
  test('lets a key in, with what its user may do', async () => {
    expect(await ask({ public_key: BLOB })).toEqual(welcome('*'))
    await setAlice({ permission: READ })
    expect(await ask({ public_key: BLOB })).toEqual(welcome('list', 'download'))
    await setAlice({ permission: 0 })
    expect(await ask({ public_key: BLOB })).toEqual(refused)
  })

  test('lets a password in, by the bits of the protocol', async () => {
    expect(await ask({ password: PASSWORD })).toEqual(remembered('*'))
    expect(await ask({ password: PASSWORD, protocol: 'FTP' })).toEqual(remembered('*'))
    expect(await ask({ password: PASSWORD, protocol: 'DAV' })).toEqual(refused)
    expect(await ask({ password: PASSWORD, protocol: 'HTTP' })).toEqual(refused)
    await setAlice({ permission: 1 << 8 })
    expect(await ask({ password: PASSWORD, protocol: 'DAV' })).toMatchObject({
      body: { status: 1, permissions: { '/': ['list', 'download'] } },
    })
  })

  // SFTPGo keeps one record of a user for all protocols, and goes by it for that minute.
  test('lets a password of one protocol open no other for the minute it is remembered', async () => {
    const [davRead, davWrite] = [1 << 8, 1 << 9]
    expect(await rememberedOfWebdav(davRead | davWrite)).toEqual({
      denied_login_methods: DENIED,
      denied_protocols: ['SSH', 'FTP', 'HTTP'],
      external_auth_cache_time: 60,
      keys: [],
    })
    expect(await rememberedOfWebdav(davRead | davWrite | READ | WRITE)).toMatchObject({
      denied_protocols: ['HTTP'],
      external_auth_cache_time: 60,
      keys: [BLOB],
    })
    expect(await rememberedOfWebdav(davRead | davWrite | READ)).toMatchObject({
      external_auth_cache_time: 0,
    })
    expect(await rememberedOfWebdav(davRead | READ | WRITE)).toMatchObject({
      external_auth_cache_time: 0,
    })
  })

  test('counts no key as used that was only offered', async () => {
    expect(await ask({ public_key: BLOB })).toMatchObject({ status: 200 })
    const [key] = await site.db.select().from(sshKeys)
    expect([key?.lastUsedAt, key?.lastUsedNetwork]).toEqual([key?.addedAt, ''])
  })

  test('lists no more keys beside a password than SFTPGo can send back', async () => {
    const line = `ssh-rsa ${'A'.repeat(700)}`
    const rows = Array.from({ length: 99 }, (_, n) => ({
      userId: 3,
      title: `key ${n}`,
      fingerprint: `SHA256:${n}`,
      type: 'ssh-rsa',
      bits: 4096,
      line: `${line}${n} comment`,
      addedAt: site.now,
      lastUsedAt: site.now + n,
    }))
    for (const row of rows) await site.db.insert(sshKeys).values(row)
    const { body } = await ask({ password: PASSWORD })
    const { public_keys: listed = [] } = body
    expect(listed.slice(0, 2)).toEqual([`${line}98`, `${line}97`])
    expect(listed.length).toBeGreaterThan(40)
    expect(listed.join('').length).toBeLessThan(32 * 1024)
    const user = { ...body, password: '$2a$10$'.padEnd(60, 'x') }
    expect(await ask({ password: PASSWORD, user })).toEqual({ status: 200, body })
  })

  describe('with a password that was right less than a minute ago', () => {
    test('writes no second event for the same network', async () => {
      await ask({ password: PASSWORD })
      site.now += MINUTE - 1
      for (const protocol of ['SSH', 'FTP']) await ask({ password: PASSWORD, protocol })
      expect(await serviceSignIns()).toEqual(['198.51.100.7'])
      site.now += 1
      await ask({ password: PASSWORD })
      expect(await serviceSignIns()).toEqual(['198.51.100.7', '198.51.100.7'])
      await ask({ password: PASSWORD, ip: '198.51.100.8' })
      expect((await serviceSignIns()).at(-1)).toBe('198.51.100.8')
    })

    test('remembers what is refused meanwhile, each time', async () => {
      await ask({ password: PASSWORD })
      await setAlice({ permission: 0 })
      for (let n = 0; n < 2; n++) expect(await ask({ password: PASSWORD })).toEqual(refused)
      await ask({ password: 'wrong' })
      const all = await site.db.select().from(auditEvents)
      const refusals = all.filter(({ kind }) => kind === 'sign_in_refused')
      expect(refusals.map(({ detail }) => detail)).toEqual([
        'permission',
        'permission',
        'credentials',
      ])
    })

    test('does not use up what a network may ask', async () => {
      const asked: string[] = []
      site = new CheapSite({
        limitSignIns: async (network) => {
          asked.push(network)
          return asked.length < 4
        },
      })
      for (let n = 0; n < 5; n++) expect(await ask({ password: PASSWORD })).toEqual(remembered('*'))
      expect(asked).toEqual(['198.51.100.7'])
      await ask({ password: PASSWORD, ip: '198.51.100.8' })
      await ask({ username: 'nobody', password: PASSWORD })
      expect(asked).toEqual(['198.51.100.7', '198.51.100.8', '198.51.100.7'])
      site.now += MINUTE
      expect(await ask({ password: PASSWORD })).toEqual(refused)
    })
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
    expect(await ask({ password: PASSWORD, ip: '198.51.100.8' })).toEqual(remembered('*'))
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

async function postLogin(
  { method = 'publickey', status = '1', token = service } = {},
  user: object = {},
) {
  const query = new URLSearchParams({ login_method: method, ip: '2001:db8::1', protocol: 'SSH' })
  query.set('status', status)
  const body = { id: 1, username: 'alice', public_keys: [BLOB], ...user }
  const path = `/api/sftp/post_login?${query.toString()}`
  const response = await site.fetch('POST', path, { body, token })
  return { status: response.status, body: await response.json() }
}

async function lastUse(): Promise<string> {
  const { data } = await site.get('/api/me/sshkey/list', { token: alice })
  return data.content[0].last_used_time
}

describe('POST /api/sftp/post_login', () => {
  const done = { status: 200, body: { code: 200, message: 'success', data: null } }
  const before = '2026-11-21T09:15:06.565+00:00'

  beforeEach(() => {
    site.now += MINUTE
  })

  test('moves the time of the last use of the key that signed in, and remembers from where', async () => {
    expect(await postLogin({}, { public_keys: [BLOB, 'ssh-ed25519 AAAA'] })).toEqual(done)
    expect(await lastUse()).toBe('2026-11-21T09:16:06.565+00:00')
    const { data } = await site.get('/api/me/events', { token: alice })
    expect(data.content[0]).toMatchObject({
      kind: 'key_used',
      detail: 'laptop',
      network: '2001:db8:0:0::/64',
    })
  })

  test('takes basic authentication, which is all that SFTPGo can send', async () => {
    expect(await postLogin({ token: `Basic ${btoa(`sftpgo:${service}`)}` })).toEqual(done)
    expect(await lastUse()).not.toBe(before)
  })

  test('notes nothing for another method, a failure, or a user without keys', async () => {
    for (const method of ['password', 'publickey+password', 'TLSCertificate', ''])
      expect(await postLogin({ method })).toEqual(done)
    for (const status of ['0', '', '2']) expect(await postLogin({ status })).toEqual(done)
    for (const user of [{ public_keys: null }, { public_keys: [] }])
      expect(await postLogin({}, user)).toEqual(done)
    expect(await lastUse()).toBe(before)
  })

  test('notes nothing while SFTPGo goes by a list of keys and can not say which it was', async () => {
    const user = {
      public_keys: [BLOB, 'ssh-ed25519 AAAA'],
      filters: { external_auth_cache_time: 60 },
    }
    expect(await postLogin({}, user)).toEqual(done)
    expect(await lastUse()).toBe(before)
    expect(await postLogin({}, { ...user, public_keys: [BLOB] })).toEqual(done)
    expect(await lastUse()).not.toBe(before)
  })

  test('changes nothing without a token, or for a key the user has not got', async () => {
    expect(await postLogin({ token: 'wrong' })).toEqual({ status: 401, body: wrongToken })
    expect(await postLogin({ token: 'wrong', status: '0' })).toEqual({
      status: 401,
      body: wrongToken,
    })
    for (const user of [{ username: 'admin' }, { public_keys: ['nonsense'] }])
      expect(await postLogin({}, user)).toMatchObject({ status: 404 })
    expect(await lastUse()).toBe(before)
  })

  test('says what is wrong with a request', async () => {
    for (const user of [{ username: 7 }, { public_keys: 'x' }, { public_keys: [7] }])
      expect(await postLogin({}, user)).toMatchObject({ status: 400 })
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
