import { beforeEach, describe, expect, test } from 'vitest'
import { noticeChannels, notices } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { leaveTest } from '../../src/capabilities/notices/manage.ts'
import { HOUR, SECOND } from '../support/site.ts'
import {
  addChannel,
  admin,
  answers,
  arrange,
  channels,
  got,
  PAUSE,
  run,
  send,
  signIn,
  site,
  testedLately,
  titles,
  webhook,
} from './receiver.ts'

beforeEach(arrange)

describe('POST /api/admin/notice/create', () => {
  test('seals the address, and shows only the host', async () => {
    await addChannel()
    expect(await channels()).toEqual([
      {
        id: 1,
        kind: 'webhook',
        name: 'hook',
        target: 'hooks.example.org',
        topics: ['new_network'],
        language: 'en',
        created_at: '2026-11-21T09:15:06.565+00:00',
        last_sent_at: null,
        last_failed_at: null,
        failure: '',
        waiting: 0,
        lost: 0,
      },
    ])
    const [row] = await site.db.select().from(noticeChannels)
    expect(JSON.stringify(row)).not.toContain('a-secret-path')
    expect(JSON.stringify(row)).not.toContain('whsec')
  })

  test.each([
    [{ address: 'ftp://example.org' }, 'address must be an https or http address'],
    [
      { kind: 'ntfy', address: 'https://ntfy.sh/' },
      'address must end in the topic or the device key',
    ],
    [{ kind: 'email', address: 'x' }, 'address must be an e-mail address'],
    [
      { kind: 'telegram', address: '', token: 'x' },
      'token must be the token of a bot, such as 123456:a1b2c3',
    ],
    [
      { kind: 'telegram', address: '', token: '1:a', chat: 'x' },
      'chat must be the number of a chat, or @name',
    ],
    [{ topics: [] }, 'topics must name at least one topic'],
    [{ kind: 'pager' }, 'kind must be one of webhook, ntfy, slack, discord, telegram, bark, email'],
  ])('refuses %j', async (fields, message) => {
    const wish = { ...webhook, topics: ['new_network'], ...fields }
    expect(await site.post('/api/admin/notice/create', wish, { token: admin })).toMatchObject({
      code: 400,
      message,
    })
  })

  test('refuses users, and sessions that are not fresh', async () => {
    const alice = await signIn()
    const wish = { ...webhook, topics: ['new_network'] }
    expect((await site.post('/api/admin/notice/create', wish, { token: alice })).code).toBe(403)
    site.now += HOUR
    expect((await site.post('/api/admin/notice/create', wish, { token: admin })).message).toBe(
      'Sign in again or confirm to do this',
    )
    expect(await site.db.select().from(noticeChannels)).toEqual([])
  })

  test('takes 20', async () => {
    for (let i = 0; i < 20; i++) await addChannel()
    const { message } = await site.post(
      '/api/admin/notice/create',
      { ...webhook, topics: ['password'] },
      { token: admin },
    )
    expect(message).toBe('no more than 20 channels, delete one first')
  })
})

describe('POST /api/admin/notice/test', () => {
  test('says whether the channel took it', async () => {
    await addChannel()
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    site.now += PAUSE
    answers.push(new Response('', { status: 404 }))
    expect((await send()).data).toEqual({ delivered: false, failure: 'status 404' })
    expect(titles()).toEqual(['This is a test notification', 'This is a test notification'])
    expect(await site.db.select().from(notices)).toEqual([])
    expect((await send(7)).code).toBe(404)
  })

  test('is written now, although it is given up after minutes', async () => {
    await addChannel()
    await send()
    expect(got[0]?.body).toMatchObject({
      type: 'test',
      timestamp: '2026-11-21T09:15:06.565+00:00',
      data: { event: null },
    })
  })

  test('sends one at a time to a channel', async () => {
    await addChannel()
    await addChannel({ name: 'other' })
    const held = Promise.withResolvers<Response>()
    answers.push(held.promise, new Response('ok'), new Response('ok'))
    const refused = Promise.withResolvers<void>()
    let left = 19
    const tests = Array.from({ length: 20 }, async () => {
      const { code } = await send()
      if (code === 429 && --left === 0) refused.resolve()
      return code
    })
    await refused.promise
    expect((await send(2)).data).toEqual({ delivered: true, failure: '' })
    held.resolve(new Response('ok'))
    const codes = await Promise.all(tests)
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 19 }, () => 429)])
    expect(got).toHaveLength(2)
    expect((await send()).code).toBe(429)
    site.now += PAUSE
    expect((await send()).code).toBe(200)
  })

  test('forgets a test of the command line that failed', async () => {
    await addChannel()
    answers.push(new Response('', { status: 500 }))
    await leaveTest(site.deps, COMMAND_LINE, 1)
    await run()
    expect((await channels())[0]).toMatchObject({ failure: 'status 500', waiting: 0 })
    site.now += PAUSE
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
  })

  test('waits 15 seconds after a test that was delivered or that failed', async () => {
    await addChannel()
    answers.push(new Response('ok'), new Response('', { status: 500 }))
    for (let i = 0; i < 2; i++) {
      await send()
      site.now += 6 * SECOND
      expect(await send()).toEqual(testedLately(9))
      site.now += 9 * SECOND - 1
      expect(await send()).toEqual(testedLately(1))
      site.now += 1
    }
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    expect(got).toHaveLength(3)
  })

  test('takes fifty tests a day', async () => {
    await addChannel()
    for (let i = 0; i < 50; i++) {
      expect(await send()).toMatchObject({ code: 200 })
      site.now += PAUSE
    }
    expect(await send()).toMatchObject({ code: 429 })
    site.now += 24 * HOUR
    expect(await send()).toMatchObject({ code: 200 })
  })

  test('waits as long for a test that was left', async () => {
    await addChannel()
    const held = Promise.withResolvers<Response>()
    answers.push(held.promise)
    const first = send()
    await expect.poll(() => got.length).toBe(1)
    site.now += PAUSE - 1
    expect(await send()).toEqual(testedLately(1))
    site.now += 1
    expect((await send()).data).toEqual({ delivered: true, failure: '' })
    held.resolve(new Response('ok'))
    expect((await first).data).toEqual({ delivered: true, failure: '' })
  })

  test('says in its headers when to try again', async () => {
    await addChannel()
    await send()
    const { headers } = await site.fetch('POST', '/api/admin/notice/test?id=1', { token: admin })
    expect(headers.get('Retry-After')).toBe('15')
  })

  test('shares the pause with notice test of the command line', async () => {
    await addChannel()
    await leaveTest(site.deps, COMMAND_LINE, 1)
    const again = leaveTest(site.deps, COMMAND_LINE, 1)
    await expect(again).rejects.toThrow(testedLately(15).message)
    expect(await send()).toEqual(testedLately(15))
    await run()
    expect(titles()).toEqual(['This is a test notification'])
  })

  test('after the secret was replaced, says that the channel can not be opened', async () => {
    await addChannel()
    await site.db.update(noticeChannels).set({ config: 'AAAAAAAA.AAAA' })
    expect((await send()).data).toEqual({ delivered: false, failure: 'sealed' })
  })
})
