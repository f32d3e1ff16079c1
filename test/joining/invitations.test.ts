import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  groupMembers,
  groups,
  links,
  reservedNames,
  settings,
  users,
} from '../../schema/tables.ts'
import { parseFileServer } from '../../src/core/base/file-server.ts'
import { addGroup } from '../support/groups.ts'
import { JoiningSite, NEW_PASSWORD, secretOf, SITE_ADDRESS } from '../support/joining.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const DAY = 24 * HOUR
const INVALID = { code: 404, message: 'this link is not valid, ask for a new one', data: null }
const OK = { code: 200, message: 'success', data: null }

let site: JoiningSite
beforeEach(async () => {
  site = await new JoiningSite().begin()
})

const userNamed = async (username: string) =>
  (await site.db.select().from(users).where(eq(users.username, username)))[0]
const states = async () => {
  const { data } = await site.get('/api/admin/link/list', { token: site.admin })
  return data.content.map(({ state, used }: { state: string; used: number }) => [state, used])
}
const isoIn = (milliseconds: number) => new Date(site.now + milliseconds).toISOString()

describe('POST /api/admin/invitation/create', () => {
  test('gives a link of 256 random bits, of which only the hash is stored', async () => {
    const { data } = await site.asAdmin('/api/admin/invitation/create', { name: 'family' })
    const secret = secretOf(data.link)
    expect(data).toEqual({
      id: 1,
      link: `${SITE_ADDRESS}/account/link/${secret}`,
      ends_at: '2026-11-28T09:15:06.565+00:00',
    })
    expect(secret).toHaveLength(43)
    expect(JSON.stringify(await site.db.select().from(links))).not.toContain(secret)
    expect(JSON.stringify(await site.db.select().from(auditEvents))).not.toContain(secret)
    expect((await site.db.select().from(auditEvents)).at(-1)).toMatchObject({
      kind: 'invitation_made',
      detail: 'family',
    })
  })

  test.each([
    [{ uses: 0 }, 'uses must be 1 to 1000'],
    [{ uses: 1001 }, 'uses must be 1 to 1000'],
    [{ uses: 2, username: 'bob' }, 'uses must be 1 for a fixed name or an e-mail address'],
    [{ uses: 2, email: 'a@b.example' }, 'uses must be 1 for a fixed name or an e-mail address'],
    [{ email: 'a@localhost' }, 'email must be an e-mail address'],
    [{ permission: 65_536 }, 'permission must be 0 to 65535'],
    [{ base_path: 'x' }, 'base_path must be an absolute path'],
    [{ ends_at: '2026-11-21T09:15:06Z' }, 'ends_at must be in the future'],
    [{ ends_at: '2027-11-22T09:15:06Z' }, 'ends_at must be at most 365 days away'],
    [{ account_ends_at: '2026-11-21T09:15:06Z' }, 'account_ends_at must be in the future'],
    [{ account_days: 3651 }, 'account_days must be 1 to 3650'],
    [
      { account_days: 3, account_ends_at: '2027-11-21T09:15:06Z' },
      'account_days must not be given together with account_ends_at',
    ],
    [{ username: 'a/b' }, 'username must not be . or .. nor contain / or \\'],
    [{ name: 'x'.repeat(101) }, 'name must have at most 100 characters'],
  ])('refuses %j', async (fields, message) => {
    expect(await site.asAdmin('/api/admin/invitation/create', fields)).toEqual({
      code: 400,
      message,
      data: null,
    })
  })

  test('is for admins with a fresh session', async () => {
    await site.addUser('bob', { password: NEW_PASSWORD })
    const token = await site.token('bob', NEW_PASSWORD)
    const path = '/api/admin/invitation/create'
    expect((await site.post(path, {}, { token })).message).toBe('You are not an admin')
    site.now += HOUR
    expect((await site.asAdmin(path, {})).code).toBe(403)
    expect(await site.db.select().from(links)).toEqual([])
  })

  test('is refused for a fixed name that is taken or reserved', async () => {
    const invite = (username: string) =>
      site.asAdmin('/api/admin/invitation/create', { username }).then(({ message }) => message)
    await site.addUser('carol', { basePath: '/homes/c' })
    await site.addUser('straße')
    expect(await invite('CAROL')).toBe('username is already taken')
    expect(await invite('STRASSE')).toBe('username is already taken')
    const reserved = { username: 'Dave', usernameKey: 'dave', userId: 9, reservedAt: 1 }
    await site.db.insert(reservedNames).values(reserved)
    expect(await invite('dave')).toBe('username belonged to another account')
    expect(await site.db.select().from(links)).toEqual([])
    expect((await site.db.select().from(auditEvents)).map(({ kind }) => kind)).not.toContain(
      'invitation_made',
    )
    // An operator knows whose folder it is.
    await site.db.update(reservedNames).set({ ofFolder: true })
    expect(await invite('dave')).toBe('success')
    expect(await invite('erin')).toBe('success')
  })

  test('mails the link to an address, and shows it to nobody else', async () => {
    const { data } = await site.asAdmin('/api/admin/invitation/create', {
      email: ' Carol@Example.org ',
    })
    expect(data.link).toBe('')
    const [mail] = await site.mail()
    expect(mail?.to).toBe('Carol@example.org')
    const invitation = secretOf(mail?.text ?? '')
    expect(await site.register({ invitation, username: 'carol' })).toEqual(OK)
    expect(await userNamed('carol')).toMatchObject({
      email: 'Carol@example.org',
      emailVerified: true,
    })
  })

  test('is refused with an address while the site sends no mail', async () => {
    const silent = new JoiningSite({ mailFrom: () => undefined })
    silent.admin = site.admin
    const body = { email: 'a@b.example' }
    expect(await silent.asAdmin('/api/admin/invitation/create', body)).toEqual({
      code: 403,
      message: 'this site sends no mail, ask an administrator',
      data: null,
    })
  })
})

const sendOut = async () => new Response(null, { status: 503 })

describe('where a file server stands behind the site', () => {
  const OWN = { basePath: '/homes/carol' }
  beforeEach(async () => {
    const files = parseFileServer({ FILES_ORIGIN: 'http://files.example.org', FILES_TOKEN: 'x' })
    const behind = new JoiningSite({ fileServer: () => files, sendOut })
    behind.admin = site.admin
    site = behind
  })

  test('an invited user has a folder of the own name, unless the invitation says otherwise', async () => {
    await site.register({ username: 'carol', invitation: await site.invite() })
    expect(await userNamed('carol')).toMatchObject(OWN)
    await site.register({ username: 'dave', invitation: await site.invite({ base_path: '/' }) })
    expect(await userNamed('dave')).toMatchObject({ basePath: '/' })
    const erin = await site.invite({ username: 'erin' })
    await site.register({ invitation: erin })
    expect(await userNamed('erin')).toMatchObject({ basePath: '/homes/erin' })
  })

  test('so has a registered one, unless the setting says otherwise', async () => {
    await site.db.insert(settings).values({ key: 'allow_register', value: 'true' })
    await site.addUser('other', { basePath: '/homes/DAVE' })
    expect(await site.register({ username: 'carol' })).toEqual(OK)
    expect(await userNamed('carol')).toMatchObject(OWN)
    expect((await site.register({ username: 'dave' })).code).toBe(409)
    await site.db.insert(settings).values({ key: 'register_base_path', value: '/' })
    expect(await site.register({ username: 'erin' })).toEqual(OK)
    expect(await userNamed('erin')).toMatchObject({ basePath: '/' })
  })

  test('the forms of the pages begin with that folder', async () => {
    const operator = new Visitor(site)
    await operator.signIn('admin', ADMIN_PASSWORD)
    for (const path of ['/account/admin/invitations/add', '/account/admin/users/new']) {
      const { html } = await operator.get(path)
      expect(html, path).toMatch(/name="base_path"[^>]*value="\/homes\/\{username\}"/)
    }
  })
})

describe('the page that makes an invitation', () => {
  const path = '/account/admin/invitations/add'
  let operator: Visitor
  beforeEach(async () => {
    operator = new Visitor(site)
    await operator.signIn('admin', ADMIN_PASSWORD)
  })

  test('mails it to an address, in the name of who invites', async () => {
    await site.set({ site_title: 'Family files' })
    await operator.post(path, { who: ' anna@example.org ', 'permission-level': 'read' })
    const [mail] = await site.mail()
    expect(mail).toMatchObject({
      to: 'anna@example.org',
      subject: 'admin invites you to Family files',
    })
    const page = await new Visitor(site).get(`/account/link/${secretOf(mail?.text ?? '')}`)
    expect(page.html).toContain('<h1>admin invites you to Family files</h1>')
  })

  test('shows the link for a name', async () => {
    const made = await operator.post(path, {
      who: 'Anna',
      'permission-level': 'write',
      base_path: '/family',
    })
    expect(made.html).toContain(`${SITE_ADDRESS}/account/link/`)
  })

  test('says beside the field that an address is wrong', async () => {
    const { html } = await operator.post(path, { who: 'anna@', 'permission-level': 'read' })
    expect(html).toMatch(/id="who"[^>]*aria-invalid="true"/)
    expect(await site.mail()).toEqual([])
  })

  test('folds away what nobody can use any more', async () => {
    await operator.post(path, { who: 'Anna', 'permission-level': 'read' })
    await operator.post(path, { who: 'Bert', 'permission-level': 'read', uses: '1' })
    site.now += 30 * DAY
    await operator.signIn('admin', ADMIN_PASSWORD)
    await operator.post(path, { who: 'Carl', 'permission-level': 'read' })
    const { html } = await operator.get('/account/admin/invitations')
    const fold = html.slice(html.indexOf('class="fold"'))
    expect([fold.includes('Anna'), fold.includes('Bert'), fold.includes('Carl')]).toEqual([
      true,
      true,
      false,
    ])
    expect(html).toContain('Carl')
  })
})

test('an operator puts the name of a new user into the folder, too', async () => {
  const path = '/api/admin/user/create'
  const carol = { username: 'carol', base_path: '/homes/{username}/x' }
  expect(await site.asAdmin(path, carol)).toEqual(OK)
  expect(await userNamed('carol')).toMatchObject({ basePath: '/homes/carol/x' })
  expect(await site.asAdmin(path, { username: 'dave' })).toEqual(OK)
  expect(await userNamed('dave')).toMatchObject({ basePath: '/' })
})

test.each([['nobody'], ['user'], ['admin']])(
  'an invitation into a group that does not exist is not made: %s',
  async (name) => {
    await addGroup(site, 'family')
    const body = { groups: ['family', name] }
    expect(await site.asAdmin('/api/admin/invitation/create', body)).toEqual({
      code: 404,
      message: 'no such group',
      data: null,
    })
    expect(await site.db.select().from(links)).toEqual([])
    const kinds = (await site.db.select().from(auditEvents)).map(({ kind }) => kind)
    expect(kinds).not.toContain('invitation_made')
  },
)

describe('POST /api/auth/register with an invitation', () => {
  test('makes the account that the invitation describes, while registration is off', async () => {
    const invitation = await site.invite({
      name: 'club',
      permission: 256,
      base_path: '/home/{username}',
      account_days: 30,
    })
    expect(await site.register({ invitation, username: '$&' })).toEqual(OK)
    expect(await userNamed('$&')).toMatchObject({
      role: 0,
      permission: 256,
      basePath: '/home/$&',
      endsAt: site.now + 30 * DAY,
      disabled: false,
      waiting: false,
      email: '',
    })
    expect((await site.login('$&', NEW_PASSWORD)).code).toBe(200)
    const event = (await site.db.select().from(auditEvents)).find(
      ({ kind }) => kind === 'registered',
    )
    expect(event).toMatchObject({ detail: 'club', actorId: 1, userId: 3 })
  })

  test('puts each account into the groups of the invitation that still exist', async () => {
    const family = await addGroup(site, 'Family')
    const club = await addGroup(site, 'club')
    await addGroup(site, 'others')
    const invitation = await site.invite({ uses: 2, groups: ['CLUB', 'family', 'Family'] })
    const inGroups = async () =>
      (await site.db.select().from(groupMembers)).map(({ groupId, userId, addedBy, source }) => ({
        groupId,
        userId,
        addedBy,
        source,
      }))
    await site.register({ invitation, username: 'bob' })
    const [bob, added] = [3, { addedBy: 1, source: 'invitation' }]
    expect(await inGroups()).toEqual([
      { groupId: family, userId: bob, ...added },
      { groupId: club, userId: bob, ...added },
    ])
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'group_member_added'))
    const invited = JSON.stringify([{ field: 'invitation', from: null, to: true }])
    expect(
      events.map(({ userId, actorId, detail, changes }) => [userId, actorId, detail, changes]),
    ).toEqual([
      [bob, 1, 'Family', invited],
      [bob, 1, 'club', invited],
    ])
    await site.db.delete(groups).where(eq(groups.id, family))
    await site.register({ invitation, username: 'carol' })
    expect(await inGroups()).toEqual([
      { groupId: club, userId: bob, ...added },
      { groupId: club, userId: 4, ...added },
    ])
  })

  test('puts nobody into a group who had the name before', async () => {
    await addGroup(site, 'family')
    await site.addUser('bob')
    const invitation = await site.invite({ groups: ['family'] })
    expect(await site.register({ invitation, username: 'bob' })).toMatchObject({ code: 409 })
    expect(await site.db.select().from(groupMembers)).toEqual([])
  })

  test('gives the fixed name, whatever is sent, also one that nobody may choose', async () => {
    const invitation = await site.invite({ username: 'support' })
    await site.register({ invitation, username: 'mallory' })
    expect(await userNamed('support')).toBeDefined()
    expect(await userNamed('mallory')).toBeUndefined()
  })

  test('takes no use when the name is taken or the password is poor', async () => {
    await site.addUser('bob')
    const invitation = await site.invite()
    expect(await site.register({ invitation, username: 'BOB' })).toEqual({
      code: 409,
      message: 'username is already taken',
      data: null,
    })
    expect((await site.register({ invitation, username: 'x', password: 'short' })).code).toBe(400)
    expect((await site.register({ invitation, username: 'x', password: 'password1' })).code).toBe(
      400,
    )
    expect((await site.register({ invitation, username: '' })).message).toBe('username is required')
    expect(await states()).toEqual([['live', 0]])
    expect(await site.register({ invitation, username: 'x' })).toEqual(OK)
    expect(await states()).toEqual([['used', 1]])
  })

  test('gives one account for twenty uses of a link at once', async () => {
    const invitation = await site.invite()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        site.register({ invitation, username: `user${i}` }, `198.51.100.${i}`),
      ),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code !== 200).map(({ code }) => code)).toEqual(
      Array(19).fill(404),
    )
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test('gives ten accounts for fifty uses of an invitation for ten', async () => {
    const invitation = await site.invite({ uses: 10 })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        site.register({ invitation, username: `user${i}` }, `198.51.100.${i}`),
      ),
    )
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(10)
    expect(await site.db.select().from(users)).toHaveLength(12)
    expect(await states()).toEqual([['used', 10]])
  })

  test('gives one account for one name at once, and takes one use', async () => {
    const invitation = await site.invite({ uses: 10 })
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        site.register({ invitation, username: i % 2 ? 'eve' : 'EVE' }, `198.51.100.${i}`),
      ),
    )
    expect(await states()).toEqual([['live', 1]])
  })

  test.each<[string, (invitation: string) => Promise<unknown>]>([
    ['its time is over', async () => (site.now += 8 * DAY)],
    ['it was withdrawn', () => site.asAdmin('/api/admin/link/delete?id=1')],
    [
      'its maker is no admin any more',
      () => site.db.update(users).set({ role: 0 }).where(eq(users.id, 1)),
    ],
    [
      'its maker is disabled',
      () => site.db.update(users).set({ disabled: true }).where(eq(users.id, 1)),
    ],
    ['the account would have ended', () => site.db.update(links).set({ accountEndsAt: site.now })],
  ])('has one answer when %s', async (_, end) => {
    const invitation = await site.invite()
    await end(invitation)
    expect(await site.register({ invitation, username: 'x' })).toEqual(INVALID)
    expect(await userNamed('x')).toBeUndefined()
  })

  test.each(['x', 'A'.repeat(43), `${'A'.repeat(42)}=`])(
    'refuses the secret %s',
    async (secret) => {
      expect(await site.register({ invitation: secret, username: 'x' })).toEqual(INVALID)
    },
  )

  test('does not take a link of another kind', async () => {
    const bob = await site.addUser('bob', { password: NEW_PASSWORD })
    const { data } = await site.asAdmin('/api/admin/user/reset_link', { id: bob })
    const invitation = secretOf(data.link)
    expect(await site.register({ invitation, username: 'x' })).toEqual(INVALID)
  })
})

describe('GET /api/admin/link/list', () => {
  test('shows what a link is and what became of it, never the link', async () => {
    const secret = await site.invite({ name: 'family', uses: 3, ends_at: isoIn(DAY) })
    const { data } = await site.get('/api/admin/link/list?kind=invitation', { token: site.admin })
    expect(data).toEqual({
      content: [
        {
          id: 1,
          kind: 'invitation',
          name: 'family',
          username: '',
          email: '',
          uses: 3,
          used: 0,
          created_by: 'admin',
          created_at: '2026-11-21T09:15:06.565+00:00',
          ends_at: '2026-11-22T09:15:06.565+00:00',
          state: 'live',
        },
      ],
      total: 1,
    })
    expect(JSON.stringify(data)).not.toContain(secret)
    const others = await site.get('/api/admin/link/list?kind=reset', { token: site.admin })
    expect(others.data).toEqual({ content: [], total: 0 })
    site.now += DAY
    expect(await states()).toEqual([['ended', 0]])
  })
})

describe('POST /api/admin/link/delete', () => {
  test('withdraws a link with an event, and refuses an unknown one', async () => {
    await site.invite({ name: 'family' })
    expect(await site.asAdmin('/api/admin/link/delete?id=1')).toEqual(OK)
    expect(await site.asAdmin('/api/admin/link/delete?id=1')).toEqual({
      code: 404,
      message: 'no such link',
      data: null,
    })
    expect((await site.db.select().from(auditEvents)).at(-1)).toMatchObject({
      kind: 'link_withdrawn',
      detail: 'family',
      actorId: 1,
    })
  })
})
