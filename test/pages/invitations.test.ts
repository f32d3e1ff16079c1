import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderRules, groupMembers, links, sessions, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { addGroup } from '../support/groups.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { JoiningSite, NEW_PASSWORD, secretOf } from '../support/joining.ts'
import { expectEscaped, MARKUP } from '../support/markup.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { alertIn, problemAt, textOf, undoIn, valueOf, Visitor } from '../support/visitor.ts'

const PATH = '/account/admin/invitations'
const ADD = `${PATH}/add`
const DAY = 24 * HOUR

let site: JoiningSite
let admin: Visitor

beforeEach(async () => {
  site = await new JoiningSite().begin()
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
})

async function listed(visitor = admin): Promise<string> {
  return textOf((await visitor.get(PATH)).html)
}

/** The words of a page, with no more spaces than it has. */
async function wordsAt(who: Visitor, path: string, language = 'en'): Promise<string> {
  return (await who.get(path, { 'Accept-Language': language })).html.replaceAll(/<[^>]*>/g, '')
}

describe('the page of invitations', () => {
  test('is in the navigation of admins, and refused to everybody else', async () => {
    expect((await admin.get('/account')).html).toContain(`href="${PATH}"`)
    await site.addUser('alice', { password: NEW_PASSWORD })
    const alice = new Visitor(site)
    await alice.signIn('alice', NEW_PASSWORD)
    expect((await alice.get('/account')).html).not.toContain(PATH)
    for (const path of [PATH, ADD]) {
      expect((await alice.get(path)).status, path).toBe(403)
      expect(await new Visitor(site).get(path)).toMatchObject({ status: 303 })
    }
    for (const form of ['add', 'withdraw'])
      expect((await alice.post(`${PATH}/${form}`, { id: '1' })).status, form).toBe(403)
    expect(await site.db.select().from(links)).toEqual([])
  })

  test('shows who may use which link, how often it was used, and until when', async () => {
    expect(await listed()).toContain('No invitations')
    await site.invite({ name: 'family', uses: 3 })
    await site.invite({ username: 'carol', email: 'carol@example.org' })
    const used = await site.invite({ name: 'for bob' })
    await site.register({ username: 'bob', invitation: used })
    const text = await listed()
    expect(text).toContain('for bob Used 1 of 1 used')
    expect(text).toContain('carol Valid 0 of 1 used Ends in 7 days Mailed to carol@example.org')
    expect(text).toContain('family Valid 0 of 3 used Ends in 7 days')
    expect(text.match(/Withdraw/g)?.length).toBeGreaterThanOrEqual(2)
    site.now += 8 * DAY
    admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    expect(await listed()).toContain('family No longer valid 0 of 3 used Ended yesterday')
  })

  test('shows who joined with which link, and the page of a user says with which', async () => {
    const family = await site.invite({ name: 'family', uses: 12 })
    const work = await site.invite({ name: 'work' })
    for (let i = 1; i <= 11; i++)
      await site.register({ username: `user-${i}`, invitation: family }, `192.0.${i}.2`)
    await site.register({ username: 'bob', invitation: work })
    const { html } = await admin.get(PATH)
    const text = textOf(html)
    expect(text).toMatch(
      /family Valid 11 of 12 used .* Joined: user-1 , user-2 , .* user-10 and 1 more/,
    )
    // Without the spaces of `textOf` between two links.
    expect(html.replaceAll(/<[^>]*>/g, '')).toContain('Joined: user-1, user-2, user-3')
    expect(text).toMatch(/work Used 1 of 1 used .* Joined: bob$|Joined: bob /)
    const [bob] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(html).toContain(`<a href="/account/admin/users/${bob?.id}">bob</a>`)
    const page = async () => textOf((await admin.get(`/account/admin/users/${bob?.id}`)).html)
    expect(await page()).toContain('Joined with the invitation “work”')
    await site.db.delete(links)
    expect(await page()).toContain('Joined with an invitation')
    expect(textOf((await admin.get('/account/admin/users/1')).html)).not.toContain('Joined with')
  })

  test('is named by the events of who joined with it', async () => {
    await addGroup(site, 'Board')
    const invitation = await site.invite({ name: 'board', groups: ['Board'] })
    await site.register({ username: 'betty', invitation })
    const betty = new Visitor(site)
    await betty.signIn('betty', NEW_PASSWORD)
    const ofSite = await wordsAt(admin, '/account/admin/events')
    expect(ofSite).toContain('betty registered with an invitation of admin')
    expect(ofSite).toContain('admin added betty to the group “Board”: with an invitation')
    const chinese = await wordsAt(admin, '/account/admin/events', 'zh')
    expect(chinese).toContain('betty 注册账户（admin 邀请）')
    expect(chinese).toContain('admin 把 betty 加入用户组“Board”：通过邀请')
    const own = await wordsAt(betty, '/account/activity')
    expect(own).toContain('You registered with an invitation of admin')
    expect(own).toContain('admin added you to the group “Board”: with an invitation')
  })

  test('lists no link for a new password, and never a secret', async () => {
    const id = await site.addUser('alice', { password: NEW_PASSWORD })
    await site.asAdmin('/api/admin/user/reset_link', { id })
    const secret = await site.invite({ name: 'family' })
    const { html } = await admin.get(PATH)
    expect(html).not.toContain('alice')
    expect(html).not.toContain(secret)
  })

  test('mails a link again, at most once in ten minutes, and ends the one before', async () => {
    await site.invite({ email: 'carol@example.org' })
    const [first = ''] = (await site.mail()).map(({ text }) => secretOf(text))
    const [before] = await site.db.select().from(links)
    const again = (visitor = admin, more = {}) =>
      visitor.post(`${PATH}/again`, { id: '1', ...more })
    const soon = await again()
    expect(soon.status).toBe(429)
    expect(soon.headers.get('Retry-After')).toMatch(/^(?:600|59\d)$/)
    expect(await site.mail()).toHaveLength(1)
    site.now += HOUR
    const { html } = await again()
    expect(problemAt(html, 'again-1-confirm_password')).toBe('Confirm your identity to continue.')
    expect(await site.db.select().from(links)).toEqual([before])
    const { location } = await again(admin, { confirm_password: ADMIN_PASSWORD })
    expect(location).toBe(`${PATH}?done=invitation-mailed`)
    const [mail, ...others] = (await site.mail()).slice(1)
    expect([mail?.to, others]).toEqual(['carol@example.org', []])
    const [row] = await site.db.select().from(links)
    expect(row).toMatchObject({ createdBy: 1, used: 0 })
    const lifetime = (link = row) => (link?.endsAt ?? 0) - (link?.createdAt ?? 0)
    expect(lifetime()).toBeCloseTo(lifetime(before), -1)
    expect(row?.createdAt).toBeGreaterThan(before?.createdAt ?? 0)
    expect((await site.register({ username: 'carol', invitation: first })).code).toBe(404)
    const second = secretOf(mail?.text ?? '')
    expect((await site.register({ username: 'carol', invitation: second })).code).toBe(200)
    expect((await again()).status, 'it is used up').toBe(404)
    expect((await admin.get(PATH)).html).not.toContain('Send again')
  })

  test('mails no link again that was handed over', async () => {
    await site.invite({ name: 'family' })
    site.now += 20 * 60 * 1000
    await site.db.update(sessions).set({ confirmedAt: site.now })
    expect((await admin.post(`${PATH}/again`, { id: '1' })).status).toBe(404)
    expect((await admin.get(PATH)).html).not.toContain('Send again')
  })

  test('withdraws a link, which nobody can use then', async () => {
    const link = await site.invite({ name: 'family' })
    const [row] = await site.db.select().from(links)
    const seen = await admin.post(`${PATH}/withdraw`, { id: String(row?.id) })
    expect(seen.location).toBe(`${PATH}?done=invitation-withdrawn&undo=${undoIn(seen)}`)
    expect((await site.register({ username: 'bob', invitation: link })).code).toBe(404)
    const again = await admin.post(`${PATH}/withdraw`, { id: String(row?.id) })
    expect(again.status).toBe(404)
    expect(alertIn(again.html)).toBe('There is no such link.')
  })

  test('has pages of 25, and leads back to the last one', async () => {
    const row = { kind: 'invitation', createdAt: site.now, endsAt: site.now + DAY }
    for (let place = 1; place <= 26; place++)
      await site.db.insert(links).values({ ...row, name: `n${place}.`, tokenHash: String(place) })
    const first = await admin.get(PATH)
    expect(textOf(first.html)).toContain('n26.')
    expect(textOf(first.html)).not.toContain(' n1.')
    expect(textOf((await admin.get(`${PATH}?page=2`)).html)).toContain(' n1.')
    expect(await admin.get(`${PATH}?page=9`)).toMatchObject({ location: `${PATH}?page=2` })
  })

  test('shows markup in a note as text', async () => {
    await site.invite({ name: MARKUP.slice(0, 100) })
    expectEscaped((await admin.get(PATH)).html)
    const refused = await admin.post(ADD, { name: MARKUP, base_path: MARKUP, uses: 'x' })
    expect(refused.status).toBe(400)
    expectEscaped(refused.html)
  })
})

describe('the form of a new invitation', () => {
  test('has a box for each group, and puts the accounts into those that are checked', async () => {
    expect((await admin.get(ADD)).html).not.toContain('name="groups-')
    await addGroup(site, 'Board')
    await addGroup(site, 'family')
    const { html } = await admin.get(ADD)
    expect(html).toMatch(/name="groups-Board".*name="groups-family"/s)
    const refused = await admin.post(ADD, { who: 'x', uses: 'x', 'groups-family': 'on' })
    expect(refused.html).toContain('name="groups-family" checked=""')
    const sent = { who: 'for bob', uses: '1', 'groups-family': 'on' }
    const made = await admin.post(ADD, sent)
    expect(textOf(made.html)).toContain('Its accounts are in these groups: family.')
    expect(await listed()).toContain('Groups: family')
    const invitation = secretOf(valueOf(made.html, 'link'))
    expect((await site.register({ username: 'bob', invitation })).code).toBe(200)
    expect(await site.db.select().from(groupMembers)).toMatchObject([{ groupId: 2 }])
    const unknown = await admin.post(ADD, { who: 'x', uses: '1', 'groups-gone': 'on' })
    expect([unknown.status, alertIn(unknown.html)]).toEqual([404, expect.any(String)])
  })

  test('begins with no right that the invitation before gave', async () => {
    await addGroup(site, 'family')
    const { html } = await admin.get(ADD)
    await admin.post(ADD, {
      who: 'anna',
      'groups-family': 'on',
      base_path: '/club',
      'permission-level': 'everything',
    })
    const [row] = await site.db.select().from(links)
    expect(row).toMatchObject({ basePath: '/club', permission: 0xffff, groupIds: '[1]' })
    expect((await admin.get(ADD)).html).toBe(html)
  })

  test('says which folders of a group the base folder hides', async () => {
    const visitor = new Visitor(new CheapSite(new OpenListStandIn().deps, FILES_BINDINGS))
    for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
    const board = await addGroup(site, 'Board')
    const own = await addGroup(site, 'own')
    const rule = (groupId: number, path: string, access: string) =>
      site.db.insert(folderRules).values({ path, groupId, access, createdAt: 0 })
    const shown = async (fields?: Record<string, string>) =>
      textOf((await (fields ? visitor.post(ADD, fields) : visitor.get(ADD))).html)
    await rule(own, '/x', 'none')
    expect(await shown()).not.toContain('hides')
    await rule(board, '/club', 'write')
    await rule(board, '/club/minutes', 'read')
    await rule(board, '/mail', 'read')
    const HINT = 'Board The base folder /homes/{username} hides /club, /mail own Base folder'
    expect(await shown()).toContain(HINT)
    const wrong = { who: 'x', uses: 'x', 'groups-Board': 'on' }
    expect(await shown({ ...wrong, base_path: '' })).toContain(HINT)
    expect(await shown({ ...wrong, base_path: '/club/' })).toContain('folder /club hides /mail own')
    expect(await shown({ ...wrong, base_path: '/' })).not.toContain('hides')
    for (const path of ['/a', '/b']) await rule(board, path, 'read')
    expect(await shown()).toContain('hides /a, /b, /club, … own')
    const made = { who: 'x', 'groups-Board': 'on', 'groups-own': 'on' }
    expect(await shown({ ...made, base_path: '/club' })).toContain(
      'The base folder of its accounts, /club, hides /a, /b, /mail',
    )
    for (const fields of [{ ...made, base_path: '/' }, { who: 'x' }])
      expect(await shown(fields)).not.toContain('hides')
  })

  test('makes a link, which it shows once and which makes the account', async () => {
    const { status, html } = await admin.post(ADD, {
      who: 'family',
      username: '',
      uses: '2',
      ends_at: '2026-12-24',
      base_path: '/homes/{username}',
      'permission-8': 'on',
      account_ends_at: '',
      account_days: '30',
    })
    expect(status).toBe(200)
    const link = valueOf(html, 'link')
    const secret = secretOf(link)
    expect(link).toBe(`https://files.example.org/account/link/${secret}`)
    const [row] = await site.db.select().from(links)
    expect(row).toMatchObject({ uses: 2, endsAt: Date.parse('2026-12-24T00:00:00Z') })
    expect((await site.register({ username: 'bob', invitation: secret })).code).toBe(200)
    const [bob] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(bob).toMatchObject({
      basePath: '/homes/bob',
      permission: 1 << 8,
      endsAt: site.now + 30 * DAY,
    })
  })

  test('makes one for one account and seven days when nothing is entered', async () => {
    const empty = { who: '', username: '', uses: '', ends_at: '', base_path: '' }
    await admin.post(ADD, { ...empty, account_ends_at: '', account_days: '' })
    expect(await site.db.select().from(links)).toMatchObject([
      { uses: 1, basePath: '/', permission: 0, endsAt: site.now + 7 * DAY, accountDays: null },
    ])
  })

  test('mails the link, and then shows it to nobody', async () => {
    const { location } = await admin.post(ADD, { who: 'carol@example.org', uses: '1' })
    expect(location).toBe(`${PATH}?done=invitation-mailed`)
    const [mail] = await site.mail()
    expect(mail?.to).toBe('carol@example.org')
    const { html } = await admin.get(`${PATH}?done=invitation-mailed`)
    expect(textOf(html)).toContain('The invitation is on its way.')
    expect(html).not.toContain(secretOf(mail?.text ?? ''))
  })

  test('offers no address while the site sends no mail', async () => {
    expect((await admin.get(ADD)).html).toContain('Name or e-mail address')
    const visitor = new Visitor(new JoiningSite({ mailFrom: () => undefined }))
    for (const [name, value] of admin.cookies) visitor.cookies.set(name, value)
    expect((await visitor.get(ADD)).html).not.toContain('e-mail')
  })

  test.each([
    ['uses', { uses: '0' }, 'It must be 1 to 1000.'],
    ['uses', { uses: '2', username: 'bob' }, 'It must be 1 for a fixed name'],
    ['ends_at', { ends_at: '2020-01-01' }, 'This must be in the future.'],
    ['ends_at', { ends_at: '2026-02-30' }, 'It must be a date.'],
    ['account_days', { account_days: '3651' }, 'It must be 1 to 3650.'],
    ['account_days', { account_days: '3', account_ends_at: '2027-01-01' }, 'Give either a date'],
    ['who', { who: 'anna@' }, 'It must be an e-mail address'],
    ['base_path', { base_path: 'homes' }, 'It must be an absolute path'],
  ])(
    'shows at %s what is wrong with %j, and keeps what was entered',
    async (field, fields, why) => {
      const { status, html } = await admin.post(ADD, { who: 'family', ...fields })
      expect(status).toBe(400)
      expect(problemAt(html, field)).toContain(why)
      expect(valueOf(html, 'who')).toBe(field === 'who' ? 'anna@' : 'family')
      expect(await site.db.select().from(links)).toEqual([])
    },
  )

  test('asks for the password in a session that is not fresh', async () => {
    await site.db.update(sessions).set({ signedInAt: 0 })
    const refused = await admin.post(ADD, { who: 'family' })
    expect(refused.status).toBe(403)
    expect(await site.db.select().from(links)).toEqual([])
    await admin.post(ADD, { who: 'family', confirm_password: ADMIN_PASSWORD })
    expect(await site.db.select().from(links)).toHaveLength(1)
  })
})
