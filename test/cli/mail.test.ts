import { appendFileSync, readFileSync } from 'node:fs'
import { Request } from 'miniflare'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openSmtp, readSmtpUrl } from '../../src/programs/start/smtp.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { MailServer } from '../support/mail-server.ts'
import type { Program } from '../support/program.ts'

let server: MailServer
beforeEach(async () => {
  server = await MailServer.open('smtp-Passw0rd')
})
afterEach(() => server.close())

const of = (text: string) => readSmtpUrl(text).search

describe('SMTP_URL', () => {
  test.each(['', 'smtp.example.org', 'https://smtp.example.org', 'smtp://', 'file:///etc/passwd'])(
    'refuses %j without repeating it',
    (text) => {
      expect(() => readSmtpUrl(text)).toThrow(/^SMTP_URL must be the address of an SMTP server/)
    },
  )

  test('requires TLS of a server that is not on this computer', () => {
    expect(of('smtp://mail.example.org')).toBe('?requireTLS=true')
    expect(of('smtp://mail.example.org?ignoreTLS=true')).toBe('?ignoreTLS=true')
    expect(of('smtps://mail.example.org')).toBe('')
    expect(of('smtp://127.0.0.1:2525')).toBe('')
  })
})

const asked = (body: unknown, secret = 'front-secret') =>
  new Request('http://smtp/', {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  })
const urlWith = (login: string) => server.url.replace('//', `//${login}@`)
const right = 'latchkey:smtp-Passw0rd'

describe('the way to the SMTP server', () => {
  const message = {
    to: 'alice@example.org',
    from: 'accounts@example.org',
    subject: '你的密码 – Ünïcode',
    text: 'One line\n\nhttps://account.example.org/account/link/abc=',
    html: '<p>One line</p>',
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Notice-Id': 'one' },
  }
  test('sends what the Worker hands over, to one recipient', async () => {
    const smtp = await openSmtp(urlWith(right), 'front-secret')
    expect((await smtp(asked(message))).status).toBe(204)
    const [arrived] = server.got
    expect(arrived).toMatchObject({
      from: 'accounts@example.org',
      to: ['alice@example.org'],
      user: 'latchkey',
    })
    expect(arrived?.mail).toMatchObject({
      subject: message.subject,
      text: message.text,
      html: message.html,
    })
    expect(arrived?.mail.headers.get('auto-submitted')).toBe('auto-generated')
  })

  test('takes nothing from others on this computer', async () => {
    const smtp = await openSmtp(urlWith(right), 'front-secret')
    expect((await smtp(asked(message, 'another'))).status).toBe(403)
    expect((await smtp(new Request('http://smtp/'))).status).toBe(403)
    expect(server.got).toEqual([])
  })

  test.each([
    ['another@example.org', 550, 'E_RECIPIENT_NOT_ALLOWED'],
    ['another@example.org', 450, 'E_DELIVERY_FAILED'],
  ])('says that %s was refused with %d', async (to, code, failure) => {
    server.refused.set(to, code)
    const smtp = await openSmtp(urlWith(right), 'front-secret')
    const answer = await smtp(asked({ ...message, to }))
    expect([answer.status, await answer.text()]).toEqual([502, failure])
  })

  test('says that the server does not know the password, and does not repeat it', async () => {
    const smtp = await openSmtp(urlWith('latchkey:wrong'), 'front-secret')
    expect(await (await smtp(asked(message))).text()).toBe('E_SENDER_NOT_VERIFIED')
  })

  test('says that no server answers, and that a message has another form', async () => {
    const smtp = await openSmtp('smtp://127.0.0.1:1', 'front-secret')
    expect(await (await smtp(asked(message))).text()).toBe('E_DELIVERY_FAILED')
    expect((await smtp(asked({ to: 'alice@example.org' }))).status).toBe(502)
  })
})

const INVITE = ['invitation', 'create', '--email', 'bob@example.org']
const NO_MAIL = (missing: string) =>
  `This site sends no mail. That needs MAIL_FROM, SMTP_URL (at Cloudflare the binding EMAIL) and SITE_ADDRESS; not set: ${missing}.\n`
const OUTBOX = 'select kind, attempts from mails'

describe('a site with a mail server', () => {
  let clone: Clone
  let program: Program
  let site: Client
  let mailbox: MailServer
  let putBack: () => void

  beforeAll(async () => {
    mailbox = await MailServer.open('smtp-Passw0rd')
    clone = new Clone(inject('startedSite'))
    const url = mailbox.url.replace('//', '//u:smtp-Passw0rd@')
    appendFileSync(clone.path('.dev.vars'), `\nSMTP_URL=${url}\nMAIL_FROM=accounts@example.org\n`)
    const port = await freePort()
    program = clone.start({ PORT: port })
    await program.until('serves on')
    site = new Client(`http://127.0.0.1:${port}`)
    putBack = clone.remember()
  })
  beforeEach(() => {
    putBack()
    mailbox.got.length = 0
  })
  afterAll(async () => {
    await clone.remove()
    await mailbox.close()
  })

  test('sends e-mails by SMTP_URL, which the Worker never gets', async () => {
    const mail = ['notice', 'add', 'email', '--name', 'ops', '--address', 'ops@example.org']
    const { stdout } = await clone.command([...mail, '--sender', 'latchkey@example.org'])
    expect(stdout).not.toContain('SMTP_URL')
    expect(await clone.command(['notice', 'test', '1'])).toMatchObject({ code: 0 })
    await mailbox.until(1)
    expect(mailbox.got[0]).toMatchObject({
      from: 'latchkey@example.org',
      to: ['ops@example.org'],
      mail: { subject: 'This is a test notification' },
    })
    // What is kept of the Worker and its bindings.
    const kept = readFileSync(clone.path('.wrangler/latchkey.bundle'), 'utf8')
    expect(kept).not.toContain('smtp-Passw0rd')
  })

  test('mails a link for a forgotten password, and its log shows no link', async () => {
    clone.sql("update users set email = 'root@example.org', email_verified = 1 where id = 1")
    const answer = await site.call('POST', '/api/auth/forgotten', { body: { name: 'admin' } })
    expect(answer).toEqual({ code: 200, message: 'success', data: null })
    await mailbox.until(1)
    const [arrived] = mailbox.got
    expect(arrived).toMatchObject({
      from: 'accounts@example.org',
      to: ['root@example.org'],
      mail: { subject: 'Choose a new password for Latchkey' },
    })
    const line = `http://localhost:${new URL(site.url).port}/account/link/`
    const [link = ''] = (arrived?.mail.text ?? '')
      .split('\n')
      .filter((text) => text.startsWith(line))
    expect(link.length).toBe(line.length + 43)
    expect(String(arrived?.mail.html)).toContain(`href="${link}"`)
    expect((await fetch(link.replace('localhost', '127.0.0.1'))).status).toBe(200)
    const body = { link: link.slice(-43), password: 'a new Passw0rd' }
    expect(await site.call('POST', '/api/auth/reset', { body })).toMatchObject({ code: 200 })
    expect(await site.signIn('admin', 'a new Passw0rd')).toMatchObject({ code: 200 })
    await mailbox.until(2)
    expect(mailbox.got[1]?.mail.subject).toBe('Your password for Latchkey was replaced')
    await program.until('GET /account/link/… 200')
    expect(program.stdout + program.stderr).not.toContain(body.link)
  })

  test('sends the mail of a command before the command ends', async () => {
    expect(await clone.command(INVITE)).toMatchObject({
      code: 0,
      stdout: 'The invitation goes to bob@example.org by mail.\n',
      stderr: '',
    })
    expect(mailbox.got.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [['bob@example.org'], 'You are invited to Latchkey'],
    ])
    const link = `http://localhost:${new URL(site.url).port}/account/link/`
    expect(mailbox.got[0]?.mail.text).toContain(link)
    expect(clone.sql(OUTBOX)).toEqual([])
  })

  test('keeps the mail of a command while the mail server refuses it, and the command says so', async () => {
    mailbox.failing = 1
    const { code, stderr } = await clone.command(INVITE)
    expect([code, stderr]).toEqual([0, expect.stringContaining('has not sent the mail')])
    expect(clone.sql(OUTBOX)).toEqual([{ kind: 'invitation', attempts: 1 }])
  })
})

describe('a mail of a command', () => {
  let clone: Clone
  let putBack: () => void

  beforeAll(() => {
    clone = new Clone(inject('startedSite'))
    appendFileSync(clone.path('.dev.vars'), '\nMAIL_FROM=accounts@example.org\n')
    putBack = clone.remember()
  })
  afterEach(async () => {
    await clone.stop()
    putBack()
  })
  afterAll(() => clone.remove())

  test('knows what the site was started with in its environment', async () => {
    const SITE_ADDRESS = 'https://files.example.org'
    const smtp = { SMTP_URL: server.url.replace('//', '//u:smtp-Passw0rd@') }
    const mail = { ...smtp, MAIL_FROM: 'environment@example.org', SITE_ADDRESS }
    await clone.start({ PORT: await freePort(), ...mail }).until('serves on')
    expect(await clone.command(INVITE)).toMatchObject({ code: 0, stderr: '' })
    expect(server.got.map(({ from, to }) => [from, to])).toEqual([
      ['environment@example.org', ['bob@example.org']],
    ])
    expect(server.got[0]?.mail.text).toContain(`\n${SITE_ADDRESS}/account/link/`)
    const { stdout } = await clone.command(['invitation', 'create'])
    expect(stdout.slice(0, -44)).toBe(`${SITE_ADDRESS}/account/link/`)
  })

  test('is none on a site that runs without a mail server', async () => {
    await clone.serve()
    const { code, stderr } = await clone.command(INVITE)
    expect([code, stderr]).toEqual([1, expect.stringContaining(NO_MAIL('SMTP_URL'))])
    expect(clone.sql(OUTBOX)).toEqual([])
  })

  test('waits for a site that does not run, and the command says so', async () => {
    const { code, stderr } = await clone.command(INVITE)
    expect([code, stderr]).toEqual([0, expect.stringContaining('sends the mail when it runs')])
    expect(clone.sql(OUTBOX)).toEqual([{ kind: 'invitation', attempts: 0 }])
  })

  test('is none on a site without a sender', async () => {
    const other = new Clone(inject('startedSite'))
    const { code, stderr } = await other.command(INVITE)
    await other.remove()
    expect([code, stderr]).toEqual([1, expect.stringContaining(NO_MAIL('MAIL_FROM'))])
  })
})
