import { and, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { sshKeys, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { signInAlice } from '../support/signed-in.ts'
import { HOUR, NOW } from '../support/site.ts'
import { blobOf, ECDSA, ED25519, line, mpint, rfc4716, RSA, samples } from './key-texts.ts'

const success = { code: 200, message: 'success', data: null }
const titleTaken = { code: 409, message: 'key with the same title already exists', data: null }
const notFound = { code: 404, message: 'failed to get public key', data: null }
const requestInvalid = { code: 400, message: 'request invalid', data: null }
const idFormatInvalid = { code: 400, message: 'id format invalid', data: null }
const tooMany = { code: 400, message: 'no more than 100 keys, delete one first', data: null }
const guestRefused = { code: 403, message: 'Guest user can not manage SSH keys', data: null }
const guestDisabled = { code: 401, message: 'Guest user is disabled, login please', data: null }

let site: CheapSite
let token: string

beforeEach(async () => {
  site = new CheapSite()
  token = await signInAlice(site)
})

const add = (title: unknown, key: unknown, call = token) =>
  site.post('/api/me/sshkey/add', { title, key }, { token: call })

const list = (query = '', call = token) => site.get(`/api/me/sshkey/list${query}`, { token: call })

const remove = (query: string, call = token) =>
  site.post(`/api/me/sshkey/delete${query}`, undefined, { token: call })

async function titlesOf(query = '', call = token): Promise<string[]> {
  const { data } = await list(query, call)
  return data.content.map(({ title }: { title: string }) => title)
}

async function addBob(): Promise<string> {
  await site.addUser('bob', { password: 'bob-Passw0rd' })
  return site.token('bob', 'bob-Passw0rd')
}

/** Puts rows into the database for the user `alice`, id 3. */
async function insertKeys(count: number): Promise<void> {
  const row = {
    userId: 3,
    type: 'ssh-ed25519',
    bits: 256,
    line: 'x',
    addedAt: NOW,
    lastUsedAt: NOW,
  }
  const inserts = Array.from({ length: count }, (_, index) =>
    site.db
      .insert(sshKeys)
      .values({ ...row, title: `row ${index + 1}`, fingerprint: `SHA256:${index}` }),
  )
  const [first, ...rest] = inserts
  if (first !== undefined) await site.db.batch([first, ...rest])
}

/** A key that nobody had before. */
async function freshKey(): Promise<string> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('publicKey' in pair)) throw new Error('no pair')
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
  if (!(raw instanceof ArrayBuffer)) throw new Error('not raw')
  const frame = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIA==', 'base64')
  return `ssh-ed25519 ${Buffer.concat([frame, Buffer.from(raw)]).toString('base64')}`
}

describe('POST /api/me/sshkey/add', () => {
  test.each(samples)(
    'keeps a key of type $title by the fingerprint of ssh-keygen',
    async (sample) => {
      expect(await add(sample.title, sample.key)).toEqual(success)
      expect(await list()).toEqual({
        code: 200,
        message: 'success',
        data: {
          content: [
            {
              id: 1,
              title: sample.title,
              fingerprint: sample.fingerprint,
              added_time: '2026-11-21T09:15:06.565+00:00',
              last_used_time: '2026-11-21T09:15:06.565+00:00',
            },
          ],
          total: 1,
        },
      })
      const [row] = await site.db.select().from(sshKeys)
      expect(row).toMatchObject({
        bits: sample.bits,
        type: sample.key.split(' ')[0],
        line: sample.key,
      })
    },
  )

  test('takes a key with blanks around, and without a comment', async () => {
    const bare = ED25519.split(' ').slice(0, 2).join(' ')
    expect(await add('bare', `\n  ${bare.replace(' ', ' \t ')}\r\n\n`)).toEqual(success)
    const [row] = await site.db.select().from(sshKeys)
    expect(row?.line).toBe(bare)
  })

  test('keeps the canonical line of a key that PuTTYgen saved', async () => {
    expect(await add('putty', rfc4716(blobOf(ED25519), ['Comment: "my laptop"']))).toEqual(success)
    const [row] = await site.db.select().from(sshKeys)
    expect(row?.line).toBe(`${ED25519.split(' ').slice(0, 2).join(' ')} my laptop`)
  })

  test('refuses a title that this account already has', async () => {
    await add('laptop', ED25519)
    expect(await add('laptop', ECDSA)).toEqual(titleTaken)
    expect(await add('laptop', ED25519)).toEqual(titleTaken)
    expect(await add('Laptop', ECDSA)).toEqual(success)
    expect(await titlesOf()).toEqual(['laptop', 'Laptop'])
  })

  test('refuses a key that this account already holds, whatever its comment', async () => {
    await add('$& <title> "x"', ED25519)
    const bare = ED25519.split(' ').slice(0, 2).join(' ')
    for (const key of [ED25519, bare, `${bare} another comment`]) {
      expect(await add('other', key)).toEqual({
        code: 409,
        message: 'key already exists as "$& <title> "x""',
        data: null,
      })
    }
    expect(await titlesOf()).toHaveLength(1)
  })

  test('names the title first when one key has the title and another the key', async () => {
    await add('laptop', ED25519)
    await add('phone', ECDSA)
    expect(await add('phone', ED25519)).toEqual(titleTaken)
  })

  test('keeps the keys of users apart', async () => {
    const bob = await addBob()
    expect(await add('laptop', ED25519)).toEqual(success)
    expect(await add('laptop', ED25519, bob)).toEqual(success)
    expect(await titlesOf()).toEqual(['laptop'])
    expect(await titlesOf('', bob)).toEqual(['laptop'])
    expect(await list(`?uid=3&user_id=3`, bob)).toMatchObject({ data: { total: 1 } })
  })

  test('keeps one row for ten adds of one key at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => add(`title ${index}`, ED25519)),
    )
    expect(answers.filter((answer) => answer.code === 200)).toEqual([success])
    expect(answers.filter((answer) => answer.code === 409)).toHaveLength(9)
    expect(await titlesOf()).toHaveLength(1)
  })

  test('takes titles of 1 to 255 characters without control characters', async () => {
    const long = 'x'.repeat(255)
    const titles = ['x', long, 'мой ключ 🔑', '<img src=x>', "'; drop table ssh_keys; --"]
    for (const title of titles) expect(await add(title, await freshKey()), title).toEqual(success)
    expect(await titlesOf()).toEqual(titles)
    const refused = ['', `${long}x`, 'a\nb', 'a\tb', 'a\0b', 'a\u007fb', 'a\u0085b', 'a\ud800b']
    for (const title of [...refused, undefined, null, 5, ['x']]) {
      expect(await add(title, RSA), JSON.stringify(title)).toEqual(requestInvalid)
    }
    expect(await titlesOf()).toHaveLength(titles.length)
  })

  test('says why a key is none', async () => {
    const reasons = [
      ['hello', 'it must begin with its type, such as ssh-ed25519'],
      ['   ', 'it must begin with its type, such as ssh-ed25519'],
      [
        `no-pty ${ED25519}`,
        'options in front of a key are not accepted, it must begin with its type',
      ],
      [
        '-----BEGIN OPENSSH PRIVATE KEY-----\n',
        'this is a private key, which must never be pasted anywhere; replace it by a new one and paste the .pub file',
      ],
      [
        line('ssh-rsa', mpint(65_537n), mpint(2n ** 1024n - 1n)),
        'an RSA key of 1024 bits can be broken, 2048 are the least; make a better one with: ssh-keygen -t ed25519',
      ],
      ['ssh-ed25519 !', 'its base64 is broken'],
      [`${ED25519}\n${ECDSA}`, 'it must be one key on one line'],
      [`ssh-ed25519 ${'A'.repeat(20_000)}`, 'it is longer than 16 KiB'],
    ]
    for (const [key, reason] of reasons) {
      expect(await add('x', key)).toEqual({
        code: 400,
        message: `provided key invalid: ${reason}`,
        data: null,
      })
    }
    expect(await titlesOf()).toEqual([])
  })

  test('keeps at most 100 keys, also for 150 adds at once', async () => {
    const keys = await Promise.all(Array.from({ length: 150 }, freshKey))
    // One session makes at most a hundred changes in an hour.
    const other = await site.token('alice', 'alice-Passw0rd')
    const answers = await Promise.all(
      keys.map((key, index) => add(`new ${index}`, key, index % 2 === 0 ? token : other)),
    )
    expect(answers.filter((answer) => answer.code === 200)).toHaveLength(100)
    expect(answers.filter((answer) => answer.message === tooMany.message)).toHaveLength(50)
    expect(answers).toContainEqual(tooMany)
    expect(await list('?per_page=1')).toMatchObject({ data: { total: 100 } })
    expect(await remove('?id=1')).toEqual(success)
    expect(await add('one more', ED25519)).toEqual(success)
  })
})

describe('GET /api/me/sshkey/list', () => {
  test('is empty at first', async () => {
    expect(await list()).toEqual({
      code: 200,
      message: 'success',
      data: { content: [], total: 0 },
    })
  })

  test.each([
    ['', [1, 2, 3, 4, 5]],
    ['?page=1&per_page=2', [1, 2]],
    ['?page=2&per_page=2', [3, 4]],
    ['?page=3&per_page=2', [5]],
    ['?page=4&per_page=2', []],
    ['?per_page=2', [1, 2]],
    ['?page=0&per_page=2', [1, 2]],
    ['?page=-5&per_page=2', [1, 2]],
    ['?page=&per_page=2', [1, 2]],
    ['?page=%2B2&per_page=%2B2', [3, 4]],
    ['?page=02&per_page=02', [3, 4]],
    ['?page=1&page=2&per_page=2', [1, 2]],
    ['?page=1', [1, 2, 3, 4, 5]],
    ['?per_page=0', [1, 2, 3, 4, 5]],
    ['?per_page=-1', [1, 2, 3, 4, 5]],
    ['?page=1&per_page=', [1, 2, 3, 4, 5]],
    ['?per_page=9223372036854775807', [1, 2, 3, 4, 5]],
    ['?page=-9223372036854775808&per_page=-9223372036854775808', [1, 2, 3, 4, 5]],
    ['?page=9223372036854775807&per_page=9223372036854775807', []],
    ['?page=9223372036854775807&per_page=1', []],
    ['?Page=2&PerPage=1&limit=1&offset=1', [1, 2, 3, 4, 5]],
  ])('with %s gives its page by id, and the total of all', async (query, ids) => {
    await insertKeys(5)
    const { code, message, data } = await list(query)
    expect({ code, message, total: data.total }).toEqual({
      code: 200,
      message: 'success',
      total: 5,
    })
    expect(data.content.map(({ id }: { id: number }) => id)).toEqual(ids)
  })

  test('refuses what is no integer, and names it', async () => {
    const texts = [
      'abc',
      '1.5',
      '1e1',
      '0x1',
      '%201',
      '1,2',
      '9223372036854775808',
      '٢',
      '--1',
      'NaN',
    ]
    for (const field of ['page', 'per_page']) {
      for (const text of texts) {
        expect(await list(`?${field}=${text}`), text).toEqual({
          code: 400,
          message: `${field} must be an integer`,
          data: null,
        })
      }
    }
  })

  test('gives times with three fractional digits and a numeric offset', async () => {
    const format = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/
    site.now = Date.UTC(2026, 10, 21, 10, 0, 0)
    token = await site.token('alice', 'alice-Passw0rd')
    await add('laptop', ED25519)
    await site.db.update(sshKeys).set({ lastUsedAt: site.now + HOUR + 7 })
    const [key] = (await list()).data.content
    expect(key.added_time).toMatch(format)
    expect(key.added_time).toBe('2026-11-21T10:00:00.000+00:00')
    expect(key.last_used_time).toBe('2026-11-21T11:00:00.007+00:00')
  })

  test('gives each key five fields, and not the key itself', async () => {
    await add('laptop', ED25519)
    const [key] = (await list()).data.content
    expect(Object.keys(key)).toEqual(['id', 'title', 'fingerprint', 'added_time', 'last_used_time'])
  })
})

describe('POST /api/me/sshkey/delete', () => {
  test('removes a key once, and its id never comes back', async () => {
    await add('laptop', ED25519)
    expect(await remove('?id=1')).toEqual(success)
    expect(await remove('?id=1')).toEqual(notFound)
    expect(await titlesOf()).toEqual([])
    expect(await add('laptop', ED25519)).toEqual(success)
    expect((await list()).data.content[0].id).toBe(2)
  })

  test("answers another user's id as an unknown one, and leaves the key", async () => {
    const bob = await addBob()
    await add('laptop', ED25519)
    expect(await remove('?id=1', bob)).toEqual(notFound)
    expect(await remove('?id=99999', bob)).toEqual(notFound)
    const keys = site.db.select().from(sshKeys)
    expect(await keys.where(and(eq(sshKeys.id, 1), eq(sshKeys.userId, 3)))).toHaveLength(1)
  })

  test('reads an id as the reference does', async () => {
    await insertKeys(5)
    for (const id of ['0001', '%2B2', '3&id=4']) {
      expect(await remove(`?id=${id}`), id).toEqual(success)
    }
    for (const id of ['0', '-1', '-4', '9223372036854775807', '-9223372036854775808']) {
      expect(await remove(`?id=${id}`), id).toEqual(notFound)
    }
    const texts = [
      '',
      'abc',
      '1.5',
      '1e1',
      '0x4',
      '%204',
      '4%20',
      '+4',
      '4;5',
      '9223372036854775808',
    ]
    for (const id of texts) {
      expect(await remove(`?id=${id}`), id).toEqual(idFormatInvalid)
    }
    expect(await remove('')).toEqual(idFormatInvalid)
    expect(await remove('?ID=4')).toEqual(idFormatInvalid)
    expect(await site.post('/api/me/sshkey/delete', { id: 4 }, { token })).toEqual(idFormatInvalid)
    expect(await site.post('/api/me/sshkey/delete', 'id=4', { token })).toEqual(idFormatInvalid)
    expect(await titlesOf()).toEqual(['row 4', 'row 5'])
  })
})

describe('the guest', () => {
  test('has no keys', async () => {
    const calls = [() => list('', ''), () => add('laptop', ED25519, ''), () => remove('?id=1', '')]
    for (const call of calls) expect(await call()).toEqual(guestDisabled)
    await site.db.update(users).set({ disabled: false })
    for (const call of calls) expect(await call()).toEqual(guestRefused)
    expect(await site.db.select().from(sshKeys)).toEqual([])
  })
})
