import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { noticeChannels, notices } from '../../schema/tables.ts'
import { createMeter, openDatabase } from '../../src/database/database.ts'
import type { Deps } from '../../src/deps.ts'
import { runFrequently } from '../../src/frequent-run.ts'
import { COMMAND_LINE } from '../../src/access/operators.ts'
import { changeUser, createUser } from '../../src/users/manage-users.ts'
import { runNightly } from '../../src/nightly-run.ts'
import { leaveTest } from '../../src/notices/manage.ts'
import { KINDS_OF_TOPICS, TOPICS } from '../../src/notices/topics.ts'
import { getClient, replaceSecret } from '../../src/openid/clients.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { hurryTimeouts } from '../support/hurried-timeouts.ts'
import { codeFor, exchangeCode, register, signedIn } from '../support/openid.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, SECOND } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const HOOK = 'https://hooks.example.org/a-secret-path'

/** What the stand-in got. */
interface Got {
  url: string
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- Its form is what the tests look at.
  body: any
  reach: string
}

let got: Got[]
/** What the stand-in answers, in turn; then 200. */
let answers: (Response | Promise<Response> | Error | 'hang')[]
let site: CheapSite
let admin: string

const sendOut: Deps['sendOut'] = async (url, init, reach) => {
  const headers = Object.fromEntries(new Headers(init.headers))
  got.push({
    url,
    headers,
    body: JSON.parse(typeof init.body === 'string' ? init.body : ''),
    reach,
  })
  const answer = answers.shift() ?? new Response('ok')
  if (answer instanceof Error) throw answer
  if (answer !== 'hang') return answer
  return new Promise((_, reject) => {
    init.signal?.addEventListener('abort', () => reject(new Error('aborted')))
  })
}

const signInAdmin = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD })
  return arranged.token('admin', ADMIN_PASSWORD)
})

beforeEach(async () => {
  got = []
  answers = []
  site = new CheapSite({ sendOut })
  admin = await signInAdmin(site)
})

const webhook = { kind: 'webhook', name: 'hook', address: HOOK }

async function addChannel(channel: object = {}, topics: string[] = ['new_network']) {
  const wish = { ...webhook, topics, ...channel }
  const { data, message } = await site.post('/api/admin/notice/create', wish, { token: admin })
  if (data === null) throw new Error(message)
  await site.settle()
  return data
}

const channels = async () =>
  (await site.get('/api/admin/notice/list', { token: admin })).data.content

async function signIn(network = '198.51.100.7', username = 'alice', country?: string) {
  const call = {
    headers: { 'CF-Connecting-IP': network },
    ...(country !== undefined && { country }),
  }
  const { data } = await site.post('/api/auth/login', { username, password: PASSWORD }, call)
  await site.settle()
  return data.token
}

const run = () => runFrequently(site.deps)
const byText = (a: unknown, b: unknown) => String(a).localeCompare(String(b))
const bytesOf = (text: string) => new TextEncoder().encode(text).length
const titles = () => got.map(({ body }) => body.data.title)

describe('a sign-in from a new network', () => {
  test('is told after the answer, once for each network', async () => {
    await addChannel()
    await signIn()
    expect(titles()).toEqual(['alice signed in from a new network'])
    await signIn()
    site.now += HOUR
    await signIn('198.51.100.8')
    await run()
    expect(got).toHaveLength(2)
    expect(got[0]?.body).toEqual({
      type: 'new_network',
      timestamp: '2026-11-21T09:15:06.565+00:00',
      data: {
        event: {
          id: expect.any(Number),
          kind: 'sign_in',
          user: { id: ALICE, username: 'alice' },
          actor: null,
          what: '',
          count: null,
          network: '198.51.100.7',
          country: '',
        },
        more: 0,
        title: 'alice signed in from a new network',
        text: 'alice signed in from a new network\nAccount: alice\nNetwork: 198.51.100.7\nTime: 2026-11-21 09:15 UTC',
        link: `http://localhost/account/admin/users/${ALICE}`,
      },
    })
    site.now += HOUR
    await run()
    expect(await site.db.select().from(notices)).toEqual([])
  })

  test('costs the sign-in no round trip and no row, before its answer', async () => {
    const costs = async () => {
      const { roundTrips, rowsWritten } = site.meter
      return [roundTrips, rowsWritten]
    }
    const login = (network: string) =>
      site.post(
        '/api/auth/login',
        { username: 'alice', password: PASSWORD },
        { headers: { 'CF-Connecting-IP': network } },
      )
    await login('198.51.100.7')
    const without = await costs()
    await site.settle()
    await addChannel()
    await login('198.51.100.8')
    expect(await costs()).toEqual(without)
  })

  test('tells the country when it is new for the user', async () => {
    await signIn('198.51.100.1', 'alice', 'DE')
    await addChannel({}, ['new_country', 'new_network'])
    await signIn('198.51.100.2', 'alice', 'DE')
    await signIn('198.51.100.3', 'alice', 'BR')
    site.now += HOUR
    await signIn('198.51.100.4', 'alice', 'BR')
    expect(got.map(({ body }) => [body.type, body.data.event.country])).toEqual([
      ['new_network', 'DE'],
      ['new_country', 'BR'],
      ['new_network', 'BR'],
    ])
  })

  test('takes no country for new while none is known', async () => {
    await addChannel({}, ['new_country'])
    await signIn('198.51.100.2', 'alice', 'DE')
    expect(got).toEqual([])
  })

  test('is not told when it was before the channel', async () => {
    await signIn()
    await addChannel()
    await run()
    expect(got).toEqual([])
  })
})

describe('what else is told', () => {
  const ALL = ['second_factor_off', 'new_admin', 'password', 'credential_added']

  test('a new administrator, whom a command made', async () => {
    await addChannel({}, ALL)
    const role = { role: 2, expectedRole: 0 }
    await changeUser(site.deps, COMMAND_LINE, ALICE, role)
    await createUser(site.deps, COMMAND_LINE, {
      username: 'bob',
      role: 2,
      password: 'bob-Passw0rd',
    })
    await createUser(site.deps, COMMAND_LINE, { username: 'carol', password: 'carol-Passw0rd' })
    await run()
    expect(titles().toSorted(byText)).toEqual([
      'alice is now an administrator',
      'bob is now an administrator',
    ])
    expect(got[0]?.body.data.text).toContain('By: command line')
  })

  test('a password that an operator set', async () => {
    await addChannel({}, ALL)
    const fields = {
      id: ALICE,
      username: 'alice',
      password: 'other-Passw0rd',
      role: 0,
      base_path: '/',
      permission: 0,
    }
    await site.post('/api/admin/user/update', fields, { token: admin })
    await site.settle()
    expect(titles()).toEqual(['An operator set the password of alice'])
    expect(JSON.stringify(got)).not.toContain('other-Passw0rd')
    expect(got[0]?.body.data.event.actor).toEqual({ id: 1, username: 'admin' })
  })

  test('a new app password and a key, with their names', async () => {
    await addChannel({}, ALL)
    const alice = await signIn()
    await site.post(
      '/api/me/tokens/create',
      { name: 'rclone', scopes: ['files:read'] },
      { token: alice },
    )
    await site.settle()
    expect(titles()).toEqual(['alice has a new app password: “rclone”'])
    expect(JSON.stringify(got)).not.toContain('lk_')
  })

  test('two-step verification that is switched off', async () => {
    await addChannel({}, ALL)
    const alice = await signIn()
    const secret = await site.enrol(alice)
    await site.post('/api/auth/2fa/disable', { otp_code: site.code(secret, 1) }, { token: alice })
    await site.settle()
    expect(titles()).toEqual(['Two-step verification of alice is off'])
  })
})

const refuse = (network: string, username = 'alice') =>
  site.post(
    '/api/auth/login',
    { username, password: 'wrong' },
    { headers: { 'CF-Connecting-IP': network } },
  )

describe('what is told of programs', () => {
  test('a new one, and a new secret', async () => {
    await addChannel({}, ['program_registered'])
    const { clientId } = await register(site, { name: 'Photos' })
    await run()
    await replaceSecret(site.deps, COMMAND_LINE, await getClient(site.deps, COMMAND_LINE, clientId))
    await run()
    expect(titles()).toEqual([
      'A program was registered: “Photos”',
      'A program has a new secret: “Photos”',
    ])
    expect(JSON.stringify(got)).not.toContain('lks_')
    expect(got[0]?.body.data.link).toBe('http://localhost/account/admin/programs')
  })

  test('a code that is used twice, to operators and to the user', async () => {
    await addChannel({}, ['access_replayed'])
    const alice = await signIn()
    const mine = { kind: 'webhook', address: 'https://203.0.114.1/x', topics: ['access_replayed'] }
    await site.post('/api/me/notices/save', mine, { token: alice })
    const client = await register(site, { name: 'Photos' })
    const code = await codeFor(await signedIn(site), client)
    expect((await exchangeCode(site, client, code)).status).toBe(200)
    expect((await exchangeCode(site, client, code)).error).toBe('invalid_grant')
    await site.settle()
    await run()
    const title =
      'A code or token of alice for a program was used twice, so it may be stolen: “Photos”'
    expect(titles()).toEqual([title, title])
    expect(JSON.stringify(got)).not.toContain(code)
    expect(got.map(({ body }) => body.data.link).toSorted(byText)).toEqual([
      `http://localhost/account/admin/users/${ALICE}`,
      'http://localhost/account/programs',
    ])
  })
})

describe('refused sign-ins', () => {
  test('give one notice an hour with their number, and one for the locked networks', async () => {
    await addChannel({}, ['many_refusals', 'locked_out'])
    for (let network = 0; network < 4; network++)
      for (let i = 0; i < 30; i++) await refuse(`198.51.100.${network}`, `user${i}`)
    await run()
    site.now += 5 * MINUTE
    await run()
    const told = got.map(({ body: { type, data } }) => [type, data.event.network, data.event.count])
    expect(told.toSorted(byText)).toEqual([
      ['locked_out', '198.51.100.3', null],
      ['many_refusals', '', 120],
    ])
    expect(titles()).toContain('Too many sign-ins from 198.51.100.3 were refused, and 3 more')
    site.now += HOUR
    await run()
    expect(got).toHaveLength(2)
  })

  test('of one account from many networks lock it', async () => {
    await addChannel({}, ['locked_out'])
    for (let i = 0; i < 50; i++) await refuse(`198.51.100.${i}`)
    await run()
    await run()
    expect(titles()).toEqual(['Too many sign-ins to the account of alice were refused'])
  })
})

describe('a receiver that fails', () => {
  test('gets the same notice again, with the same id and a new signature', async () => {
    const { secret } = await addChannel()
    answers = [
      new Response('', { status: 500 }),
      new Error('refused'),
      new Response('', { status: 302 }),
    ]
    await signIn()
    const before = await channels()
    expect(before[0]).toMatchObject({ failure: 'status 500', waiting: 1, last_sent_at: null })
    for (let i = 0; i < 3; i++) {
      site.now += 10 * MINUTE
      await run()
    }
    expect(got).toHaveLength(4)
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(got.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4)
    for (const { headers, body } of got)
      expect(await isSigned(secret, headers, JSON.stringify(body))).toBe(true)
    expect((await channels())[0]).toMatchObject({ failure: '', waiting: 0, lost: 0 })
  })

  test.each([
    [429, '900', 15],
    [503, 'Sat, 21 Nov 2026 09:30:06 GMT', 15],
    // Longer than it would be kept.
    [429, '9999999', 24 * 60],
    [429, 'soon', 5],
    // Says nothing of the next attempt.
    [500, '900', 5],
  ])(
    'that answers %s with Retry-After: %s is asked again in %s minutes',
    async (status, after, minutes) => {
      await addChannel()
      answers = [new Response('', { status, headers: { 'Retry-After': after } })]
      await signIn('198.51.100.7')
      const started = site.now
      const step = minutes > 60 ? HOUR : 5 * MINUTE
      while (got.length < 2 && site.now - started < 25 * HOUR) {
        site.now += step
        await run()
      }
      const waited = got.length < 2 ? 24 * 60 : (site.now - started) / MINUTE
      expect(waited).toBe(minutes)
    },
  )

  test('is asked less and less often, and given up after a day', async () => {
    await addChannel()
    answers = Array.from({ length: 300 }, () => new Response('', { status: 503 }))
    await signIn()
    const times = [site.now]
    for (let i = 0; i < 25 * 12; i++) {
      site.now += 5 * MINUTE
      const count = got.length
      await run()
      if (got.length > count) times.push(site.now)
    }
    const gaps = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / MINUTE)
    expect(gaps).toEqual([5, 5, 5, 10, 20, 35, 65, 130, 260, 260, 260, 260])
    expect((await channels())[0]).toMatchObject({ failure: 'status 503', waiting: 0, lost: 1 })
  })

  test('keeps no other channel waiting', async () => {
    await addChannel({ name: 'dead', address: 'https://dead.example.org/' })
    await addChannel({ name: 'live' })
    for (let i = 0; i < 12; i++) {
      answers = []
      site.now += HOUR
      await signIn(`198.51.100.${i}`)
    }
    expect(got.filter(({ url }) => url === HOOK)).toHaveLength(12)
  })

  test('that hangs is left after a few seconds', async () => {
    await addChannel()
    const asked = hurryTimeouts()
    answers = ['hang']
    await signIn()
    expect(asked).toEqual([8000])
    expect((await channels())[0]).toMatchObject({ failure: 'no answer in time', waiting: 1 })
  })

  test('a notice that was being sent when the isolate ended is sent later', async () => {
    await addChannel()
    const ending = new CheapSite({
      sendOut: async () => Promise.reject(new Error('never')),
      keyRing: () => {
        throw new Error('the isolate ended')
      },
    })
    ending.now = site.now
    await site.db.run(
      `insert into audit_events (at, kind, user_id, network, user_agent) values (1, 'sign_in', ${ALICE}, '203.0.113.9', '')`,
    )
    await runFrequently(ending.deps).catch(() => undefined)
    expect(await site.db.select().from(notices)).toHaveLength(1)
    site.now += 5 * MINUTE
    await run()
    expect(titles()).toEqual(['alice signed in from a new network'])
  })

  test('two runs at once send each notice once', async () => {
    await addChannel()
    await site.db.run(
      `insert into audit_events (at, kind, user_id, network, user_agent) values (1, 'sign_in', ${ALICE}, '203.0.113.9', '')`,
    )
    await Promise.all([run(), run(), run()])
    expect(got).toHaveLength(1)
  })
})

describe('the form of each channel', () => {
  const NASTY = '<b>*_`[x](https://evil.example)`@everyone & <!channel>'
  const forms: [string, object, (one: Got) => void][] = [
    [
      'ntfy',
      { address: 'https://ntfy.example.org/base/my-topic', token: 'tk_1' },
      ({ url, body, headers }) => {
        expect(url).toBe('https://ntfy.example.org/base/')
        expect(headers['authorization']).toBe('Bearer tk_1')
        expect(body).toMatchObject({
          topic: 'my-topic',
          title: expect.stringContaining(NASTY),
          click: expect.stringContaining('/account/admin/users/'),
        })
        expect(body).not.toHaveProperty('markdown')
        expect(headers['x-sequence-id']).toMatch(/^[0-9a-f]{32}$/)
      },
    ],
    [
      'slack',
      {},
      ({ body }) => {
        expect(body).toMatchObject({ mrkdwn: false, unfurl_links: false, unfurl_media: false })
        expect(body.text).toContain(
          '&lt;b&gt;*_`[x](https://evil.example)`@everyone &amp; &lt;!channel&gt; signed in',
        )
      },
    ],
    [
      'discord',
      { address: 'https://discord.example.org/api/webhooks/1/a?thread_id=7' },
      ({ url, body }) => {
        expect(url).toBe('https://discord.example.org/api/webhooks/1/a?thread_id=7&wait=true')
        expect(Object.keys(body)).toEqual(['content', 'allowed_mentions'])
        expect(body.allowed_mentions).toEqual({ parse: [] })
        expect(body.content).toContain(
          String.raw`**\<b\>\*\_\`\[x\]\(https\://evil\.example\)\`\@everyone & \<!channel\> signed in from a new network**`,
        )
      },
    ],
    [
      'telegram',
      { address: '', token: '12:ab-C', chat: '-100' },
      ({ url, body }) => {
        expect(url).toBe('https://api.telegram.org/bot12:ab-C/sendMessage')
        expect(body).toMatchObject({ chat_id: '-100', text: expect.stringContaining(NASTY) })
        expect(body).not.toHaveProperty('parse_mode')
      },
    ],
    [
      'bark',
      { address: 'https://bark.example.org/KEY' },
      ({ url, body }) => {
        expect(url).toBe('https://bark.example.org/push')
        expect(body).toMatchObject({
          device_key: 'KEY',
          group: 'Latchkey',
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
        })
      },
    ],
  ]

  test.each(forms)('%s', async (kind, fields, check) => {
    await addChannel({ kind, ...fields })
    await site.addUser(NASTY, { password: PASSWORD })
    await signIn('198.51.100.9', NASTY)
    expect(got).toHaveLength(1)
    if (got[0] !== undefined) check(got[0])
  })

  test('e-mail, where it is bound', async () => {
    const mails: object[] = []
    site = new CheapSite({ sendOut, sendEmail: async (mail) => mails.push(mail) })
    await addChannel({
      kind: 'email',
      address: 'ops@example.org',
      sender: 'latchkey@example.org',
      language: 'zh',
    })
    await signIn()
    expect(mails).toEqual([
      {
        to: 'ops@example.org',
        from: 'latchkey@example.org',
        subject: 'alice 从新的网络登录',
        text: expect.stringContaining('网络: 198.51.100.7'),
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Notice-Id': expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      },
    ])
  })

  test('e-mail takes no header from a name', async () => {
    const mails: { subject: string; text: string }[] = []
    site = new CheapSite({ sendOut, sendEmail: async (mail) => mails.push(mail) })
    await addChannel({ kind: 'email', address: 'ops@example.org', sender: 'latchkey@example.org' })
    // Only behind the back of the service does a name have such characters.
    await env.DB.prepare('update users set username = ? where id = ?')
      .bind('eve\r\nBcc: all@example.org', ALICE)
      .run()
    await env.DB.exec(
      `insert into audit_events (at, kind, user_id, network, user_agent) values (1, 'sign_in', ${ALICE}, '203.0.113.9', '')`,
    )
    await run()
    expect(mails).toMatchObject([
      { subject: 'eve�↵Bcc: all@example.org signed in from a new network' },
    ])
    expect(mails[0]?.text).not.toMatch(/^Bcc/m)
  })

  const everyKind = Object.values(KINDS_OF_TOPICS).flat()
  const httpKinds = [['webhook', {}], ...forms] as const

  test.each(httpKinds)('%s gets no control or direction characters of names', async (...form) => {
    const [kind, fields] = form
    await addChannel({ kind, ...fields }, [...TOPICS])
    const hostile = 'eve\u0007\r\n\u202Elove\u2066'
    // Only behind the back of the service do names have such characters.
    await env.DB.prepare('update users set username = id || ? where role <> 1').bind(hostile).run()
    for (const event of everyKind)
      await env.DB.prepare(
        `insert into audit_events (at, kind, user_id, actor_id, detail, network, user_agent)
         values (1, ?, ${ALICE}, 1, ?, '203.0.113.9', '')`,
      )
        .bind(event, event === 'many_refusals' ? '7' : hostile)
        .run()
    // One run sends 18.
    await run()
    await run()
    expect(got).toHaveLength(everyKind.length)
    const texts = JSON.stringify(got.map(({ body }) => body))
    expect(texts).toContain('eve��↵�love�')
    expect(texts).not.toMatch(/\\[ur]|[\u202A-\u202E\u2066-\u2069]/)
  })

  test.each([
    ['E_SENDER_DOMAIN_NOT_AVAILABLE', 'e-mail sender'],
    ['E_SENDER_NOT_VERIFIED', 'e-mail sender'],
    ['E_RECIPIENT_NOT_ALLOWED', 'e-mail recipient'],
    ['E_DAILY_LIMIT_EXCEEDED', 'e-mail limit'],
    ['E_INTERNAL_SERVER_ERROR', 'e-mail'],
  ])('e-mail that Cloudflare refuses with %s fails as %s', async (code, failure) => {
    const sendEmail = async () => Promise.reject(Object.assign(new Error('no'), { code }))
    site = new CheapSite({ sendOut, sendEmail })
    await addChannel({ kind: 'email', address: 'ops@example.org', sender: 'latchkey@example.org' })
    expect((await send()).data).toEqual({ delivered: false, failure })
  })

  test('e-mail where it is not bound fails', async () => {
    await addChannel({ kind: 'email', address: 'ops@example.org', sender: 'latchkey@example.org' })
    expect((await send()).data).toEqual({ delivered: false, failure: 'no e-mail' })
  })

  /** The limits of the receivers, as they document them. */
  const limits: [string, object, (body: Got['body']) => boolean][] = [
    [
      'ntfy',
      { address: 'https://ntfy.example.org/topic' },
      ({ title, message }) => bytesOf(title) <= 1024 && bytesOf(message) <= 4096,
    ],
    ['slack', {}, ({ text }) => text.length <= 4000],
    ['discord', {}, ({ content }) => content.length <= 2000],
    ['telegram', { address: '', token: '12:a', chat: '1' }, ({ text }) => text.length <= 4096],
    // Apple takes 4 KB, with what Bark adds.
    [
      'bark',
      { address: 'https://b.example.org/KEY' },
      (body) => bytesOf(JSON.stringify(body)) < 3072,
    ],
  ]
  const longNames = ['*', '🔑', '<'].map((one) => one.repeat(255))

  test.each(limits)(
    '%s gets no more than it takes, whatever the names',
    async (kind, fields, fits) => {
      await addChannel({ kind, ...fields }, ['credential_added', 'password'])
      const [user = '', operator = ''] = [longNames[1], longNames[0]]
      for (const name of longNames) {
        await env.DB.prepare('update users set username = ? where id = ?').bind(name, ALICE).run()
        await env.DB.prepare('update users set username = ? where id = 1')
          .bind(`${operator}!`)
          .run()
        await env.DB.prepare(
          `insert into audit_events (at, kind, user_id, actor_id, detail, network, user_agent)
         values (1, 'key_added', ?, 1, ?, '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '')`,
        )
          .bind(ALICE, user)
          .run()
        await run()
      }
      expect(got).toHaveLength(3)
      expect(got.map(({ body }) => fits(body))).toEqual([true, true, true])
    },
  )
})

describe('POST /api/admin/notice/create', () => {
  test('seals the address, and shows only the host', async () => {
    await addChannel()
    expect(await channels()).toEqual([
      {
        id: 1,
        kind: 'webhook',
        name: 'hook',
        target: 'hooks.example.org',
        topics: ['new_network'],
        language: 'en',
        created_at: '2026-11-21T09:15:06.565+00:00',
        last_sent_at: null,
        last_failed_at: null,
        failure: '',
        waiting: 0,
        lost: 0,
      },
    ])
    const [row] = await site.db.select().from(noticeChannels)
    expect(JSON.stringify(row)).not.toContain('a-secret-path')
    expect(JSON.stringify(row)).not.toContain('whsec')
  })

  test.each([
    [{ address: 'ftp://example.org' }, 'address must be an https or http address'],
    [
      { kind: 'ntfy', address: 'https://ntfy.sh/' },
      'address must end in the topic or the device key',
    ],
    [{ kind: 'email', address: 'x' }, 'address must be an e-mail address'],
    [
      { kind: 'telegram', address: '', token: 'x' },
      'token must be the token of a bot, such as 123456:a1b2c3',
    ],
    [
      { kind: 'telegram', address: '', token: '1:a', chat: 'x' },
      'chat must be the number of a chat, or @name',
    ],
    [{ topics: [] }, 'topics must name at least one topic'],
    [{ kind: 'pager' }, 'kind must be one of webhook, ntfy, slack, discord, telegram, bark, email'],
  ])('refuses %j', async (fields, message) => {
    const wish = { ...webhook, topics: ['new_network'], ...fields }
    expect(await site.post('/api/admin/notice/create', wish, { token: admin })).toMatchObject({
      code: 400,
      message,
    })
  })

  test('refuses users, and sessions that are not fresh', async () => {
    const alice = await signIn()
    const wish = { ...webhook, topics: ['new_network'] }
    expect((await site.post('/api/admin/notice/create', wish, { token: alice })).code).toBe(403)
    site.now += HOUR
    expect((await site.post('/api/admin/notice/create', wish, { token: admin })).message).toBe(
      'Sign in again or confirm to do this',
    )
    expect(await site.db.select().from(noticeChannels)).toEqual([])
  })

  test('takes 20', async () => {
    for (let i = 0; i < 20; i++) await addChannel()
    const { message } = await site.post(
      '/api/admin/notice/create',
      { ...webhook, topics: ['password'] },
      { token: admin },
    )
    expect(message).toBe('no more than 20 channels, delete one first')
  })
})

const send = (id = 1) => site.post(`/api/admin/notice/test?id=${id}`, undefined, { token: admin })

/** The time between two tests of a channel. */
const PAUSE = 15 * SECOND
const testedLately = (seconds: number) => ({
  code: 429,
  message: `this channel was tested a moment ago, try again in ${seconds} seconds`,
  data: null,
})

describe('POST /api/admin/notice/test', () => {
  test('says whether the channel took it', async () => {
    await addChannel()
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    site.now += PAUSE
    answers = [new Response('', { status: 404 })]
    expect((await send()).data).toEqual({ delivered: false, failure: 'status 404' })
    expect(titles()).toEqual(['This is a test notice', 'This is a test notice'])
    expect(await site.db.select().from(notices)).toEqual([])
    expect((await send(7)).code).toBe(404)
  })

  test('is written now, although it is given up after minutes', async () => {
    await addChannel()
    await send()
    expect(got[0]?.body).toMatchObject({
      type: 'test',
      timestamp: '2026-11-21T09:15:06.565+00:00',
      data: { event: null },
    })
  })

  test('sends one at a time to a channel', async () => {
    await addChannel()
    await addChannel({ name: 'other' })
    const held = Promise.withResolvers<Response>()
    answers = [held.promise, new Response('ok'), new Response('ok')]
    const refused = Promise.withResolvers<void>()
    let left = 19
    const tests = Array.from({ length: 20 }, async () => {
      const { code } = await send()
      if (code === 429 && --left === 0) refused.resolve()
      return code
    })
    await refused.promise
    expect((await send(2)).data).toEqual({ delivered: true, failure: '' })
    held.resolve(new Response('ok'))
    const codes = await Promise.all(tests)
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 429)])
    expect(got).toHaveLength(2)
    expect((await send()).code).toBe(429)
    site.now += PAUSE
    expect((await send()).code).toBe(200)
  })

  test('forgets a test of the command line that failed', async () => {
    await addChannel()
    answers = [new Response('', { status: 500 })]
    await leaveTest(site.deps, COMMAND_LINE, 1)
    await run()
    expect((await channels())[0]).toMatchObject({ failure: 'status 500', waiting: 0 })
    site.now += PAUSE
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
  })

  test('waits 15 seconds after a test that was delivered or that failed', async () => {
    await addChannel()
    answers = [new Response('ok'), new Response('', { status: 500 })]
    for (let i = 0; i < 2; i++) {
      await send()
      site.now += 6 * SECOND
      expect(await send()).toEqual(testedLately(9))
      site.now += 9 * SECOND - 1
      expect(await send()).toEqual(testedLately(1))
      site.now += 1
    }
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    expect(got).toHaveLength(3)
  })

  test('waits as long for a test that was left', async () => {
    await addChannel()
    const held = Promise.withResolvers<Response>()
    answers = [held.promise]
    const first = send()
    await expect.poll(() => got.length).toBe(1)
    site.now += PAUSE - 1
    expect(await send()).toEqual(testedLately(1))
    site.now += 1
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    held.resolve(new Response('ok'))
    expect((await first).data).toEqual({ delivered: true, failure: '' })
  })

  test('says in its headers when to try again', async () => {
    await addChannel()
    await send()
    const { headers } = await site.fetch('POST', '/api/admin/notice/test?id=1', { token: admin })
    expect(headers.get('Retry-After')).toBe('15')
  })

  test('shares the pause with notice test of the command line', async () => {
    await addChannel()
    await leaveTest(site.deps, COMMAND_LINE, 1)
    const again = leaveTest(site.deps, COMMAND_LINE, 1)
    await expect(again).rejects.toThrow(testedLately(15).message)
    expect(await send()).toEqual(testedLately(15))
    await run()
    expect(titles()).toEqual(['This is a test notice'])
  })

  test('after the secret was replaced, says that the channel can not be opened', async () => {
    await addChannel()
    await site.db.update(noticeChannels).set({ config: 'AAAAAAAA.AAAA' })
    expect((await send()).data).toEqual({ delivered: false, failure: 'sealed' })
  })
})

describe('the channel of a user', () => {
  const mine = {
    kind: 'ntfy',
    address: 'https://ntfy.example.org/alices-topic',
    topics: ['new_network', 'password'],
  }
  const save = (token: string, fields: object = {}) =>
    site.post('/api/me/notices/save', { ...mine, ...fields }, { token })

  test('is told about the own account only, and leads to the own pages', async () => {
    const alice = await signIn()
    expect((await save(alice)).code).toBe(200)
    await site.addUser('bob', { password: PASSWORD })
    await signIn('198.51.100.20', 'bob')
    await signIn('198.51.100.21')
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({
      reach: 'public',
      url: 'https://ntfy.example.org/',
      body: {
        click: 'http://localhost/account/sessions',
        title: 'alice signed in from a new network',
      },
    })
  })

  test('is not told where an operator was', async () => {
    await addChannel({}, ['password'])
    const alice = await signIn()
    const webhookOfAlice = { kind: 'webhook', address: 'https://203.0.114.1/x' }
    expect((await save(alice, webhookOfAlice)).code).toBe(200)
    got = []
    const headers = { 'CF-Connecting-IP': '198.51.100.99' }
    const change = { id: ALICE, password: 'Another-Passw0rd' }
    await site.post('/api/admin/user/update', change, { token: admin, headers })
    await site.settle()
    const [own, operators] = got.toSorted((a, b) => a.reach.localeCompare(b.reach)).toReversed()
    expect([own?.reach, operators?.reach]).toEqual(['public', 'any'])
    expect(JSON.stringify(operators?.body)).toContain('198.51.100.99')
    expect(JSON.stringify(own?.body)).not.toContain('198.51.100.99')
    expect(JSON.stringify(own?.body)).toContain('admin')
  })

  test.each([
    'http://ntfy.example.org/topic',
    'https://localhost/topic',
    'https://127.0.0.1/topic',
    'https://10.1.2.3/topic',
    'https://2130706433/topic',
    'https://0x7f.1/topic',
    'https://[::1]/topic',
    'https://[::ffff:10.0.0.1]/topic',
    'https://[fd00::1]/topic',
    'https://169.254.169.254/latest',
    'https://nas/topic',
    'https://nas.local/topic',
    'https://router.lan./topic',
    'https://user:pass@ntfy.sh/topic',
    'https://100.64.0.1/topic',
    'https://[2002:7f00:1::]/topic',
    'https://127.0.0.1../topic',
    'https://localhost../topic',
    'https://ntfy..example.org/topic',
  ])('refuses %s', async (address) => {
    const alice = await signIn()
    expect(await save(alice, { address })).toMatchObject({
      code: 400,
      message: 'address must be a public https address',
    })
  })

  test('is replaced by the next, tested and deleted', async () => {
    const alice = await signIn()
    await save(alice)
    const { data } = await save(alice, { kind: 'webhook', address: 'https://203.0.114.1/x' })
    expect(data.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect((await site.post('/api/me/notices/test', undefined, { token: alice })).data).toEqual({
      delivered: true,
      failure: '',
    })
    expect((await site.get('/api/me/notices', { token: alice })).data).toMatchObject({
      kind: 'webhook',
      target: '203.0.114.1',
    })
    expect((await site.post('/api/me/notices/delete', undefined, { token: alice })).code).toBe(200)
    expect((await site.post('/api/me/notices/delete', undefined, { token: alice })).code).toBe(404)
    expect((await site.get('/api/me/notices', { token: alice })).data).toBeNull()
  })

  test('is tested once in 15 seconds, also when it is deleted or replaced between', async () => {
    const alice = await signIn()
    const call = (path: string) => site.post(`/api/me/notices/${path}`, undefined, { token: alice })
    await save(alice)
    expect((await call('test')).code).toBe(200)
    await save(alice, { address: 'https://ntfy.example.org/another' })
    expect(await call('test')).toEqual(testedLately(15))
    await call('delete')
    await save(alice)
    site.now += PAUSE - 1
    expect(await call('test')).toEqual(testedLately(1))
    expect(got).toHaveLength(1)
    site.now += 1
    expect((await call('test')).code).toBe(200)
    await site.addUser('bob', { password: PASSWORD })
    const bob = await signIn('198.51.100.20', 'bob')
    await save(bob)
    const ofBob = await site.post('/api/me/notices/test', undefined, { token: bob })
    expect(ofBob.data).toEqual({ delivered: true, failure: '' })
  })

  test('is deleted with the user, and takes its notices along', async () => {
    const alice = await signIn()
    await save(alice)
    answers = [new Response('', { status: 500 })]
    await signIn('198.51.100.21')
    expect(await site.db.select().from(notices)).toHaveLength(1)
    await site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: admin })
    expect(await site.db.select().from(notices)).toEqual([])
  })

  test('has no topics of the site', async () => {
    const alice = await signIn()
    expect((await save(alice, { topics: ['new_admin'] })).code).toBe(400)
  })
})

describe('a long log', () => {
  test('costs a run no more than a short one', async () => {
    await addChannel({}, ['new_network', 'new_country', 'many_refusals', 'locked_out'])
    const costOfRun = async () => {
      const meter = createMeter()
      await runFrequently({ ...site.deps, db: openDatabase(env.DB, meter) })
      return meter
    }
    const few = await costOfRun()
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
       insert into audit_events (at, kind, user_id, network, user_agent, country)
       select ${site.now - HOUR * 50} + i, 'service_sign_in', ${ALICE}, '198.51.100.' || (i % 7), '', 'DE' from n`,
    ).run()
    await env.DB.exec('update notice_cursor set event_id = 200000')
    await env.DB.exec('update notice_channels set since_event_id = 200000')
    await costOfRun()
    got = []
    await signIn('203.0.113.77', 'alice', 'BR')
    expect(got.map(({ body }) => body.type)).toEqual(['new_country'])
    const many = await costOfRun()
    expect(few.roundTrips).toBe(1)
    expect(many.roundTrips).toBe(1)
    expect(few.rowsWritten + many.rowsWritten).toBeLessThan(3)
    expect(many.rowsRead).toBeLessThan(1000)
  })
})

describe('the cursor', () => {
  test('follows when all events were deleted and their ids come again', async () => {
    await addChannel()
    await signIn()
    await env.DB.exec('delete from audit_events')
    await runNightly(site.deps)
    await run()
    await env.DB.exec('update notice_channels set since_event_id = 0')
    site.now += HOUR
    await signIn('198.51.100.30')
    expect(got).toHaveLength(2)
  })

  test('is not written for each sign-in', async () => {
    await addChannel()
    await signIn()
    await signIn()
    const [before] = (await env.DB.prepare('select event_id from notice_cursor').all()).results
    await signIn()
    const [after] = (await env.DB.prepare('select event_id from notice_cursor').all()).results
    expect(after).toEqual(before)
  })
})

async function isSigned(secret: string, headers: Record<string, string>, body: string) {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (c) => c.charCodeAt(0))
  const key = await crypto.subtle.importKey(
    'raw',
    bytes,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signature = Uint8Array.from(atob((headers['webhook-signature'] ?? '').slice(3)), (c) =>
    c.charCodeAt(0),
  )
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return crypto.subtle.verify('HMAC', key, signature, new TextEncoder().encode(text))
}
