import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import { notices, users } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { getClient, replaceSecret } from '../../src/capabilities/openid/clients.ts'
import { changeUser, createUser } from '../../src/capabilities/users/manage-users.ts'
import { codeFor, exchangeCode, register, signedIn } from '../support/openid.ts'
import { HOUR, MINUTE } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'
import {
  addChannel,
  admin,
  ALICE,
  arrange,
  byText,
  got,
  PASSWORD,
  run,
  signIn,
  site,
  titles,
} from './receiver.ts'

beforeEach(arrange)

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

  test('is told again after its user has secured the account', async () => {
    await signIn('198.51.100.1', 'alice', 'DE')
    await addChannel({}, ['new_country', 'new_network'])
    site.now += HOUR
    await signIn('198.51.100.9', 'alice', 'BR')
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    await visitor.post('/account/security/check/done')
    await site.settle()
    got.length = 0
    for (const network of ['198.51.100.9', '198.51.100.9', '198.51.100.1']) {
      site.now += HOUR
      await signIn(network, 'alice', network === '198.51.100.1' ? 'DE' : 'BR')
    }
    expect(got.map(({ body }) => [body.type, body.data.event.network])).toEqual([
      ['new_country', '198.51.100.9'],
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
    expect(titles()).toEqual(['An administrator set the password of alice'])
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
      'An app was registered: “Photos”',
      'An app has a new secret: “Photos”',
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
      'A code or token of alice for an app was used twice, so it may be stolen: “Photos”'
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

const costOfRun = async () => {
  const meter = createMeter()
  await runFrequently({ ...site.deps, db: openDatabase(env.DB, meter) })
  return meter
}

describe('a long log', () => {
  test('costs a run no more than a short one', async () => {
    await addChannel({}, ['new_network', 'new_country', 'many_refusals', 'locked_out'])
    const few = await costOfRun()
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
       insert into audit_events (at, kind, user_id, network, user_agent, country)
       select ${site.now - HOUR * 50} + i, 'service_sign_in', ${ALICE}, '198.51.100.' || (i % 7), '', 'DE' from n`,
    ).run()
    await env.DB.exec('update notice_cursor set event_id = 200000')
    await env.DB.exec('update notice_channels set since_event_id = 200000')
    await costOfRun()
    got.length = 0
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

describe('an account that ends in ten days', () => {
  test('is told once, with the day', async () => {
    await addChannel({}, ['account_end'])
    const endsAt = site.now + 10 * 24 * HOUR
    await site.db.update(users).set({ endsAt }).where(eq(users.id, ALICE))
    for (let nights = 0; nights < 2; nights++) {
      await runNightly(site.deps)
      await run()
    }
    expect(titles()).toEqual(['The account of alice ends on 2026-12-01'])
  })
})
