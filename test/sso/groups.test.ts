import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  folderRules,
  groupMembers,
  groups,
  identities,
  users,
} from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { MAX_PERMISSION } from '../../src/core/accounts/roles.ts'
import { addGroup } from '../support/groups.ts'
import { ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import { FILES_BINDINGS, FILES_ORIGIN, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { CANCELED, PENDING } from '../support/openlist-tasks.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, SECOND } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { Visitor } from '../support/visitor.ts'

const START = '/api/auth/sso?method=sso_get_token'
/** At a site with a file server. */
const START_HERE = '/account/sign-in/sso'
const ALICE: Person = { sub: '4711', name: 'alice' }
const MAP = JSON.stringify({ staff: 'finance', 'hr team': 'HR', boss: 'finance' })

let site: SsoSite
let aliceId: number

const addAlice = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  return arranged.addUser('alice', { password: 'alice-Passw0rd' })
})

beforeEach(async () => {
  site = new SsoSite()
  aliceId = await addAlice(site)
  const names = { platform: 'OIDC', name: 'alice', linkedBy: 'user' }
  await site.db
    .insert(identities)
    .values({ issuer: ISSUER, subject: '4711', userId: aliceId, ...names, linkedAt: site.now })
  for (const name of ['finance', 'HR', 'club']) await addGroup(site, name)
  await site.setUp({ sso_groups_claim: 'groups', sso_group_map: MAP })
})

/** Signs alice in with this claim; `undefined` leaves it out. */
async function signIn(claim?: unknown, start = START) {
  site.providers.mischief = { claims: { groups: claim } }
  return passProvider(site.providers, new Visitor(site), start, ALICE)
}

async function groupsOf(userId: number): Promise<[string, string][]> {
  const found = await site.db
    .select({ name: groups.name, source: groupMembers.source })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(eq(groupMembers.userId, userId))
    .orderBy(asc(groups.id))
  return found.map(({ name, source }) => [name, source])
}

const eventsOfGroups = async () =>
  (await site.db.select().from(auditEvents))
    .filter(({ kind }) => kind.startsWith('group'))
    .map(({ kind, userId, detail }) => [kind, userId, detail])

const join = (groupId: number) =>
  site.db
    .insert(groupMembers)
    .values({ groupId, userId: aliceId, addedAt: site.now, source: 'operator' })

describe('a sign-in with a claim of groups', () => {
  test('puts the user into the mapped groups, and takes the user out of the others', async () => {
    await signIn(['staff', 'hr team', 'unknown', 'club', 'admin'])
    expect(await groupsOf(aliceId)).toEqual([
      ['finance', 'sso'],
      ['HR', 'sso'],
    ])
    await signIn('boss')
    expect(await groupsOf(aliceId)).toEqual([['finance', 'sso']])
    expect(await eventsOfGroups()).toEqual([
      ['group_member_added', aliceId, 'finance'],
      ['group_member_added', aliceId, 'HR'],
      ['group_member_removed', aliceId, 'HR'],
    ])
    const [row] = await site.db.select().from(users).where(eq(users.id, aliceId))
    expect(row).toMatchObject({ role: 0 })
  })

  test.each([[undefined], [[]], ['other']])(
    'takes the user out of all of them when it names none: %j',
    async (claim) => {
      await join(1)
      await join(3)
      await signIn(claim)
      expect(await groupsOf(aliceId)).toEqual([['club', 'operator']])
    },
  )

  test.each([[7], [{ staff: true }], [['staff', 7]], [null]])(
    'changes nothing when it can not be read, and says so: %j',
    async (claim) => {
      await join(1)
      await signIn(claim)
      expect(await groupsOf(aliceId)).toEqual([['finance', 'operator']])
      expect(await eventsOfGroups()).toEqual([['groups_claim_unreadable', aliceId, 'OIDC']])
    },
  )

  test('changes nothing while no claim is read, or nothing is mapped', async () => {
    await join(1)
    await site.setUp({ sso_groups_claim: '', sso_group_map: MAP })
    await signIn([])
    await site.setUp({ sso_groups_claim: 'groups', sso_group_map: '' })
    await signIn(['HR', 'finance'])
    expect(await groupsOf(aliceId)).toEqual([['finance', 'operator']])
    expect(await eventsOfGroups()).toEqual([])
  })

  test('leaves out a group that was deleted since', async () => {
    await site.db.delete(groups).where(eq(groups.id, 1))
    await signIn(['staff', 'hr team'])
    expect(await groupsOf(aliceId)).toEqual([['HR', 'sso']])
  })

  test('does so for a new account too', async () => {
    await site.setUp({
      sso_groups_claim: 'groups',
      sso_group_map: MAP,
      sso_auto_register: 'true',
    })
    site.providers.mischief = { claims: { groups: ['staff'] } }
    await passProvider(site.providers, new Visitor(site), START, { sub: '4712', name: 'bob' })
    const [bob] = await site.db.select().from(users).where(eq(users.username, 'bob'))
    expect(await groupsOf(bob?.id ?? 0)).toEqual([['finance', 'sso']])
  })
})

describe('a sign-in that takes a group, in front of a file server', () => {
  let openlist: OpenListStandIn
  let alice: string

  const list = (path: string) => site.post('/api/fs/list', { path }, { token: alice })

  /** Alice may read `/nas` as a member of finance, and copies from it; the copy waits. */
  beforeEach(async () => {
    openlist = new OpenListStandIn()
    const fresh = new SsoSite({}, FILES_BINDINGS)
    fresh.deps.sendOut = (url, init) =>
      url.startsWith(FILES_ORIGIN) ? openlist.send(url, init) : fresh.providers.fetch(url, init)
    site = fresh
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    await site.db.update(users).set({ permission: MAX_PERMISSION }).where(eq(users.id, aliceId))
    await site.db
      .insert(folderRules)
      .values({ path: '/nas', groupId: 1, access: 'read', createdAt: site.now })
    await signIn(['staff'], START_HERE)
    alice = await site.token('alice', 'alice-Passw0rd')
    await list('/nas')
    const name = 'copy [/](/nas/a) to [/](/mine)'
    const task = { kind: 'copy', id: 'own', name, creator: 'alice', creator_role: 0 }
    openlist.tasks.rows.push({ ...task, state: PENDING })
    await runFrequently(site.deps)
  })

  test('is answered once the list is written and what waits is cancelled', async () => {
    expect(openlist.metas.at('/nas')).toMatchObject({ read_users: [1, aliceId] })
    await signIn([], START_HERE)
    expect(openlist.tasks.rows).toMatchObject([{ id: 'own', state: CANCELED }])
    expect(openlist.metas.at('/nas')).toMatchObject({ read_users: [1] })
  })

  test('works while the file server is away, and nothing of the folder is shown', async () => {
    openlist.answer = () => new Response('', { status: 502 })
    const { headers } = await signIn([], START_HERE)
    expect(headers.get('Set-Cookie') ?? '').toMatch(/session/)
    expect(await groupsOf(aliceId)).toEqual([])
    openlist.answer = ({ path }) =>
      path.startsWith('/api/admin/meta/update') ? new Response('', { status: 500 }) : undefined
    expect(await list('/nas')).toMatchObject({ code: 503 })
    openlist.answer = undefined
    await site.settle()
    // The leases of the writes that failed have ended.
    site.now += 10 * SECOND
    expect(await list('/nas')).toMatchObject({ code: 403 })
    await runFrequently(site.deps)
    expect(openlist.tasks.rows).toMatchObject([{ id: 'own', state: CANCELED }])
  })

  test('asks it for nothing when the groups stay', async () => {
    openlist.sent.splice(0)
    await signIn(['staff'], START_HERE)
    expect(openlist.sent).toEqual([])
  })
})

test.each([
  ['sso_group_map', '{"staff": "nobody"}', 404],
  ['sso_group_map', '{"staff": "admin"}', 404],
  ['sso_group_map', '{"staff": ["finance"]}', 400],
  ['sso_group_map', '{"staff": ""}', 400],
  ['sso_group_map', 'finance', 400],
  ['sso_group_map', '{"staff": "FINANCE"}', 200],
  ['sso_group_map', '', 200],
  ['sso_groups_claim', 'https://example.org/groups', 200],
  ['sso_groups_claim', 'a b', 400],
  ['register_groups', 'finance, hr', 200],
  ['register_groups', 'finance, nobody', 404],
  ['register_groups', 'user', 404],
])('the setting %s takes %s: %i', async (key, value, code) => {
  const token = await site.token('admin', ADMIN_PASSWORD)
  const path = '/api/admin/setting/save'
  expect(await site.post(path, [{ key, value }], { token })).toMatchObject({ code })
})
