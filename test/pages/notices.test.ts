import { beforeEach, describe, expect, test } from 'vitest'
import { CHANNEL_KINDS } from '../../src/capabilities/notices/channels.ts'
import { noticeChannels } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { ADMIN_PASSWORD, HOUR, SECOND } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const OWN = '/account/notices'
const SITE = '/account/admin/notices'
const own = { kind: 'ntfy', address: 'https://ntfy.sh/topic', 'topic-password': 'on' }
const slack = {
  kind: 'slack',
  name: 'ops',
  address: 'https://hooks.slack.com/x',
  token: '',
  chat: '',
  sender: '',
  'topic-new_admin': 'on',
}

let site: CheapSite
let visitor: Visitor
/** What the receivers answer. */
let status: number

beforeEach(async () => {
  status = 200
  site = new CheapSite({ sendOut: async () => new Response('', { status }) })
  visitor = new Visitor(site)
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
})

const addressIn = ({ html }: { html: string }) => valueOf(html, 'address')
const textAt = async (path: string) => textOf((await visitor.get(path)).html)

describe('the page of the own notices', () => {
  beforeEach(() => visitor.signIn('alice', PASSWORD))

  test('adds a channel, tests it, shows why a test failed, and deletes it', async () => {
    expect((await visitor.post(`${OWN}/save`, own)).location).toBe(`${OWN}?done=notices-on`)
    expect(await textAt(OWN)).toContain('ntfy ntfy.sh Nothing delivered yet')
    expect((await visitor.post(`${OWN}/test`, {})).location).toBe(`${OWN}?done=channel-tested`)
    status = 404
    const tooSoon = await visitor.post(`${OWN}/test`, {})
    expect(alertIn(tooSoon.html)).toBe(
      'This channel was tested a moment ago. Try again in 15 seconds.',
    )
    site.now += 15 * SECOND
    const failed = await visitor.post(`${OWN}/test`, {})
    expect(alertIn(failed.html)).toBe(
      'The test was not delivered. The receiver answered with status 404.',
    )
    expect((await visitor.post(`${OWN}/delete`, {})).location).toBe(`${OWN}?done=notices-off`)
    expect(await site.db.select().from(noticeChannels)).toEqual([])
  })

  test('changes what it tells of, without its address', async () => {
    const topics = async () => (await site.db.select().from(noticeChannels))[0]?.topics
    await visitor.post(`${OWN}/save`, own)
    const chosen = { 'topic-new_network': 'on', 'topic-password': 'on' }
    const saved = await visitor.post(`${OWN}/topics`, chosen)
    expect(saved.location).toBe(`${OWN}?done=topics-saved`)
    expect(await topics()).toBe('new_network password')
    expect(await textAt(OWN)).toContain('ntfy ntfy.sh Nothing delivered yet')
    const none = await visitor.post(`${OWN}/topics`, {})
    expect([none.status, alertIn(none.html)]).toEqual([400, 'Choose at least one.'])
    site.now += HOUR
    const stale = await visitor.post(`${OWN}/topics`, { 'topic-new_network': 'on' })
    expect(stale.status).toBe(403)
    const confirmed = { 'topic-new_network': 'on', confirm_password: PASSWORD }
    await visitor.post(`${OWN}/topics`, confirmed)
    expect(await topics()).toBe('new_network')
  })

  test('has no topics to change without a channel', async () => {
    const { status: answered } = await visitor.post(`${OWN}/topics`, { 'topic-password': 'on' })
    expect(answered).toBe(404)
  })

  test('shows the secret of a webhook once', async () => {
    const { html } = await visitor.post(`${OWN}/save`, { ...own, kind: 'webhook' })
    const secret = valueOf(html, 'secret')
    rememberSecret(secret)
    expect(secret).toMatch(/^whsec_/)
    expect(await textAt(OWN)).not.toContain(secret)
  })

  test('suggests a topic of ntfy that nobody guesses, and keeps it in a refused form', async () => {
    const opened = await visitor.get(`${OWN}?kind=ntfy`)
    expect(addressIn(opened)).toMatch(/^https:\/\/ntfy\.sh\/[a-z2-7]{16}$/)
    expect(addressIn(await visitor.get(`${OWN}?kind=ntfy`))).not.toBe(addressIn(opened))
    const topic = addressIn(opened).split('/').at(-1) ?? ''
    const form = { kind: 'ntfy', address: addressIn(opened) }
    const refused = await visitor.post(`${OWN}/save`, form)
    expect(addressIn(refused)).toBe(form.address)
    expect(refused.html).toContain(`<code id="topic">${topic}</code>`)
  })

  test('asks for no topic of a webhook, and for the kind where the address names none', async () => {
    expect((await visitor.get(`${OWN}?kind=webhook`)).html).not.toContain('id="topic"')
    const { html } = await visitor.get(`${OWN}?kind=slack`)
    expect(html).toContain(`${OWN}?kind=ntfy`)
    expect(html).not.toContain('name="address"')
  })

  test('shows what is wrong beside its field', async () => {
    const { html } = await visitor.post(`${OWN}/save`, { ...own, address: 'https://10.0.0.1/x' })
    expect(problemAt(html, 'address')).toBe('It must be a public https address.')
    const { 'topic-password': _, ...without } = own
    expect(textOf((await visitor.post(`${OWN}/save`, without)).html)).toContain(
      'Choose at least one.',
    )
  })

  test('asks an old session for the password', async () => {
    site.now += HOUR
    const { html } = await visitor.post(`${OWN}/save`, own)
    expect(problemAt(html, 'save-confirm_password')).not.toBe('')
    await visitor.post(`${OWN}/save`, { ...own, confirm_password: PASSWORD })
    expect(await site.db.select().from(noticeChannels)).toHaveLength(1)
  })

  test('asks again in the form that was sent, and keeps what was chosen', async () => {
    await visitor.post(`${OWN}/save`, own)
    site.now += HOUR
    const wrong = { 'topic-new_network': 'on', confirm_password: 'wrong-Passw0rd' }
    for (const form of ['delete', 'topics']) {
      const { html } = await visitor.post(`${OWN}/${form}`, wrong)
      expect(problemAt(html, `${form}-confirm_password`)).toBe('This is not your password.')
      expect(html.match(/<details class="confirm" open="">/g)).toHaveLength(1)
    }
    const { html } = await visitor.post(`${OWN}/topics`, wrong)
    expect(html).toMatch(/name="topic-new_network" checked/)
  })

  test('is no page of operators', async () => {
    expect((await visitor.get(SITE)).status).toBe(403)
  })
})

describe('the page of the channels of the site', () => {
  beforeEach(() => visitor.signIn('admin', ADMIN_PASSWORD))

  test('adds a channel in the language of the page, chooses topics, tests and deletes', async () => {
    expect((await visitor.post(`${SITE}/add`, slack)).location).toBe(
      `${SITE}?done=channel-added#newest`,
    )
    const [row] = await site.db.select().from(noticeChannels)
    expect(row).toMatchObject({ topics: 'new_admin', language: 'en', origin: 'http://localhost' })
    expect((await visitor.post(`${SITE}/test`, { id: '1' })).location).toBe(
      `${SITE}?done=channel-tested`,
    )
    await visitor.post(`${SITE}/topics`, { id: '1', 'topic-locked_out': 'on' })
    expect(await site.db.select().from(noticeChannels)).toMatchObject([{ topics: 'locked_out' }])
    await visitor.post(`${SITE}/delete`, { id: '1' })
    expect(await textAt(SITE)).toContain('No channels')
  })

  test('never leaves a channel without a topic', async () => {
    await visitor.post(`${SITE}/add`, slack)
    const none = await visitor.post(`${SITE}/topics`, { id: '1' })
    expect([none.status, alertIn(none.html)]).toEqual([400, 'Choose at least one.'])
    expect(none.html).toContain('<details class="menu" open="">')
    expect(await site.db.select().from(noticeChannels)).toMatchObject([{ topics: 'new_admin' }])
  })

  test('offers the six topics of a takeover for a new channel', async () => {
    const { html } = await visitor.get(`${SITE}/add?kind=slack`)
    expect(Array.from(html.matchAll(/name="topic-(\w+)" checked/g), ([, topic]) => topic)).toEqual([
      'many_refusals',
      'second_factor_off',
      'passkey_cloned',
      'access_replayed',
      'new_admin',
      'program_registered',
    ])
  })

  test('asks for an e-mail address, and has the other kinds folded', async () => {
    const { html } = await visitor.get(`${SITE}/add`)
    expect(html).toContain('<input type="hidden" name="kind" value="email"')
    const kinds = Array.from(html.matchAll(/\/add\?kind=(\w+)/g), ([, kind]) => kind)
    expect(kinds).toEqual(CHANNEL_KINDS.filter((kind) => kind !== 'email'))
    expect(html.indexOf('kind=webhook')).toBeGreaterThan(html.indexOf('<details class="older"'))
  })

  test('keeps what was typed, except the token', async () => {
    const telegram = { ...slack, kind: 'telegram', address: '', token: '12:geheim', chat: 'x y' }
    const { html } = await visitor.post(`${SITE}/add`, telegram)
    expect(problemAt(html, 'chat')).toBe('It must be the number of a chat, or @name.')
    expect(valueOf(html, 'name')).toBe('ops')
    expect(html).not.toContain('geheim')
  })
})
