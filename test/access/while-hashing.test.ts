import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, settings, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { MAX_PERMISSION } from '../../src/core/accounts/roles.ts'
import { changeUser } from '../../src/capabilities/users/manage-users.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'

const PASSWORD = 'alice-Passw0rd'

let site: CheapSite
let alice: number
let service: string
/** What happens while the password is hashed. */
let meanwhile: () => Promise<unknown>

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  const id = await arranged.addUser('alice', { password: PASSWORD, permission: MAX_PERMISSION })
  return { id, token: (await addServiceToken(arranged.deps, 'files', 'sftp', 'ldap')) ?? '' }
})

beforeEach(async () => {
  meanwhile = async () => undefined
  site = new CheapSite({
    hashPassword: async (digest, salt) => {
      await meanwhile()
      return cheapHash(digest, salt)
    },
  })
  const { id, token } = await arrange(site)
  alice = id
  service = token
})

const setAlice = (columns: Partial<typeof users.$inferInsert>) =>
  site.db.update(users).set(columns).where(eq(users.id, alice))

/** The servers that can ask for nothing but a password. */
const DOORS = {
  SFTPGo: async () => {
    const body = { username: 'alice', password: PASSWORD, ip: '192.0.2.1', protocol: 'SSH' }
    const answer = await site.fetch('POST', '/api/sftp/external_auth', { body, token: service })
    return (await answer.json<{ username: string }>()).username === 'alice'
  },
  LDAP: async () => {
    const body = { username: 'alice', password: PASSWORD, scope: 'files:write' }
    const call = { body, token: `Bearer ${service}` }
    const answer = await site.fetch('POST', '/api/ldap/bind', call)
    return (await answer.json<{ ok: boolean }>()).ok
  },
}

const CHANGES: Record<string, () => Promise<unknown>> = {
  'is disabled': () => changeUser(site.deps, COMMAND_LINE, alice, { disabled: true }),
  'is disabled in the database': () => setAlice({ disabled: true }),
  ends: () => setAlice({ endsAt: site.now }),
  'is deleted': () => env.DB.prepare('delete from users where id = ?').bind(alice).run(),
  'gets another password': () => setAlice({ passwordChangedAt: site.now }),
  'gets another name': () => setAlice({ username: 'alicia', usernameKey: 'alicia' }),
  'turns on two-step verification': () => setAlice({ totpSeed: 'sealed' }),
  'must use a second factor': () =>
    site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' }),
}

const signIns = () =>
  site.db.select().from(auditEvents).where(eq(auditEvents.kind, 'service_sign_in'))

describe.each(Object.entries(DOORS))('a password at %s', (_, enter) => {
  test('lets its user in', async () => {
    expect(await enter()).toBe(true)
    expect(await signIns()).toHaveLength(1)
  })

  test.each(Object.entries(CHANGES))(
    'lets nobody in, and is noted nowhere, when the user %s while it is hashed',
    async (_change, change) => {
      meanwhile = change
      expect(await enter()).toBe(false)
      expect(await signIns()).toEqual([])
    },
  )
})

test('a permission that is taken while a password is hashed is not given', async () => {
  meanwhile = () => setAlice({ permission: 1 << 8 })
  expect(await DOORS.SFTPGo()).toBe(false)
})

describe('a folder with the name of its user', () => {
  test('has the new name when the user is renamed meanwhile', async () => {
    meanwhile = async () => {
      meanwhile = async () => undefined
      await setAlice({ username: 'anna', usernameKey: 'anna' })
    }
    const change = { basePath: '/homes/{username}', password: 'another-Passw0rd' }
    await changeUser(site.deps, COMMAND_LINE, alice, change)
    const found = await site.db.select().from(users).where(eq(users.id, alice))
    expect(found).toMatchObject([{ username: 'anna', basePath: '/homes/anna' }])
  })
})
