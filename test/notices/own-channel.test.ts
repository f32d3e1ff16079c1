import { beforeEach, describe, expect, test } from 'vitest'
import { notices } from '../../schema/tables.ts'
import {
  addChannel,
  admin,
  ALICE,
  answers,
  arrange,
  got,
  PASSWORD,
  PAUSE,
  signIn,
  site,
  testedLately,
} from './receiver.ts'

beforeEach(arrange)

describe('the channel of a user', () => {
  const mine = {
    kind: 'ntfy',
    address: 'https://ntfy.example.org/alices-topic',
    topics: ['new_network', 'password'],
  }
  const save = (token: string, fields: object = {}) =>
    site.post('/api/me/notices/save', { ...mine, ...fields }, { token })

  test('is told about the own account only, and leads to the own pages', async () => {
    const alice = await signIn()
    expect((await save(alice)).code).toBe(200)
    await site.addUser('bob', { password: PASSWORD })
    await signIn('198.51.100.20', 'bob')
    await signIn('198.51.100.21')
    expect(got).toHaveLength(1)
    expect(got[0]).toMatchObject({
      reach: 'public',
      url: 'https://ntfy.example.org/',
      body: {
        click: 'http://localhost/account/sessions',
        title: 'alice signed in from a new network',
      },
    })
  })

  test('is not told where an operator was', async () => {
    await addChannel({}, ['password'])
    const alice = await signIn()
    const webhookOfAlice = { kind: 'webhook', address: 'https://203.0.114.1/x' }
    expect((await save(alice, webhookOfAlice)).code).toBe(200)
    got.length = 0
    const headers = { 'CF-Connecting-IP': '198.51.100.99' }
    const change = { id: ALICE, password: 'Another-Passw0rd' }
    await site.post('/api/admin/user/update', change, { token: admin, headers })
    await site.settle()
    const [own, operators] = got.toSorted((a, b) => a.reach.localeCompare(b.reach)).toReversed()
    expect([own?.reach, operators?.reach]).toEqual(['public', 'any'])
    expect(JSON.stringify(operators?.body)).toContain('198.51.100.99')
    expect(JSON.stringify(own?.body)).not.toContain('198.51.100.99')
    expect(JSON.stringify(own?.body)).toContain('admin')
  })

  test.each([
    'http://ntfy.example.org/topic',
    'https://localhost/topic',
    'https://127.0.0.1/topic',
    'https://10.1.2.3/topic',
    'https://2130706433/topic',
    'https://0x7f.1/topic',
    'https://[::1]/topic',
    'https://[::ffff:10.0.0.1]/topic',
    'https://[fd00::1]/topic',
    'https://169.254.169.254/latest',
    'https://nas/topic',
    'https://nas.local/topic',
    'https://router.lan./topic',
    'https://user:pass@ntfy.sh/topic',
    'https://100.64.0.1/topic',
    'https://[2002:7f00:1::]/topic',
    'https://127.0.0.1../topic',
    'https://localhost../topic',
    'https://ntfy..example.org/topic',
  ])('refuses %s', async (address) => {
    const alice = await signIn()
    expect(await save(alice, { address })).toMatchObject({
      code: 400,
      message: 'address must be a public https address',
    })
  })

  test('is replaced by the next, tested and deleted', async () => {
    const alice = await signIn()
    await save(alice)
    const { data } = await save(alice, { kind: 'webhook', address: 'https://203.0.114.1/x' })
    expect(data.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect((await site.post('/api/me/notices/test', undefined, { token: alice })).data).toEqual({
      delivered: true,
      failure: '',
    })
    expect((await site.get('/api/me/notices', { token: alice })).data).toMatchObject({
      kind: 'webhook',
      target: '203.0.114.1',
    })
    expect((await site.post('/api/me/notices/delete', undefined, { token: alice })).code).toBe(200)
    expect((await site.post('/api/me/notices/delete', undefined, { token: alice })).code).toBe(404)
    expect((await site.get('/api/me/notices', { token: alice })).data).toBeNull()
  })

  test('is tested once in 15 seconds, also when it is deleted or replaced between', async () => {
    const alice = await signIn()
    const call = (path: string) => site.post(`/api/me/notices/${path}`, undefined, { token: alice })
    await save(alice)
    expect((await call('test')).code).toBe(200)
    await save(alice, { address: 'https://ntfy.example.org/another' })
    expect(await call('test')).toEqual(testedLately(15))
    await call('delete')
    await save(alice)
    site.now += PAUSE - 1
    expect(await call('test')).toEqual(testedLately(1))
    expect(got).toHaveLength(1)
    site.now += 1
    expect((await call('test')).code).toBe(200)
    await site.addUser('bob', { password: PASSWORD })
    const bob = await signIn('198.51.100.20', 'bob')
    await save(bob)
    const ofBob = await site.post('/api/me/notices/test', undefined, { token: bob })
    expect(ofBob.data).toEqual({ delivered: true, failure: '' })
  })

  test('is deleted with the user, and takes its notices along', async () => {
    const alice = await signIn()
    await save(alice)
    answers.push(new Response('', { status: 500 }))
    await signIn('198.51.100.21')
    expect(await site.db.select().from(notices)).toHaveLength(1)
    await site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: admin })
    expect(await site.db.select().from(notices)).toEqual([])
  })

  test('has no topics of the site', async () => {
    const alice = await signIn()
    expect((await save(alice, { topics: ['new_admin'] })).code).toBe(400)
  })
})
