import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { links, sessions, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { changeDetails } from '../../src/capabilities/users/details.ts'
import { JoiningSite, NEW_PASSWORD, secretOf } from '../support/joining.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const USERS = '/account/admin/users'
const WAITING = `${USERS}?group=waiting`
const LIST = '?list=group%3Dwaiting'

let site: JoiningSite
let admin: Visitor

beforeEach(async () => {
  site = await new JoiningSite().begin()
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
})

const textAt = async (path: string) => textOf((await admin.get(path)).html)

async function rowOf(username: string) {
  const [row] = await site.db.select().from(users).where(eq(users.username, username))
  return row
}

async function makeStale(): Promise<void> {
  await site.db.update(sessions).set({ signedInAt: 0 })
}

describe('people who wait for an approval', () => {
  let bob: number

  beforeEach(async () => {
    await site.set({ allow_register: 'true', register_approval: 'true' })
    await site.register({ username: 'bob' })
    await site.register({ username: 'carol' })
    bob = (await rowOf('bob'))?.id ?? 0
    site.now += 3 * MINUTE
  })

  test('are counted in the overview of administrators, which leads to them', async () => {
    const { html } = await admin.get('/account/admin')
    expect(textOf(html)).toContain('Needs your attention 2 people wait for your approval')
    expect(html).toMatch(
      /2 people wait for your approval(?:(?!<li).)*<a role="button" href="\/account\/admin\/users\?group=waiting">/s,
    )
    await admin.post(`${USERS}/${bob}/approve`)
    expect(await textAt('/account/admin')).toContain('1 person waits for your approval')
    await admin.post(`${USERS}/${(await rowOf('carol'))?.id}/reject`)
    expect(await textAt('/account/admin')).not.toContain('Needs your attention')
  })

  test('are listed with when and from where they registered', async () => {
    const text = await textAt(WAITING)
    expect(text).toContain('bob Registered 3 minutes ago 198.51.100.7')
    expect(text).toContain('carol Registered')
    expect(text).not.toContain('guest')
    expect(await textAt(USERS)).toContain('bob Waiting')
  })

  test('are approved without a question while the session is fresh', async () => {
    const form = `<form method="post" action="${USERS}/${bob}/approve${LIST}"><input type="hidden" name="named" value="bob"/><button>Approve</button></form>`
    expect((await admin.get(WAITING)).html).toContain(form)
    site.now += 15 * MINUTE
    const { html } = await admin.get(WAITING)
    expect(html).not.toContain(form)
    expect(html).toMatch(/<summary>.*?Approve.*?name="confirm_password"/s)
  })

  test('are approved from the list, which is shown again', async () => {
    const { location } = await admin.post(`${USERS}/${bob}/approve${LIST}`)
    expect(location).toBe(`${WAITING}&done=user-approved`)
    expect(await rowOf('bob')).toMatchObject({ waiting: false, disabled: false })
    expect((await site.login('bob', NEW_PASSWORD)).code).toBe(200)
    expect(await textAt(WAITING)).not.toContain('bob')
  })

  test('are rejected, and gone', async () => {
    const { location } = await admin.post(`${USERS}/${bob}/reject${LIST}`)
    expect(location).toBe(`${WAITING}&done=user-rejected`)
    expect(await rowOf('bob')).toBeUndefined()
    const again = await admin.post(`${USERS}/${bob}/reject${LIST}`)
    expect(again.status).toBe(404)
  })

  test('are decided about on their own page, which leads on', async () => {
    const text = await textAt(`${USERS}/${bob}`)
    expect(text).toContain('bob waits for your approval Registered 3 minutes ago 198.51.100.7')
    const { location } = await admin.post(`${USERS}/${bob}/approve`)
    expect(location).toBe(`${USERS}/${bob}?done=user-approved`)
    expect(await textAt(`${USERS}/${bob}`)).not.toContain('waits for your approval')
  })

  test.each(['approve', 'reject'])(
    'are decided about (%s) by a fresh session only',
    async (form) => {
      await makeStale()
      const { status, html } = await admin.post(`${USERS}/${bob}/${form}`)
      expect(status).toBe(403)
      expect(problemAt(html, `${form}-${bob}-confirm_password`)).toBeDefined()
      expect(await rowOf('bob')).toMatchObject({ waiting: true })
      await admin.post(`${USERS}/${bob}/${form}`, { confirm_password: ADMIN_PASSWORD })
      expect((await rowOf('bob'))?.waiting ?? false).toBe(false)
    },
  )

  test('are not touched by a user without the role', async () => {
    await admin.post(`${USERS}/${bob}/approve`)
    const visitor = new Visitor(site)
    await visitor.signIn('bob', NEW_PASSWORD)
    const carol = (await rowOf('carol'))?.id
    for (const form of ['approve', 'reject', 'details', 'reset-link'])
      expect((await visitor.post(`${USERS}/${carol}/${form}`)).status, form).toBe(403)
    expect(await rowOf('carol')).toMatchObject({ waiting: true })
    expect(await site.db.select().from(links)).toEqual([])
  })
})

describe('the address and the end of an account', () => {
  let id: number
  const end = Date.parse('2027-03-01T15:30:00Z')

  beforeEach(async () => {
    id = await site.addUser('alice', {
      password: NEW_PASSWORD,
      email: 'alice@example.org',
      emailVerified: true,
      endsAt: end,
    })
  })

  test('are on the page of the user', async () => {
    const text = await textAt(`${USERS}/${id}`)
    expect(text).toContain(
      'E-mail and end date alice@example.org Confirmed by the user. Ends in 3 months',
    )
    await site.db
      .update(users)
      .set({ emailVerified: false, endsAt: site.now - 24 * HOUR })
      .where(eq(users.id, id))
    const later = await textAt(`${USERS}/${id}`)
    expect(later).toContain('Not confirmed: only the user can confirm it. Ended yesterday')
    expect(await textAt(USERS)).toContain('alice Ended')
  })

  test('are changed, and what stays the same keeps its time and its confirmation', async () => {
    const { html } = await admin.get(`${USERS}/${id}`)
    expect(valueOf(html, 'details-ends_at')).toBe('2027-03-01')
    const fields = { email: 'alice@example.org', ends_at: '2027-03-01', shown_end: '2027-03-01' }
    const { location } = await admin.post(`${USERS}/${id}/details`, fields)
    expect(location).toBe(`${USERS}/${id}?done=user-changed`)
    expect(await rowOf('alice')).toMatchObject({ endsAt: end, emailVerified: true })
    await admin.post(`${USERS}/${id}/details`, { ...fields, ends_at: '2027-04-01' })
    expect(await rowOf('alice')).toMatchObject({ endsAt: Date.parse('2027-04-01T00:00:00Z') })
    await admin.post(`${USERS}/${id}/details`, {
      email: 'a@example.org',
      ends_at: '',
      shown_end: 'x',
    })
    expect(await rowOf('alice')).toMatchObject({
      endsAt: null,
      email: 'a@example.org',
      emailVerified: false,
    })
  })

  test.each([
    ['email', { email: 'nobody' }],
    ['ends_at', { ends_at: '2020-01-01' }],
    ['ends_at', { ends_at: 'soon' }],
  ])('show at %s what is wrong with %j', async (field, fields) => {
    const shown = { email: 'alice@example.org', ends_at: '', ...fields }
    const { status, html } = await admin.post(`${USERS}/${id}/details`, {
      ...shown,
      shown_end: '-',
    })
    expect(status).toBe(400)
    expect(problemAt(html, `details-${field}`)).toBeDefined()
    expect(await rowOf('alice')).toMatchObject({ endsAt: end, email: 'alice@example.org' })
  })

  test('need a fresh session, and no end is offered for an admin', async () => {
    await makeStale()
    const { html } = await admin.post(`${USERS}/${id}/details`, { email: '' })
    expect(problemAt(html, 'details-confirm_password')).toBeDefined()
    expect((await rowOf('alice'))?.email).toBe('alice@example.org')
    expect((await admin.get(`${USERS}/1`)).html).not.toContain('details-ends_at')
    expect((await admin.get(`${USERS}/2`)).html).not.toContain('details-email')
  })

  test('are refused to the guest at every door', async () => {
    const address = { email: 'guest@example.org' }
    const refused = { code: 400, message: 'Guest user has no e-mail address', data: null }
    const token = admin.cookies.get('session') ?? ''
    const { status, html } = await admin.post(`${USERS}/2/details`, address)
    expect(await site.post('/api/admin/user/details', { id: 2, ...address }, { token })).toEqual(
      refused,
    )
    await expect(changeDetails(site.deps, COMMAND_LINE, 2, address, 'en')).rejects.toThrow(
      refused.message,
    )
    expect([status, html.includes('The guest has no e-mail address.')]).toEqual([400, false])
    expect(await rowOf('guest')).toMatchObject({ email: '', endsAt: null })
    // What an earlier version let in can be removed.
    await site.db.update(users).set(address).where(eq(users.id, 2))
    await changeDetails(site.deps, COMMAND_LINE, 2, { email: '' }, 'en')
    expect((await rowOf('guest'))?.email).toBe('')
  })

  test('stand beside the limit of sessions, while there is one', async () => {
    expect(await textAt(`${USERS}/${id}`)).not.toContain('at most')
    await site.set({ max_devices: '3' })
    await site.token('alice', NEW_PASSWORD)
    expect(await textAt(`${USERS}/${id}`)).toContain('Sessions 1 at most 3')
  })
})

describe('a link for a new password', () => {
  test('is shown once, and sets a password', async () => {
    const id = await site.addUser('alice', { password: 'alice-Passw0rd' })
    const { status, html } = await admin.post(`${USERS}/${id}/reset-link`)
    expect(status).toBe(200)
    expect(textOf(html)).toContain('Link for alice')
    const fields = { password: NEW_PASSWORD, repeat: NEW_PASSWORD }
    const link = secretOf(valueOf(html, 'link'))
    await new Visitor(site).post('/account/link', { link, ...fields })
    expect((await site.login('alice', NEW_PASSWORD)).code).toBe(200)
  })

  test('also turns off two-step verification if the operator says so', async () => {
    const id = await site.addUser('alice', { password: 'alice-Passw0rd' })
    expect((await admin.get(`${USERS}/${id}`)).html).not.toContain('second_factor')
    await site.enrol(await site.token('alice', 'alice-Passw0rd'))
    expect((await admin.get(`${USERS}/${id}`)).html).toContain('second_factor')
    await admin.post(`${USERS}/${id}/reset-link`)
    await admin.post(`${USERS}/${id}/reset-link`, { second_factor: 'true' })
    expect(await site.db.select().from(links)).toMatchObject([
      { secondFactor: false },
      { secondFactor: true },
    ])
  })

  test('needs a fresh session, and is refused for an account that is disabled', async () => {
    const id = await site.addUser('alice', { password: 'alice-Passw0rd', disabled: true })
    const refused = await admin.post(`${USERS}/${id}/reset-link`)
    expect(refused.status).toBe(400)
    expect(textOf(refused.html)).toContain('disabled or has ended')
    await site.db.update(users).set({ disabled: false }).where(eq(users.id, id))
    await makeStale()
    const { html } = await admin.post(`${USERS}/${id}/reset-link`)
    expect(problemAt(html, 'reset-link-confirm_password')).toBeDefined()
    expect(await site.db.select().from(links)).toEqual([])
  })
})
