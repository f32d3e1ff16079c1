import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { SETTING_KEYS } from '../../src/capabilities/settings/defaults.ts'
import { phoneCode } from '../support/authenticator.ts'
import { Client } from '../support/client.ts'
import { ServedWorker } from '../support/served-worker.ts'

const PASSWORD = 'admin-Passw0rd'
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const KEY_FINGERPRINT = 'SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA'
const done = { code: 200, message: 'success', data: null }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)

let worker: ServedWorker

beforeAll(async () => {
  worker = await ServedWorker.start(inject('workerFolder'))
  await worker.setUp(PASSWORD)
})
afterAll(() => worker.stop())

async function signIn(password = PASSWORD, code = ''): Promise<string> {
  const body = { username: 'admin', password, otp_code: code }
  const { data, message } = await worker.call('POST', '/api/auth/login', { body })
  if (data === null) throw new Error(message)
  return data.token
}

describe('the built Worker', () => {
  test('answers ping and the public settings', async () => {
    const pong = await worker.fetch('/ping')
    expect([pong.status, await pong.text()]).toEqual([200, 'pong'])
    const { code, data } = await worker.call('GET', '/api/public/settings')
    expect(code).toBe(200)
    expect(Object.keys(data)).toHaveLength(SETTING_KEYS.length)
  })

  test('signs in on both routes and shows who is signed in', async () => {
    const plain = await signIn()
    const body = { username: 'admin', password: await staticDigest(PASSWORD) }
    const hashed = await worker.call('POST', '/api/auth/login/hash', { body })
    for (const token of [plain, hashed.data.token]) {
      expect(await worker.call('GET', '/api/me', { token })).toEqual({
        code: 200,
        message: 'success',
        data: {
          id: 1,
          username: 'admin',
          password: '',
          base_path: '/',
          role: 2,
          disabled: false,
          permission: 29183,
          sso_id: '',
          otp: false,
        },
      })
    }
  })

  test('refuses what docs/interface.md says it refuses', async () => {
    const login = (body: unknown) => worker.call('POST', '/api/auth/login', { body })
    expect(await login({ username: 'admin', password: 'wrong' })).toMatchObject({
      code: 401,
      message: 'Invalid username or password',
    })
    expect(await login({ password: 'x' })).toMatchObject({
      code: 400,
      message: 'username is required',
    })
    expect(await worker.call('GET', '/api/me')).toMatchObject({
      code: 401,
      message: 'Guest user is disabled, login please',
    })
    expect(await worker.call('GET', '/api/me', { token: 'x' })).toMatchObject({
      code: 401,
      message: 'token is invalidated',
    })
    expect(await worker.call('GET', '/api/nope')).toMatchObject({ code: 404 })
    expect(await worker.call('GET', '/api/auth/login')).toMatchObject({ code: 405 })
    // On a connection of its own, which workerd closes because it has not read the body.
    const once = new Client(worker.url.href, { Connection: 'close' })
    expect(await once.signIn('admin', 'x'.repeat(70_000))).toMatchObject({
      code: 413,
      message: 'request body too large',
    })
  })

  test('keeps SSH keys', async () => {
    const token = await signIn()
    const add = (title: string, key: string) =>
      worker.call('POST', '/api/me/sshkey/add', { token, body: { title, key } })
    expect(await add('laptop', KEY)).toEqual(done)
    expect(await add('laptop', KEY)).toMatchObject({
      code: 409,
      message: 'key with the same title already exists',
    })
    expect(await add('desk', KEY)).toMatchObject({
      code: 409,
      message: 'key already exists as "laptop"',
    })
    expect(await add('desk', 'hello')).toMatchObject({
      code: 400,
      message: expect.stringMatching(/^provided key invalid: /),
    })
    expect(await add('', KEY)).toMatchObject({ code: 400, message: 'request invalid' })
    const { data } = await worker.call('GET', '/api/me/sshkey/list', { token })
    const [key] = data.content
    expect(data).toEqual({
      content: [
        {
          id: expect.any(Number),
          title: 'laptop',
          fingerprint: KEY_FINGERPRINT,
          added_time: time,
          last_used_time: key.added_time,
        },
      ],
      total: 1,
    })
    const remove = (id: string) => worker.call('POST', `/api/me/sshkey/delete?id=${id}`, { token })
    expect(await remove('x')).toMatchObject({ code: 400, message: 'id format invalid' })
    expect(await remove(key.id)).toEqual(done)
    expect(await remove(key.id)).toMatchObject({ code: 404, message: 'failed to get public key' })
  })

  test('ends a session at logout, and only that one', async () => {
    const [token, other] = [await signIn(), await signIn()]
    expect(await worker.call('GET', '/api/auth/logout', { token })).toEqual(done)
    expect(await worker.call('GET', '/api/me', { token })).toMatchObject({
      code: 401,
      message: 'token is invalidated',
    })
    expect(await worker.call('GET', '/api/me', { token: other })).toMatchObject({ code: 200 })
    expect(await worker.call('GET', '/api/auth/logout', { token })).toEqual(done)
  })

  test('asks for a code after an authenticator was enrolled', async () => {
    const token = await signIn()
    const { data } = await worker.call('POST', '/api/auth/2fa/generate', { token })
    const { secret, qr } = data
    expect(qr).toMatch(/^data:image\/png;base64,iVBORw0KGgo/)
    const verify = (code: string) =>
      worker.call('POST', '/api/auth/2fa/verify', { token, body: { code, secret } })
    expect(await verify('000000')).toMatchObject({ code: 400, message: 'Invalid 2FA code' })
    expect(await verify(phoneCode(secret))).toEqual(done)
    const needsCode = { username: 'admin', password: PASSWORD }
    expect(await worker.call('POST', '/api/auth/login', { body: needsCode })).toMatchObject({
      code: 402,
      message: 'Invalid 2FA code',
    })
    const signedIn = await signIn(PASSWORD, phoneCode(secret, Date.now(), 1))
    expect(await worker.call('GET', '/api/me', { token: signedIn })).toMatchObject({
      data: { otp: true },
    })
  })
})

describe('a restart', () => {
  test('keeps tokens, and a password change ends them', async () => {
    const stateFolder = mkdtempSync(join(tmpdir(), 'latchkey-state-'))
    try {
      const first = await ServedWorker.start(inject('workerFolder'), { stateFolder })
      await first.setUp(PASSWORD)
      const body = { username: 'admin', password: PASSWORD }
      const { token } = (await first.call('POST', '/api/auth/login', { body })).data
      await first.stop()

      const second = await ServedWorker.start(inject('workerFolder'), { stateFolder })
      expect(await second.call('GET', '/api/me', { token })).toMatchObject({ code: 200 })
      const change = { username: 'admin', password: 'another-Passw0rd' }
      expect(await second.call('POST', '/api/me/update', { token, body: change })).toEqual(done)
      expect(await second.call('GET', '/api/me', { token })).toEqual({
        code: 401,
        message: 'Password has been changed, login please',
        data: null,
      })
      expect(await second.call('POST', '/api/auth/login', { body })).toMatchObject({ code: 401 })
      expect(await second.call('POST', '/api/auth/login', { body: change })).toMatchObject({
        code: 200,
      })
      await second.stop()
    } finally {
      rmSync(stateFolder, { recursive: true })
    }
  })
})

describe('a service without a usable secret', () => {
  // test/http/failures.test.ts has more of them.
  test('signs nothing, and says so in its log', async () => {
    const broken = await ServedWorker.start(inject('workerFolder'), { secretKeys: 'short' })
    await broken.setUp(PASSWORD)
    const body = { username: 'admin', password: PASSWORD }
    expect(await broken.call('POST', '/api/auth/login', { body })).toEqual({
      code: 500,
      message: 'internal error',
      data: null,
    })
    expect(broken.log.join()).toMatch(/SECRET_KEYS.*`npm run secrets`/)
    await broken.stop()
  })
})
