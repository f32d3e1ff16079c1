import { createHmac } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Miniflare, convertV4MiniflareOptions } from 'miniflare'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from 'vitest'
import { PUBLIC_NETWORK } from '../../src/programs/site/local-site.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import type { Ended } from '../support/program.ts'
import { hang, late, Receiver, status } from '../support/receiver.ts'
import { ServedWorker } from '../support/served-worker.ts'

let clone: Clone
let site: Client
let receiver: Receiver

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  appendFileSync(clone.path('wrangler.toml'), '\n[[send_email]]\nname = "EMAIL"\n')
  site = await clone.serve()
})
afterAll(() => clone.remove())
beforeEach(async () => {
  receiver = await Receiver.open()
  clone.sql('delete from notice_channels')
})
afterEach(() => receiver.close())

const run = (...args: string[]) => clone.command(args)

async function add(kind: string, ...options: string[]) {
  const args = ['--json', 'notice', 'add', kind, '--name', kind, '--topic', 'new_network']
  const { stdout, stderr } = await run(...args, ...options)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** What a command says in the end, with its code. */
function outcomeOf({ code, stdout, stderr }: Ended): [number | null, string] {
  return [code, stdout + stderr]
}

/** Signs in as a user whose network was never seen: that event is written as a command would. */
/** Writes a sign-in of two hours ago, so it shares no notice with one of now. */
function signInElsewhere(network: string): void {
  clone.sql(
    `insert into audit_events (at, kind, user_id, network, user_agent) values (${Date.now() - 7_200_000}, 'sign_in', 1, '${network}', '')`,
  )
}

describe('the commands', () => {
  test('notice add reads one secret from the standard input, not two', async () => {
    const args = ['notice', 'add', 'ntfy', '--name', 'phone', '--address', '-', '--token', '-']
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use - for either --address or --token, not both.'),
    })
  })

  test('notice topics takes all topics, names, or changes', async () => {
    const { id } = await add('ntfy', '--address', 'https://ntfy.example.org/topic')
    const topics = async (...words: string[]) =>
      outcomeOf(await run('notice', 'topics', String(id), ...words))
    const told = (names: string) => [0, `The channel ${id} is told: ${names}.\n`]
    expect(await topics('+password', '-new_network')).toEqual(told('password'))
    expect(await topics('+new_admin,+new_country,-password')).toEqual(
      told('new_country, new_admin'),
    )
    expect(await topics('password', 'new_network')).toEqual(told('new_network, password'))
    expect((await topics('-password', '-new_network'))[1]).toMatch(/at least one topic/)
    expect((await topics('-pasword'))[1]).toMatch(/^There is no topic "pasword"/)
    expect((await topics('password', '+new_admin'))[0]).toBe(2)
    expect((await topics('all'))[0]).toBe(0)
    expect((await run('notice', 'list')).stdout).toMatch(
      /\n\d+ +ntfy +ntfy +ntfy\.example\.org +all +never +0\n$/,
    )
  })

  test('notice add says what a channel lacks', async () => {
    const mail = ['notice', 'add', 'email', '--name', 'ops', '--address', 'ops@example.org']
    const from = ['--sender', 'latchkey@example.org']
    const config = clone.path('wrangler.toml')
    const bound = readFileSync(config, 'utf8')
    const links = /\nIts notices have no links, because --site was not given/
    const sender = /\nThe site has neither the binding EMAIL nor SMTP_URL/
    const { stdout } = await run(...mail, ...from)
    expect(stdout).toMatch(links)
    expect(stdout).not.toMatch(sender)
    try {
      writeFileSync(config, bound.replace('[[send_email]]\nname = "EMAIL"\n', ''))
      const other = await run(...mail, ...from, '--site', 'https://accounts.example.org')
      expect(other.stdout).toMatch(sender)
      expect(other.stdout).not.toMatch(links)
    } finally {
      writeFileSync(config, bound)
    }
  })
})

/** Instead of the 15 seconds between two tests of a channel. */
const forgetTests = () => clone.sql("delete from throttle_counters where key like 'test/%'")

describe('the running site', () => {
  test('sends to each kind of channel, in its form', async () => {
    const { url } = receiver
    const { secret } = await add('webhook', '--address', `${url}/hook`)
    await add('ntfy', '--address', `${url}/my-topic`, '--token', 'tk_1')
    await add('slack', '--address', `${url}/services/T/B/x`)
    await add('discord', '--address', `${url}/api/webhooks/1/x`)
    await add('telegram', '--address', url, '--token', '12:ab', '--chat', '-5')
    await add('bark', '--address', `${url}/KEY`)
    signInElsewhere('198.51.100.7')
    await site.signIn('admin', ADMIN_PASSWORD)
    await receiver.until(12)
    const at = (path: string) => receiver.got.find((sent) => sent.path === path)
    const hook = receiver.got.find(
      ({ path, raw }) => path === '/hook' && raw.includes('198.51.100.7'),
    )
    if (hook === undefined) throw new Error('nothing came to the webhook')
    const { 'webhook-signature': signature } = hook.headers
    const [id, time] = [
      String(hook.headers['webhook-id']),
      String(hook.headers['webhook-timestamp']),
    ]
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${time}.${hook.raw}`).digest('base64')
    expect(signature).toBe(`v1,${expected}`)
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
    expect(hook.body).toMatchObject({
      type: 'new_network',
      data: { event: { network: '198.51.100.7' } },
    })
    expect(at('/')).toMatchObject({
      headers: { authorization: 'Bearer tk_1' },
      body: { topic: 'my-topic' },
    })
    expect(at('/services/T/B/x')?.body.text).toContain('admin signed in from a new network')
    expect(at('/api/webhooks/1/x?wait=true')?.body.content).toContain(
      'admin signed in from a new network',
    )
    expect(at('/bot12:ab/sendMessage')?.body).toMatchObject({ chat_id: '-5' })
    expect(at('/push')?.body).toMatchObject({ device_key: 'KEY' })
  })

  test('says that npm start sends no e-mail without SMTP_URL, although EMAIL is bound', async () => {
    const options = ['--address', 'ops@example.org', '--sender', 'latchkey@example.org']
    const { id } = await add('email', ...options)
    expect(await run('notice', 'test', String(id))).toMatchObject({
      code: 1,
      stderr:
        'The test was not delivered: no e-mail. This site can’t send e-mails. On a server of your own, or in a container: set SMTP_URL, and start the site again. On Cloudflare: add [[send_email]] with name = "EMAIL" to wrangler.toml, and deploy.\n',
    })
  })

  // The site waits eight seconds for a receiver that hangs.
  test('says by notice test what becomes of a test', async () => {
    const { id } = await add('webhook', '--address', `${receiver.url}/hook`)
    const slow = await add('slack', '--address', `${receiver.url}/slow`)
    const testIt = async () => {
      forgetTests()
      return outcomeOf(await run('notice', 'test', String(id)))
    }
    expect(await testIt()).toEqual([0, `The channel ${id} has received the test.\n`])
    receiver.answers.push(
      status(404),
      status(302, { Location: `${receiver.url}/elsewhere` }),
      hang,
      late(9000),
    )
    expect(await testIt()).toEqual([1, 'The test was not delivered: status 404.\n'])
    expect(await testIt()).toEqual([
      1,
      'The test was not delivered: redirect. The receiver answered with a redirect, which is not followed.\n',
    ])
    expect(outcomeOf(await run('notice', 'test', String(id)))).toEqual([
      1,
      expect.stringMatching(/tested a moment ago, try again in \d+ seconds/),
    ])
    forgetTests()
    // In processes of their own, so that they wait at the same time.
    const waited = await Promise.all(
      [id, slow.id].map((channel) => clone.latchkey(['notice', 'test', String(channel)])),
    )
    const inVain = [
      1,
      'The test was not delivered: no answer in time. The receiver did not answer within 8 seconds.\n',
    ]
    expect(waited.map(outcomeOf)).toEqual([inVain, inVain])
    expect(receiver.got.map(({ path }) => path)).not.toContain('/elsewhere')
    receiver.close()
    expect(await testIt()).toEqual([
      1,
      'The test was not delivered: no connection. The receiver can’t be reached.\n',
    ])
  })

  test('lists, chooses topics and deletes', async () => {
    const { id } = await add('slack', '--address', `${receiver.url}/x`)
    expect((await run('notice', 'topics', String(id), 'new_admin', 'password')).stdout).toBe(
      `The channel ${id} is told: new_admin, password.\n`,
    )
    const { content } = JSON.parse((await run('--json', 'notice', 'list')).stdout)
    expect(content).toMatchObject([
      { kind: 'slack', topics: ['new_admin', 'password'], target: new URL(receiver.url).host },
    ])
    expect((await run('notice', 'delete', String(id))).stdout).toBe(`Deleted the channel ${id}.\n`)
    expect((await run('notice', 'delete', String(id))).stderr).toContain('no such channel')
  })
})

// Last of those that use the site: it ends it.
test('a notice outlives a restart of the site, with its id', async () => {
  clone.sql('delete from notices')
  await add('webhook', '--address', `${receiver.url}/hook`)
  receiver.answers.push(status(503))
  clone.sql(
    `insert into audit_events (at, kind, user_id, network, user_agent) values (${Date.now()}, 'sign_in', 1, '198.51.100.9', '')`,
  )
  await run('notice', 'delete', '99')
  await receiver.until(1)
  await clone.stop()
  clone.sql('update notices set next_at = 0')
  const again = await clone.serve()
  await again.signIn('admin', ADMIN_PASSWORD)
  await receiver.until(2)
  const [first, second] = receiver.got.map(({ headers }) => headers['webhook-id'])
  expect(second).toBe(first)
})

test('the network for the addresses of users reaches no private address, by number or by name', async () => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `export default { async fetch(request, env) {
        const url = await request.text()
        return env.PUBLIC_NETWORK.fetch(url).then(() => new Response('reached'), () => new Response('refused'))
      } }`,
      serviceBindings: { PUBLIC_NETWORK },
    }),
  )
  try {
    const ask = async (url: string) =>
      (await miniflare.dispatchFetch('http://x/', { method: 'POST', body: url })).text()
    expect(await ask(receiver.url)).toBe('refused')
    expect(await ask(receiver.url.replace('127.0.0.1', 'localhost'))).toBe('refused')
    expect(receiver.got).toEqual([])
  } finally {
    await miniflare.dispose()
  }
})

test('the Worker sends e-mails where EMAIL is bound', async () => {
  const worker = await ServedWorker.start(inject('workerFolder'), { email: true })
  try {
    await worker.setUp(ADMIN_PASSWORD)
    const { data } = await worker.call('POST', '/api/auth/login', {
      body: { username: 'admin', password: ADMIN_PASSWORD },
    })
    const token = data.token
    const body = {
      kind: 'email',
      name: 'ops',
      address: 'ops@example.org',
      sender: 'latchkey@example.org',
      topics: ['password'],
    }
    await worker.call('POST', '/api/admin/notice/create', { token, body })
    const tested = await worker.call('POST', '/api/admin/notice/test?id=1', { token })
    expect(tested.data).toEqual({ delivered: true, failure: '' })
    // Miniflare says it a moment later.
    await vi.waitFor(() => expect(worker.log.join('\n')).toContain('ops@example.org'), 10_000)
  } finally {
    await worker.stop()
  }
})
