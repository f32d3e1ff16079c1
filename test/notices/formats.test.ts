import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { kindsWith } from '../../src/core/audit/kinds.ts'
import { TOPICS } from '../../src/core/audit/topics.ts'
import {
  addChannel,
  ALICE,
  arrange,
  type Got,
  got,
  openSite,
  PASSWORD,
  run,
  send,
  signIn,
  site,
} from './receiver.ts'

beforeEach(arrange)

const bytesOf = (text: string) => new TextEncoder().encode(text).length

describe('the form of each channel', () => {
  const NASTY = '<b>*_`[x](https://evil.example)`@everyone & <!channel>'
  const forms: [string, object, (got: Got) => void][] = [
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
    openSite({ sendEmail: async (mail) => mails.push(mail) })
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
    openSite({ sendEmail: async (mail) => mails.push(mail) })
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

  const everyKind = kindsWith((row) => row.topic !== undefined)
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
    for (let sent = 0; sent < everyKind.length; sent += 18) await run()
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
    openSite({ sendEmail })
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
  const longNames = ['*', '🔑', '<'].map((letter) => letter.repeat(255))

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
