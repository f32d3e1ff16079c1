import { EventEmitter, once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestTo,
  type RequestListener,
  type RequestOptions,
  type Server,
  ServerResponse,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Proxy } from '../../src/programs/start/front-request.ts'
import type { Answered } from '../../src/programs/start/exchange.ts'
import { createFront } from '../../src/programs/start/front.ts'
import { requestLine } from '../../src/programs/start/request-lines.ts'
import { readTrustedProxies } from '../../src/programs/start/trusted-proxies.ts'

const SECRET = 'the secret of this start'
const servers: Server[] = []
const onAnswer = () => undefined

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return isAddressInfo(address) ? address.port : 0
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

/** A front server before something that answers as the Worker would. */
async function front(answer: RequestListener, proxy?: Proxy, hasFiles = false) {
  const seen: IncomingMessage[] = []
  const answers: Answered[] = []
  const told = new EventEmitter()
  const note = (item: Answered) => {
    answers.push(item)
    told.emit('answer')
  }
  const worker = await listen(
    createServer((request, response) => {
      seen.push(request)
      answer(request, response)
    }),
  )
  const url = new URL(`http://127.0.0.1:${worker}`)
  return {
    port: await listen(
      createFront({ worker: async () => url, secret: SECRET, proxy, hasFiles, onAnswer: note }),
    ),
    seen,
    answers,
    /** Waits until the front server has told of so many requests. */
    untilAnswers: async (count: number) => {
      while (answers.length < count) await once(told, 'answer')
    },
  }
}

const answerOk: RequestListener = (_, response) => response.end('ok')

const echo: RequestListener = async (request, response) => {
  const text = await readBody(request)
  response.end(`${request.headers['transfer-encoding'] ?? 'plain'}:${text.length}`)
}

interface Answer {
  status: number | undefined
  headers: IncomingMessage['headersDistinct']
  body: string
}

async function ask(port: number, options: RequestOptions, body?: string): Promise<Answer> {
  const request = requestTo({ host: '127.0.0.1', port, agent: false, ...options })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  request.end(body)
  const response = await answered
  return {
    status: response.statusCode,
    headers: response.headersDistinct,
    body: await readBody(response),
  }
}

async function readBody(message: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of message.setEncoding('utf8')) text += String(chunk)
  return text
}

/** Sends these bytes, and reads until the other side closes. */
async function askRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let text = ''
  socket.on('data', (chunk: string) => (text += chunk))
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

describe('what a client says of itself', () => {
  test('never reaches the Worker: the socket says where it comes from', async () => {
    const { port, seen } = await front(answerOk)
    const headers = {
      'CF-Connecting-IP': '203.0.113.1',
      'cf-ray': 'x',
      'CF-IPCountry': 'XX',
      'MF-Original-URL': 'https://elsewhere.example/',
      'MF-Route-Override': 'other',
      'MF-CF-Blob': '{}',
      'X-Forwarded-For': '203.0.113.1',
      'X-Forwarded-Proto': 'https',
      'X-Real-IP': '203.0.113.1',
      'True-Client-IP': '203.0.113.1',
      Forwarded: 'for=203.0.113.1',
      'X-Latchkey-Front': 'guess',
      'X-Latchkey-Scheme': 'https',
      'X-Latchkey-Data': '1',
      Connection: 'close, Authorization-Copy',
      'Authorization-Copy': 'x',
      'Proxy-Authorization': 'x',
      TE: 'trailers',
      Upgrade: 'websocket',
    }
    await ask(port, { headers: { ...headers, Authorization: 'a', Cookie: 'b' } })
    expect(seen[0]?.headersDistinct).toEqual({
      host: [`127.0.0.1:${port}`],
      authorization: ['a'],
      cookie: ['b'],
      'cf-connecting-ip': ['127.0.0.1'],
      'x-latchkey-front': [SECRET],
      'x-latchkey-scheme': ['http'],
      connection: ['keep-alive'],
    })
  })
})

test('the request that a proxy of files asks about reaches the Worker', async () => {
  const { port, seen } = await front(answerOk)
  const uri = { 'X-Forwarded-Uri': '/a?b', 'X-Forwarded-Uris': '/c' }
  const methods = { 'X-Forwarded-Method': 'PUT', 'X-Original-Method': 'PUT', ...uri }
  await ask(port, { headers: { ...methods, 'X-Forwarded-Methods': 'GET' } })
  expect(seen[0]?.headers).toMatchObject({
    'x-forwarded-method': 'PUT',
    'x-original-method': 'PUT',
    'x-forwarded-uri': '/a?b',
  })
  expect(seen[0]?.headers).not.toHaveProperty('x-forwarded-methods')
  expect(seen[0]?.headers).not.toHaveProperty('x-forwarded-uris')
})

describe('paths of Cloudflare and Miniflare', () => {
  test('are answered 404 by no Worker, whatever the method and the spelling', async () => {
    const { port, seen } = await front(answerOk)
    const paths = [
      '/cdn-cgi',
      '/cdn-cgi/',
      '/cdn-cgi/local/explorer',
      '/CDN-CGI/explorer',
      '/%63dn-cgi/x',
      '/%2563dn-cgi/x',
      '/cdn%2dcgi/x',
      '/cdn-cgi%2Fx',
      '//cdn-cgi/x',
      '/./cdn-cgi/x',
      '/a/../cdn-cgi/x',
      '/a/%2e%2e/cdn-cgi/x',
      '/a/cdn-cgi/x',
      '/\\cdn-cgi\\x',
      '/cdn-cgi;a=b/x',
      '/cdn-cgi?x',
      '/__scheduled',
      '/__cf_local/stream',
      '/%5F_scheduled',
      `http://127.0.0.1:${port}/cdn-cgi/x`,
      'http://elsewhere.example/cdn-cgi/x',
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE']) {
        expect([path, method, (await ask(port, { path, method })).status]).toEqual([
          path,
          method,
          404,
        ])
      }
    }
    expect(seen).toEqual([])
  })

  test('are not confused with those of ours', async () => {
    const { port, seen } = await front(answerOk)
    for (const path of ['/account/x-cdn-cgi', '/api/me?next=/cdn-cgi/x', '/a__b']) {
      expect((await ask(port, { path })).body).toBe('ok')
    }
    expect(seen.map(({ url }) => url)).toEqual([
      '/account/x-cdn-cgi',
      '/api/me?next=/cdn-cgi/x',
      '/a__b',
    ])
  })

  test('a target that is no path is refused', async () => {
    const { port, seen } = await front(answerOk)
    expect(await ask(port, { path: '*', method: 'OPTIONS' })).toMatchObject({ status: 400 })
    expect(await askRaw(port, 'GET ftp://x/y HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 /,
    )
    expect(seen).toEqual([])
  })
})

/** What workerd would take for a part of the path, or not take at all. */
const NO_HOSTS = [
  'localhost/cdn-cgi/local/platform-proxy?',
  'localhost\\cdn-cgi\\local\\platform-proxy?',
  'x/ping?',
  'x#y',
  'a;b',
  "x'y",
  'a b',
  'a,b',
  'user@x',
  'x%2fy',
  'ü',
  'localhost:',
  'localhost:-1',
  'localhost:65536',
  'localhost:99999999',
  'localhost:8a',
  'a:1:2',
  '[::1',
  '[::1]x',
  '[::1%25lo]',
  '[fe80::1%lo]',
  '[1.2.3.4]',
  '[::g]',
  '::1',
  '999.1.1.1',
  '1.2.3',
  '0x7f000001',
]

const HOSTS = [
  'localhost',
  'accounts.example.org',
  'ACCOUNTS.example.org.',
  'my_nas:65535',
  'xn--bcher-kva.example',
  'a-b.1c:80',
  '192.0.2.1',
  '192.0.2.1:8787',
  '[::1]',
  '[2001:db8::1]:8787',
  '[::ffff:192.0.2.1]:0',
]

describe('the host of a request', () => {
  const badHost = { code: 400, message: 'Bad Host header', data: null }

  test('is a name or an address with a port, and anything else is refused', async () => {
    const { port, seen } = await front(answerOk)
    for (const host of NO_HOSTS) {
      const page = await ask(port, { path: '/account', headers: { host } })
      expect([host, page]).toMatchObject([host, { status: 400, body: 'Bad Host header\n' }])
      const api = await ask(port, { path: '/api/me?x', headers: { host } })
      expect(api).toMatchObject({ status: 200, headers: { 'content-type': ['application/json'] } })
      expect(JSON.parse(api.body)).toEqual(badHost)
    }
    expect(seen).toEqual([])
    for (const host of HOSTS) {
      expect([host, await ask(port, { headers: { host } })]).toMatchObject([host, { status: 200 }])
    }
    expect(seen.map(({ headers }) => headers.host)).toEqual(HOSTS)
  })

  test('is said once, and not left empty', async () => {
    const { port, seen } = await front(answerOk)
    for (const hosts of ['Host: x\r\nHost: x', 'Host:'])
      expect(await askRaw(port, `GET / HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 400 /,
      )
    expect(seen).toEqual([])
  })

  test('is that of the target, where the target names one', async () => {
    const { port, seen } = await front(answerOk)
    await ask(port, { path: 'http://accounts.example.org:8787/a?b', headers: { host: 'y/ping?' } })
    expect(seen).toMatchObject([{ url: '/a?b', headers: { host: 'accounts.example.org:8787' } }])
    for (const path of [
      'http://user@x/',
      'http://x;y/',
      'http://a,b/',
      'http://[::1/',
      'http:///x',
    ])
      expect([path, await ask(port, { path })]).toMatchObject([path, { status: 400 }])
    expect(seen).toHaveLength(1)
  })

  test('may be missing from a request of HTTP/1.0', async () => {
    const { port, seen } = await front(answerOk)
    expect(await askRaw(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
    expect(seen[0]?.headers.host).toBe('localhost')
  })
})

describe('a refusal under /api', () => {
  test('comes in the envelope, for servers with its code as the status too', async () => {
    const gone = new URL('http://127.0.0.1:1')
    const port = await listen(createFront({ worker: async () => gone, secret: SECRET, onAnswer }))
    const unavailable = { code: 503, message: 'service unavailable, try again', data: null }
    for (const [path, status] of [
      ['/api/me', 200],
      ['/api/sftp/authorized_keys?username=a', 503],
    ] as const) {
      const answer = await ask(port, { path })
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, unavailable])
    }
    const proxied = await front(answerOk, { header: 'x-forwarded-for', trusted: undefined })
    const refused = await ask(proxied.port, { path: '/api/me' })
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      200,
      {
        code: 403,
        message: 'The proxy in front must set x-forwarded-for to the address of the client.',
        data: null,
      },
    ])
    expect(await ask(port, { path: '/api/me', method: 'HEAD' })).toMatchObject({ body: '' })
  })
})

describe('an answer', () => {
  test('comes as it is: status, redirect, several cookies, no body for HEAD and 304', async () => {
    const { port } = await front((request, response) => {
      const cookies = ['Set-Cookie', 'a=1; Path=/', 'Set-Cookie', 'b=2; Path=/']
      if (request.url === '/redirect') response.writeHead(303, ['Location', '/account', ...cookies])
      else if (request.url === '/same') response.writeHead(304, { ETag: '"x"' })
      else response.writeHead(200, { 'Content-Length': 5 })
      response.end(request.url === '/body' ? 'hello' : undefined)
    })
    const redirect = await ask(port, { path: '/redirect', method: 'POST' })
    expect(redirect).toMatchObject({ status: 303, body: '' })
    expect(redirect.headers).toMatchObject({
      location: ['/account'],
      'set-cookie': ['a=1; Path=/', 'b=2; Path=/'],
    })
    expect(await ask(port, { path: '/same' })).toMatchObject({
      status: 304,
      body: '',
      headers: { etag: ['"x"'] },
    })
    expect(await ask(port, { path: '/body', method: 'HEAD' })).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': ['5'] },
    })
    expect(await ask(port, { path: '/body' })).toMatchObject({ status: 200, body: 'hello' })
  })

  test('streams: what was sent arrives before the rest is made', async () => {
    const rest = Promise.withResolvers<void>()
    const { port } = await front(async (_, response) => {
      response.write('first')
      await rest.promise
      response.end('second')
    })
    const request = requestTo({ host: '127.0.0.1', port, agent: false }).end()
    const response = await new Promise<IncomingMessage>((resolve) => {
      request.once('response', resolve)
    })
    const [first] = await once(response, 'data')
    expect(String(first)).toBe('first')
    rest.resolve()
    expect(await readBody(response)).toBe('second')
  })

  test('is 503 while the Worker is away, and cut off when it goes away half-way', async () => {
    const gone = await listen(createServer())
    const server = servers.pop()
    await new Promise((resolve) => server?.close(resolve))
    const url = new URL(`http://127.0.0.1:${gone}`)
    const port = await listen(createFront({ worker: async () => url, secret: SECRET, onAnswer }))
    expect(await ask(port, {})).toMatchObject({ status: 503 })
    const { port: other } = await front((request, response) => {
      response.writeHead(200, { 'Content-Length': 10 })
      response.write('half', () => request.socket.destroy())
    })
    await expect(ask(other, {})).rejects.toThrow('aborted')
  })
})

describe('a connection to the Worker', () => {
  test('is used again, and a safe request that it loses is sent again on a new one', async () => {
    const sockets = new Set<unknown>()
    let isClosing = false
    const asked: string[] = []
    const { port } = await front((request, response) => {
      asked.push(request.method ?? '')
      const isKnown = sockets.has(request.socket)
      sockets.add(request.socket)
      // What workerd does to a connection that was idle for long.
      if (isKnown && isClosing) request.socket.destroy()
      else response.end('ok')
    })
    await ask(port, {})
    await ask(port, {})
    expect(sockets.size).toBe(1)
    isClosing = true
    expect(await ask(port, {})).toMatchObject({ status: 200, body: 'ok' })
    expect(sockets.size).toBe(2)
    expect(asked).toEqual(['GET', 'GET', 'GET', 'GET'])
  })

  test('is a new one for a request that must not be sent twice', async () => {
    const sockets = new Set<unknown>()
    let asked = 0
    const { port } = await front((request, response) => {
      sockets.add(request.socket)
      asked += 1
      if (request.method === 'POST') request.socket.destroy()
      else response.end('ok')
    })
    await ask(port, {})
    expect(await ask(port, { method: 'POST' }, 'once')).toMatchObject({ status: 503 })
    expect([sockets.size, asked]).toEqual([2, 2])
  })
})

describe('a body', () => {
  test('arrives whole and with a length, however it was sent', async () => {
    const { port } = await front(echo)
    const body = 'x'.repeat(65_536)
    const length = { 'Content-Length': body.length }
    const chunked = { 'Transfer-Encoding': 'chunked' }
    for (const headers of [length, chunked])
      expect((await ask(port, { method: 'POST', headers }, body)).body).toBe('plain:65536')
    expect((await ask(port, { method: 'POST', headers: chunked }, '')).body).toBe('plain:0')
  })

  test('that is too large goes on only as far as the Worker needs to refuse it', async () => {
    const { port } = await front(echo)
    const body = 'x'.repeat(200_000)
    for (const headers of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }])
      expect((await ask(port, { method: 'POST', headers }, body)).body).toBe('plain:65537')
  })

  test('that breaks off never reaches the Worker', async () => {
    const { port, seen, answers, untilAnswers } = await front(echo)
    for (const headers of [{ 'Content-Length': 10 }, { 'Transfer-Encoding': 'chunked' }]) {
      const request = requestTo({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
      request.on('error', () => undefined)
      request.write('half')
      await once(request, 'socket')
      await new Promise<void>((resolve) => request.write('', () => resolve()))
      request.destroy()
    }
    await untilAnswers(2)
    expect(answers.map(({ status }) => status)).toEqual([undefined, undefined])
    expect(seen).toEqual([])
  })

  test('of a GET or HEAD goes no further', async () => {
    const { port, seen } = await front(echo)
    const body = 'x'.repeat(200_000)
    for (const headers of [{ 'Content-Length': body.length }, { 'Transfer-Encoding': 'chunked' }]) {
      expect((await ask(port, { method: 'GET', headers }, body)).body).toBe('plain:0')
      expect((await ask(port, { method: 'HEAD', headers }, body)).status).toBe(200)
    }
    for (const { headers } of seen) {
      expect(headers).not.toHaveProperty('content-length')
      expect(headers).not.toHaveProperty('transfer-encoding')
    }
  })

  test('hides no second request', async () => {
    const { port, seen } = await front(echo)
    const hidden = 'POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'
    await ask(port, { method: 'GET', headers: { 'Content-Length': hidden.length } }, hidden)
    await ask(port, { method: 'DELETE', headers: { 'Transfer-Encoding': 'chunked' } }, hidden)
    const both = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`
    expect(await askRaw(port, both)).toMatch(/^HTTP\/1.1 400 /)
    const named =
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: close, content-length\r\nContent-Length: 5\r\n\r\nhello'
    expect(await askRaw(port, named)).toContain('plain:5')
    expect(seen.map(({ url }) => url)).toEqual(['/', '/', '/'])
  })

  test('may be awaited by a client that expects to be told to go on', async () => {
    const { port, seen } = await front(echo)
    const headers = { Expect: '100-continue', 'Content-Length': 5 }
    const request = requestTo({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
    request.flushHeaders()
    await once(request, 'continue')
    request.end('hello')
    const [response] = await once(request, 'response')
    expect(await readBody(response)).toBe('plain:5')
    expect(seen[0]?.headers).not.toHaveProperty('expect')
  })

  test('that is too large is answered before all of it was sent', async () => {
    const { port } = await front((_, response) => {
      response.writeHead(413, { Connection: 'close' }).end('too large')
    })
    const request = requestTo({
      host: '127.0.0.1',
      port,
      method: 'POST',
      headers: { 'Content-Length': 50_000_000 },
      agent: false,
    })
    request.on('error', () => undefined)
    request.write('x'.repeat(100_000))
    const [response] = await once(request, 'response')
    expect([response.statusCode, await readBody(response)]).toEqual([413, 'too large'])
    request.destroy()
  })

  test('whose client goes away ends the request of the Worker', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>()
    const { port } = await front((request) => arrived.resolve(request))
    const request = requestTo({ host: '127.0.0.1', port, agent: false })
    request.on('error', () => undefined)
    request.end()
    const { socket } = await arrived.promise
    const closed = once(socket, 'close')
    request.destroy()
    await closed
    expect(socket.destroyed).toBe(true)
  })
})

describe('an upload to the file server', () => {
  test('that is short goes on whole, so that an early refusal is heard', async () => {
    const lengths: (string | undefined)[] = []
    const refuse: RequestListener = (request, response) => {
      lengths.push(request.headers['content-length'])
      response.writeHead(401, { Connection: 'close' }).end('no')
      request.socket.end()
    }
    const { port } = await front(refuse, undefined, true)
    for (const length of [1, 60_000, 65_536]) {
      const answer = await ask(
        port,
        { method: 'PUT', path: '/api/fs/put', headers: { 'Content-Length': length } },
        'x'.repeat(length),
      )
      expect([answer.status, answer.body]).toEqual([401, 'no'])
    }
    expect(lengths).toEqual(['1', '60000', '65536'])
  })

  const MINUTE = 60_000
  const head = 'PUT /dav/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n'

  test('may take longer than any other request, but not stop for five minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const parts = new EventEmitter()
    const { port } = await front(
      (request) =>
        request.on('data', (part) => parts.emit('part', String(part))).on('error', () => undefined),
      undefined,
      true,
    )
    const socket = connect(port, '127.0.0.1')
    socket.write(head)
    for (const part of ['abc', 'def', 'ghi']) {
      const arrived = once(parts, 'part')
      socket.write(part)
      expect(await arrived).toEqual([part])
      vi.advanceTimersByTime(4 * MINUTE)
      expect(socket.destroyed).toBe(false)
    }
    const closed = once(socket, 'close')
    socket.on('error', () => undefined).resume()
    vi.advanceTimersByTime(2 * MINUTE)
    await closed
  })
})

test.each([
  { what: 'the file server', path: '/d/x', other: '/ping' },
  { what: 'the site', path: '/ping', other: '/d/x' },
])(
  'a network has 200 requests to $what open at once, and others have theirs',
  async ({ path, other }) => {
    const held: ServerResponse[] = []
    const arrived = new EventEmitter()
    const { port } = await front(
      (_, response) => {
        held.push(response)
        arrived.emit('one')
      },
      { header: 'x-forwarded-for', trusted: undefined },
      true,
    )
    const get = (target: string, address: string) => {
      const headers = { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' }
      return ask(port, { path: target, headers })
    }
    const open = Array.from({ length: 200 }, () => get(path, '192.0.2.1'))
    while (held.length < 200) await once(arrived, 'one')
    expect((await get(path, '192.0.2.1')).status).toBe(429)
    const others = [get(other, '192.0.2.1'), get(path, '192.0.2.2')]
    while (held.length < 202) await once(arrived, 'one')
    for (const response of held.splice(0)) response.end('ok')
    const answers = await Promise.all([...open, ...others])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const again = get(path, '192.0.2.1')
    while (held.length < 1) await once(arrived, 'one')
    held[0]?.end('ok')
    expect((await again).status).toBe(200)
  },
)

test('a network holds no more than 200 sign-ins whose bodies do not come', async () => {
  const { port, seen } = await front(answerOk)
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n'
  const hold = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.write(head)
    return socket
  }
  const held = Array.from({ length: 201 }, hold)
  const refused = await Promise.race(held.map(async (socket) => String(await once(socket, 'data'))))
  expect(refused).toContain('"code":429')
  expect(seen).toEqual([])
})

test('a file that nobody reads is ended after five minutes', async () => {
  const asked: number[] = []
  // oxlint-disable-next-line typescript/unbound-method -- It is called with its response below.
  const setTimeout = ServerResponse.prototype.setTimeout
  const spy = vi.spyOn(ServerResponse.prototype, 'setTimeout')
  spy.mockImplementation(function hurried(this: ServerResponse, milliseconds, callback) {
    asked.push(milliseconds)
    return setTimeout.call(this, milliseconds / 3000, callback)
  })
  onTestFinished(() => spy.mockRestore())
  const ended = Promise.withResolvers<void>()
  const { port } = await front(
    (_, response) => {
      response.once('close', ended.resolve)
      response.write(Buffer.alloc(64 * 1024 * 1024))
    },
    undefined,
    true,
  )
  const socket = connect(port, '127.0.0.1').pause()
  socket.write('GET /d/large HTTP/1.1\r\nHost: localhost\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  await ended.promise
  expect(asked).toEqual([300_000])
})

const trusting = (text: string) => readTrustedProxies({ option: text, variable: undefined })

describe('behind a proxy', () => {
  const proxy = { header: 'x-forwarded-for', trusted: undefined }
  const https = { 'X-Forwarded-Proto': 'https' }

  test('the last address of the header it names counts, and the scheme it names', async () => {
    const { port, seen } = await front(answerOk, proxy)
    const callers: [string | string[], string | string[], address: string, scheme: string][] = [
      ['192.0.2.7', 'https', '192.0.2.7', 'https'],
      ['203.0.113.1, 192.0.2.7', 'http, HTTPS', '192.0.2.7', 'https'],
      [['192.0.2.7', '203.0.113.1'], 'http', '203.0.113.1', 'http'],
      ['2001:db8::1', 'https', '2001:db8::1', 'https'],
      ['::ffff:192.0.2.7', 'https', '192.0.2.7', 'https'],
      ['fe80::1%eth0', 'https', 'fe80::1', 'https'],
    ]
    for (const [forwarded, scheme, ...expected] of callers) {
      const headers = { 'X-Forwarded-For': forwarded, 'X-Forwarded-Proto': scheme }
      expect((await ask(port, { headers })).body).toBe('ok')
      const { headers: passed } = seen.at(-1) ?? {}
      expect([passed?.['cf-connecting-ip'], passed?.['x-latchkey-scheme']]).toEqual(expected)
      expect(passed).not.toHaveProperty('x-forwarded-for')
    }
  })

  test('any header may be named, CF-Connecting-IP too', async () => {
    const { port, seen } = await front(answerOk, { ...proxy, header: 'cf-connecting-ip' })
    await ask(port, { headers: { 'CF-Connecting-IP': '192.0.2.7', ...https } })
    expect(seen[0]?.headersDistinct['cf-connecting-ip']).toEqual(['192.0.2.7'])
  })

  test('a request that lacks what the proxy must set is refused, and says so', async () => {
    const { port, seen } = await front(answerOk, proxy)
    const address = /^The proxy in front must set x-forwarded-for to the address of the client\.\n$/
    const scheme = /^The proxy in front must set X-Forwarded-Proto to https or http\.\n$/
    const refused: [Record<string, string>, RegExp][] = [
      [https, address],
      [{ ...https, 'X-Forwarded-For': 'unknown' }, address],
      [{ ...https, 'X-Forwarded-For': '192.0.2.7, ' }, address],
      [{ ...https, 'X-Forwarded-For': '192.0.2.7:80' }, address],
      [{ ...https, 'CF-Connecting-IP': '192.0.2.7' }, address],
      [{ 'X-Forwarded-For': '192.0.2.7' }, scheme],
      [{ 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'wss' }, scheme],
    ]
    for (const [headers, sentence] of refused) {
      expect(await ask(port, { headers })).toMatchObject({
        status: 403,
        body: expect.stringMatching(sentence),
      })
    }
    expect(seen).toEqual([])
  })

  test('nobody but the proxy is answered', async () => {
    const elsewhere = await front(answerOk, { ...proxy, trusted: trusting('192.0.2.1') })
    const headers = { ...https, 'X-Forwarded-For': '192.0.2.7' }
    expect(await ask(elsewhere.port, { headers })).toMatchObject({
      status: 403,
      body: 'This port answers only the proxy in front of it, and 127.0.0.1 is not its address.\n',
    })
    expect(elsewhere.seen).toEqual([])
    const here = await front(answerOk, { ...proxy, trusted: trusting('::ffff:127.0.0.1') })
    expect(await ask(here.port, { headers })).toMatchObject({ status: 200 })
  })
})

/** The lines of requests, with 0 milliseconds and the id of the user as the name. */
const linesOf = (answers: Answered[]) =>
  answers.map((answer) =>
    requestLine(
      { ...answer, milliseconds: 0 },
      answer.userId === undefined ? undefined : `user ${answer.userId}`,
    ),
  )

describe('the log', () => {
  test('has a line for each request, whoever answers it', async () => {
    const { port, answers, untilAnswers } = await front((request, response) => {
      if (request.url === '/api/me') response.setHeader('X-Latchkey-Outcome', '401 7')
      if (request.url === '/account') response.setHeader('X-Latchkey-Outcome', '303 ')
      response.writeHead(request.url === '/account' ? 303 : 200).end()
    })
    const answer = await ask(port, { path: '/api/me' })
    expect(answer.headers).not.toHaveProperty('x-latchkey-outcome')
    await ask(port, { path: '/account', method: 'POST' })
    await ask(port, { path: '/ping' })
    await ask(port, { path: '/cdn-cgi/x' })
    await ask(port, { path: '/api/me', headers: { host: 'a;b' } })
    await ask(port, { path: '*', method: 'OPTIONS' })
    await ask(port, { path: '/account', headers: { expect: 'magic' } })
    await askRaw(port, 'GET /account HTTP/1.1\r\n\r\n')
    await askRaw(port, 'what is this\r\n\r\n')
    await askRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`)
    await untilAnswers(10)
    expect(linesOf(answers)).toEqual([
      'GET /api/me 200/401 0 ms user 7',
      'POST /account 303 0 ms',
      'GET /ping 200 0 ms',
      'GET /cdn-cgi/x 404 0 ms',
      'GET /api/me 200/400 0 ms',
      'OPTIONS * 400 0 ms',
      'GET /account 417 0 ms',
      'GET /account 400 0 ms',
      '- - 400 0 ms',
      '- - 431 0 ms',
    ])
  })

  test('has the requests that only a proxy may send, and those while the Worker is away', async () => {
    const proxied = await front(answerOk, { header: 'x-forwarded-for', trusted: undefined })
    await ask(proxied.port, { path: '/account' })
    await proxied.untilAnswers(1)
    const answers: Answered[] = []
    const gone = new URL('http://127.0.0.1:1')
    const port = await listen(
      createFront({
        worker: async () => gone,
        secret: SECRET,
        onAnswer: (answer) => answers.push(answer),
      }),
    )
    await ask(port, { path: '/api/me' })
    await ask(port, { path: '/account' })
    expect(linesOf([...proxied.answers, ...answers])).toEqual([
      'GET /account 403 0 ms',
      'GET /api/me 200/503 0 ms',
      'GET /account 503 0 ms',
    ])
  })

  test('shows no query', async () => {
    const { port, answers, untilAnswers } = await front(answerOk)
    for (const path of ['/account?token=secret', '*?secret', 'http://x/y?secret#secret'])
      await ask(port, { path })
    await untilAnswers(3)
    expect(linesOf(answers)).toEqual(['GET /account 200 0 ms', 'GET * 400 0 ms', 'GET /y 200 0 ms'])
  })

  test('sends nothing to the terminal that could change more than its own line', async () => {
    const { port, answers, untilAnswers } = await front(answerOk)
    await askRaw(port, 'GET /a%1b[2J%0aGET HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await untilAnswers(1)
    expect(linesOf(answers)).toEqual(['GET /a%1b[2J%0aGET 200 0 ms'])
    const [answer] = answers
    if (answer === undefined) throw new Error('no answer')
    const nasty = { ...answer, path: '*\u001b[2J\n\u009b\u202e\u2028\ud800', milliseconds: 0.6 }
    expect(requestLine(nasty, 'evil\u0007\u200f')).toBe(
      String.raw`GET *\u{1b}[2J\u{a}\u{9b}\u{202e}\u{2028}\u{d800} 200 1 ms evil\u{7}\u{200f}`,
    )
    expect(requestLine({ ...answer, path: 'x'.repeat(5000) }, 'ü').length).toBeLessThan(230)
  })

  test('an answer that is on its way is not spoilt by bytes that are no request', async () => {
    const rest = Promise.withResolvers<void>()
    const { port } = await front(async (_, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('first')
      await rest.promise
      response.end('rest!')
    })
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    socket.write('what is this\r\n\r\n')
    await once(socket, 'close')
    rest.resolve()
    expect(text).not.toContain('400')
  })
})
