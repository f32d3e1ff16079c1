import { describe, expect, test } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import { ProgramTour } from '../support/program-tour.ts'
import { Site } from '../support/site.ts'
import { Tour } from '../support/tour.ts'

const unknownPath = { code: 404, message: 'no such endpoint', data: null }

const READ_PATHS = [
  '/api/me',
  '/api/me/sshkey/list',
  '/api/auth/logout',
  '/api/public/settings',
  '/api/public/archive_extensions',
]
const WRITE_PATHS = [
  '/api/auth/login',
  '/api/auth/login/hash',
  '/api/auth/2fa/generate',
  '/api/auth/2fa/verify',
  '/api/me/update',
  '/api/me/sshkey/add',
  '/api/me/sshkey/delete',
]

/** What a path of READ_PATHS allows. The GET of `logout` ends a session, and HEAD must not. */
const allowOf = (path: string) =>
  path === '/api/auth/logout' ? 'GET, OPTIONS' : 'GET, HEAD, OPTIONS'

function notAllowed(allow: string) {
  return { code: 405, message: `method not allowed, use ${allow}`, data: null }
}

describe('an unknown path', () => {
  test('is an envelope under /api, whatever the method', async () => {
    const site = new Site()
    const paths = [
      '/api',
      '/api/',
      '/api/nope',
      '/api/me/',
      '/api//me',
      '/api/ME',
      '/api/me/nope',
      '/api/me/sshkey',
      '/api/me/sshkey/list/',
      '/api/auth/login/hash/',
      '/api/public',
      '/api/public/settings.json',
      '/api/constructor',
      '/api/%',
      '/api/%ff',
      '/api/me%2fupdate',
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        expect(await site.call(method, path), `${method} ${path}`).toEqual(unknownPath)
      }
    }
  })

  test('is a page for browsers, outside the API', async () => {
    const site = new Site()
    const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const path of ['/nope', '/.dev.vars', '/accounts']) {
      const response = await site.fetch('GET', path, { headers })
      expect(response.status, path).toBe(404)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
      expect(response.headers.get('Content-Security-Policy')).toContain("style-src 'self'")
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(response.headers.get('Vary')).toBe('Accept')
      const html = await response.text()
      expect(html).toContain('<h1>Page not found</h1>')
      expect(html).toContain('href="/account"')
    }
    expect(await site.call('GET', '/api/nope', { headers })).toEqual(unknownPath)
    const posted = await site.fetch('POST', '/nope', { headers })
    expect([posted.status, await posted.text()]).toEqual([404, 'Not found\n'])
    const chinese = { ...headers, 'Accept-Language': 'zh-CN' }
    const translated = await site.fetch('GET', '/nope', { headers: chinese })
    expect(await translated.text()).toContain('<h1>页面不存在</h1>')
  })

  test('is a plain 404 elsewhere', async () => {
    for (const path of ['/nope', '/ping/', '/apis/me', '//api/me', '/.dev.vars']) {
      const response = await new Site().fetch('GET', path)
      expect(response.status, path).toBe(404)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/)
      expect(await response.text()).toBe('Not found\n')
    }
  })
})

describe('a wrong method', () => {
  test.each(READ_PATHS)('is an envelope with Allow at %s', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await new Site().fetch(method, path)
      expect(response.status, method).toBe(200)
      expect(response.headers.get('Allow')).toBe(allowOf(path))
      expect(await response.json()).toEqual(notAllowed(allowOf(path)))
    }
  })

  test.each(WRITE_PATHS)('is an envelope with Allow at %s', async (path) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await new Site().fetch(method, path)
      expect(response.status, method).toBe(200)
      expect(response.headers.get('Allow')).toBe('POST, OPTIONS')
      expect(await response.json()).toEqual(notAllowed('POST, OPTIONS'))
    }
  })

  test('ends no session and deletes no key', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    await site.post('/api/auth/logout', undefined, { token })
    await site.get('/api/me/sshkey/delete?id=1', { token })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })
})

describe('HEAD', () => {
  test('has the headers of GET and no body', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    for (const path of [
      '/api/me',
      '/api/public/settings',
      '/robots.txt',
      '/ping',
      '/favicon.ico',
    ]) {
      const [get, head] = [
        await site.fetch('GET', path, { token }),
        await site.fetch('HEAD', path, { token }),
      ]
      expect(head.status, path).toBe(get.status)
      // What is another for every answer, but there for both.
      const own = ['x-request-id', 'server-timing', 'x-d1-bookmark', 'set-cookie']
      const headers = [head, get].map((answer) =>
        Array.from(answer.headers, ([name, value]) => [name, own.includes(name) ? '…' : value]),
      )
      expect(headers[0], path).toEqual(headers[1])
      expect(await head.text(), path).toBe('')
    }
  })

  test('is refused where GET changes something', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    for (const path of [
      '/api/auth/logout',
      '/api/auth/sso?method=sso_get_token',
      '/api/auth/sso_callback?method=sso_get_token',
      '/api/auth/sso_get_token',
      '/api/auth/get_sso_id',
      '/account/sign-in/sso',
      '/oauth/authorize',
      '/oauth/end_session',
    ]) {
      const head = await site.fetch('HEAD', path, { token })
      expect(head.status, path).toBe(path.startsWith('/api') ? 200 : 405)
      const allow = path.startsWith('/oauth') ? 'GET, POST, OPTIONS' : 'GET, OPTIONS'
      expect(head.headers.get('Allow'), path).toBe(allow)
      expect(head.headers.get('Set-Cookie'), path).toBe(null)
    }
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })

  // For the pages; test/scripts/openapi/examples.test.ts has the documented endpoints.
  test('is refused wherever the GET of a tour writes rows', async () => {
    const site = new CheapSite()
    await site.addFirstUsers({ guestDisabled: false })
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    const costs = [...(await Tour.of(site)), ...(await ProgramTour.of(site))]
    const writing = costs.filter(
      ({ call, rowsWritten }) => call.startsWith('GET ') && rowsWritten > 0,
    )
    const paths = new Set(writing.map(({ call }) => call.replace('GET ', '')))
    expect(paths).toEqual(new Set(['/api/auth/logout', '/oauth/authorize', '/oauth/end_session']))
    for (const path of paths)
      expect((await site.fetch('HEAD', path)).headers.get('Allow'), path).not.toContain('HEAD')
  })

  test.each(WRITE_PATHS)('tells what %s allows', async (path) => {
    const response = await new Site().fetch('HEAD', path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Allow')).toBe('POST, OPTIONS')
    expect(await response.text()).toBe('')
  })
})

describe('OPTIONS', () => {
  test('tells what a path allows', async () => {
    const site = new Site()
    for (const path of [...READ_PATHS, ...WRITE_PATHS, '/robots.txt']) {
      const response = await site.fetch('OPTIONS', path)
      expect(response.status, path).toBe(204)
      expect(response.headers.get('Allow'), path).toBe(
        WRITE_PATHS.includes(path) ? 'POST, OPTIONS' : allowOf(path),
      )
      expect(await response.text()).toBe('')
    }
  })

  test('asks for no token', async () => {
    const response = await new Site().fetch('OPTIONS', '/api/me', { token: 'dead' })
    expect(response.status).toBe(204)
  })
})

describe('a page of another origin', () => {
  const origin = { Origin: 'https://files.example' }

  test('may ask beforehand, for a day, and without credentials', async () => {
    const site = new Site()
    for (const path of [...READ_PATHS, ...WRITE_PATHS, '/ping', '/api/nope']) {
      const { status, headers } = await site.fetch('OPTIONS', path, {
        headers: {
          ...origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      })
      expect(status, path).toBe(204)
      expect(headers.get('Access-Control-Allow-Origin'), path).toBe('*')
      expect(headers.get('Access-Control-Allow-Methods')).toBe('GET,HEAD,POST')
      expect(headers.get('Access-Control-Allow-Headers')).toBe(
        'Authorization,Content-Type,session,X-D1-Bookmark',
      )
      expect(headers.get('Access-Control-Max-Age')).toBe('86400')
      expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
    }
  })

  test('may read every answer, refusals included', async () => {
    const site = new Site()
    for (const path of ['/api/public/settings', '/api/me', '/api/nope', '/robots.txt']) {
      const { headers } = await site.fetch('GET', path, { headers: origin })
      expect(headers.get('Access-Control-Allow-Origin'), path).toBe('*')
      expect(headers.get('Access-Control-Expose-Headers'), path).toBe(
        'ETag,Retry-After,Server-Timing,X-D1-Bookmark,X-Request-Id',
      )
      expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
    }
    const { headers } = await site.fetch('GET', '/ping', { headers: origin })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  })
})

describe('/ping', () => {
  test('answers pong to every method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await new Site().fetch(method, '/ping')
      expect(response.status, method).toBe(200)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/)
      expect(await response.text()).toBe('pong')
    }
  })

  test('says no more than who may read the constant word', async () => {
    const { headers } = await new Site().fetch('GET', '/ping')
    expect(Array.from(headers.keys()).toSorted()).toEqual([
      'access-control-allow-origin',
      'content-type',
    ])
  })

  test('answers whatever the token and the body are', async () => {
    const body = 'x'.repeat(100_000)
    const response = await new Site().fetch('POST', '/ping', { token: 'dead', body })
    expect(await response.text()).toBe('pong')
  })
})

describe('every other answer', () => {
  test('keeps browsers from guessing, framing and telling where they were', async () => {
    const calls = ['/api/me', '/api/nope', '/nope', '/robots.txt'].map((path) => ['GET', path])
    const wrongMethods = ['/api/me', '/robots.txt', '/favicon.ico', '/'].map((path) => [
      'PUT',
      path,
    ])
    for (const [method = '', path = ''] of [...calls, ...wrongMethods]) {
      const { headers } = await new Site().fetch(method, path)
      expect(headers.get('Access-Control-Allow-Origin'), path).toBe('*')
      expect(headers.get('X-Content-Type-Options'), path).toBe('nosniff')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      )
      expect(headers.has('X-Powered-By')).toBe(false)
      expect(headers.has('Set-Cookie')).toBe(false)
    }
  })

  test('under /api is JSON that nobody stores', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    for (const path of ['/api/me', '/api/me/sshkey/list', '/api/nope', '/api/auth/login']) {
      const { headers } = await site.fetch('GET', path, { token })
      expect(headers.get('Cache-Control'), path).toBe('no-store')
      expect(headers.get('Content-Type'), path).toMatch(/^application\/json/)
    }
    const { headers } = await site.fetch('POST', '/api/auth/login', { body: 'no JSON' })
    expect(headers.get('Cache-Control')).toBe('no-store')
  })

  test('has code, message and data, in this order', async () => {
    const site = new Site()
    for (const path of ['/api/public/archive_extensions', '/api/nope', '/api/auth/login']) {
      expect(Object.keys(await site.get(path)), path).toEqual(['code', 'message', 'data'])
    }
  })
})

test('a wrong method outside /api is plain HTTP', async () => {
  for (const path of ['/robots.txt', '/favicon.ico']) {
    const response = await new Site().fetch('PUT', path)
    expect([response.status, response.headers.get('Allow'), await response.text()]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method not allowed, use GET, HEAD, OPTIONS\n',
    ])
  }
})
