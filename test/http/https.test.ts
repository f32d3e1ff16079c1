import { describe, expect, test } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'

const signIn = { body: { username: 'admin', password: 'admin-Passw0rd' } }
const HTTP = 'http://accounts.example.org'

describe.each([
  ['missing', undefined],
  ['not "true"', '1'],
])('a Worker whose ALLOW_HTTP is %s', (_, allowHttp) => {
  const site = new CheapSite({}, { ALLOW_HTTP: allowHttp })

  test('refuses the interface over http before anything is looked up', async () => {
    const envelope = { code: 403, message: 'https is required', data: null }
    for (const [method, path] of [
      ['POST', '/api/auth/login'],
      ['GET', '/api/me'],
      ['GET', '/api/public/settings'],
      ['GET', '/api/nowhere'],
      ['GET', '/api'],
    ] as const) {
      const call = method === 'POST' ? signIn : {}
      expect(await site.call(method, `${HTTP}${path}`, call)).toEqual(envelope)
      expect(site.meter.roundTrips).toBe(0)
    }
  })

  test('refuses servers with the status', async () => {
    const response = await site.fetch('GET', `${HTTP}/api/sftp/authorized_keys?username=a`)
    expect(response.status).toBe(403)
  })

  test('sends browsers to the same page over https', async () => {
    for (const path of ['/', '/account', '/account/sign-in?next=%2F', '/docs', '/robots.txt']) {
      const response = await site.fetch('GET', `http://accounts.example.org:8080${path}`)
      expect(response.status).toBe(308)
      expect(response.headers.get('Location')).toBe(`https://accounts.example.org${path}`)
      expect(response.headers.get('Set-Cookie')).toBeNull()
    }
  })

  test('believes no header that says otherwise', async () => {
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Latchkey-Scheme': 'https' }
    expect(await site.call('GET', `${HTTP}/api/me`, { headers })).toMatchObject({ code: 403 })
  })

  test('answers /ping, which holds no secret', async () => {
    const response = await site.fetch('GET', `${HTTP}/ping`)
    expect(await response.text()).toBe('pong')
  })

  test('answers over https as ever', async () => {
    await site.addFirstUsers()
    const url = 'https://accounts.example.org/api/auth/login'
    expect(await site.call('POST', url, signIn)).toMatchObject({ code: 200 })
  })
})

test('a Worker that runs on one machine answers over http', async () => {
  const site = new CheapSite({}, { ALLOW_HTTP: 'true' })
  await site.addFirstUsers()
  expect(await site.call('POST', `${HTTP}/api/auth/login`, signIn)).toMatchObject({ code: 200 })
})
