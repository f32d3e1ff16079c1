import { createHash } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { type Deps, randomBytes } from '../../src/core/deps.ts'
import { toBareBase64, toHex } from '../../src/core/base/encoding.ts'
import {
  DEFAULT_COST,
  hashPassword,
  parsePasswordHash,
  staticDigest,
  verifyPassword,
} from '../../src/core/passwords/passwords.ts'
import { generatePassword } from '../../src/core/passwords/generated-password.ts'
import { deriveScrypt } from '../../src/core/crypto/scrypt.ts'
import { cheapHash, cheapPasswordHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { Site } from '../support/site.ts'
import { anyCharacter } from '../support/any-character.ts'

const wrongCredentials = { code: 401, message: 'Invalid username or password', data: null }
const wrongCode = { code: 402, message: 'Invalid 2FA code', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }

const PASSWORD = 'alice-Passw0rd'
const OURS = /^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/
const SALT_AND_HASH = `${'A'.repeat(22)}$${'A'.repeat(43)}`

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What OpenList keeps of a password, written apart from the service's own. */
function openListRow(password: string, salt: string): string {
  const digest = sha256(`${password}-https://github.com/alist-org/alist`)
  return `$openlist$${salt}$${sha256(`${digest}-${salt}`)}`
}

function hashOf(site: Site) {
  return async () => {
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    return alice?.passwordHash
  }
}

/** Counts every statement that sets a password's hash from now on. */
async function countHashWrites(): Promise<() => Promise<number>> {
  await env.DB.exec('create table hash_writes (user_id integer)')
  await env.DB.exec(
    'create trigger count_hash_writes after update of password_hash on users begin insert into hash_writes values (new.id); end',
  )
  return async () => (await env.DB.prepare('select * from hash_writes').all()).results.length
}

describe('deriveScrypt', () => {
  test.each([
    ['', '', 4, 1, 1, '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442'],
    [
      'password',
      'NaCl',
      10,
      8,
      16,
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162',
    ],
    [
      'pleaseletmein',
      'SodiumChloride',
      14,
      8,
      1,
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2',
    ],
  ])(
    'gives the first 32 bytes of RFC 7914 section 12 for "%s" and "%s"',
    async (password, salt, logN, blockSize, parallelism, hex) => {
      const cost = { logN, blockSize, parallelism }
      const hash = await deriveScrypt(password, new TextEncoder().encode(salt), cost)
      expect(toHex(hash)).toBe(hex)
    },
  )
})

describe('hashPassword', () => {
  test('prints a PHC string that the parser reads back', async () => {
    const salt = Uint8Array.from({ length: 16 }, (_, index) => index)
    const deps = { hashPassword: cheapHash, randomBytes: () => salt }
    const printed = await hashPassword(deps, 'digest')
    expect(printed).toMatch(OURS)
    expect(parsePasswordHash(printed)).toEqual({
      scheme: 'scrypt',
      cost: { logN: 14, blockSize: 8, parallelism: 5 },
      salt,
      hash: await cheapHash('digest', salt),
    })
  })

  test('salts each anew', async () => {
    const deps = { hashPassword: cheapHash, randomBytes }
    expect(await hashPassword(deps, 'digest')).not.toBe(await hashPassword(deps, 'digest'))
  })
})

describe('parsePasswordHash', () => {
  const number = fc.integer({ min: -1, max: 120 })
  const base64 = fc.uint8Array({ maxLength: 40 }).map(toBareBase64)
  const phcLike = fc
    .tuple(
      fc.constantFrom('$scrypt', '$openlist', 'scrypt'),
      number,
      number,
      number,
      base64,
      base64,
    )
    .map(([id, n, r, p, salt, hash]) => `${id}$ln=${n},r=${r},p=${p}$${salt}$${hash}`)
  const pieces = ['$', 'scrypt', 'openlist', 'ln=', 'r=', 'p=', ',', '14', '8', '5', 'A', '=', '\n']
  const inPieces = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((all) => all.join(''))
  const anything = fc.oneof(fc.string({ unit: anyCharacter }), phcLike, inPieces)

  test('reads any text as nothing or as a hash we can afford', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const parsed = parsePasswordHash(text)
        if (parsed === undefined || parsed.scheme === 'openlist') return
        const { logN, blockSize, parallelism } = parsed.cost
        expect(Math.min(logN, blockSize, parallelism)).toBeGreaterThanOrEqual(1)
        expect(logN).toBeLessThanOrEqual(DEFAULT_COST.logN)
        expect(blockSize).toBeLessThanOrEqual(DEFAULT_COST.blockSize)
        expect(parallelism).toBeLessThanOrEqual(DEFAULT_COST.parallelism)
        expect(parsed.hash).toHaveLength(32)
      }),
      { numRuns: 2000 },
    )
  })

  test('reads every cost up to ours, and every salt of at least 8 bytes', () => {
    const cost = fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 1, max: 8 }))
    const salt = fc.uint8Array({ minLength: 8, maxLength: 64 })
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    fc.assert(
      fc.property(cost, fc.integer({ min: 1, max: 5 }), salt, hash, ([n, r], p, ...bytes) => {
        const [saltBytes, hashBytes] = bytes.map((part) => new Uint8Array(part))
        const text = `$scrypt$ln=${n},r=${r},p=${p}$${bytes.map(toBareBase64).join('$')}`
        expect(parsePasswordHash(text)).toEqual({
          scheme: 'scrypt',
          cost: { logN: n, blockSize: r, parallelism: p },
          salt: saltBytes,
          hash: hashBytes,
        })
      }),
    )
  })

  test('reads an imported hash', () => {
    const hex = 'a'.repeat(64)
    expect(parsePasswordHash(`$openlist$x7$${hex}`)).toEqual({
      scheme: 'openlist',
      salt: 'x7',
      hex,
    })
  })

  test.each([
    ['nothing', ''],
    ['no scheme', SALT_AND_HASH],
    ['another scheme', `$argon2id$v=19$m=19456,t=2,p=1$${SALT_AND_HASH}`],
    ['a bare digest', 'a'.repeat(64)],
    ['a parameter less', `$scrypt$ln=14,r=8$${SALT_AND_HASH}`],
    ['a parameter more', `$scrypt$ln=14,r=8,p=5,x=1$${SALT_AND_HASH}`],
    ['parameters in another order', `$scrypt$r=8,ln=14,p=5$${SALT_AND_HASH}`],
    ['a version', `$scrypt$v=1$ln=14,r=8,p=5$${SALT_AND_HASH}`],
    ['a negative cost', `$scrypt$ln=-1,r=8,p=5$${SALT_AND_HASH}`],
    ['no number', `$scrypt$ln=x,r=8,p=5$${SALT_AND_HASH}`],
    ['a salt of 7 bytes', `$scrypt$ln=14,r=8,p=5$${'A'.repeat(10)}$${'A'.repeat(43)}`],
    ['a hash of 31 bytes', `$scrypt$ln=14,r=8,p=5$${'A'.repeat(22)}$${'A'.repeat(42)}`],
    ['a hash of 33 bytes', `$scrypt$ln=14,r=8,p=5$${'A'.repeat(22)}$${'A'.repeat(44)}`],
    ['padding', `$scrypt$ln=14,r=8,p=5$${'A'.repeat(22)}$${'A'.repeat(43)}=`],
    ['unused bits', `$scrypt$ln=14,r=8,p=5$${'A'.repeat(22)}$${'A'.repeat(42)}B`],
    ['base64url', `$scrypt$ln=14,r=8,p=5$${'_'.repeat(22)}$${'A'.repeat(43)}`],
    ['a line more', `$scrypt$ln=14,r=8,p=5$${SALT_AND_HASH}\n`],
    ['an imported hash without salt', `$openlist$${'a'.repeat(64)}`],
    ['an imported hash with two salts', `$openlist$x$7$${'a'.repeat(64)}`],
    ['an imported hash in capitals', `$openlist$x7$${'A'.repeat(64)}`],
    ['an imported hash that is cut', `$openlist$x7$${'a'.repeat(63)}`],
  ])('reads nothing from %s', (_, text) => {
    expect(parsePasswordHash(text)).toBeUndefined()
  })
})

describe('verifyPassword', () => {
  test.each([
    'ln=15,r=8,p=5',
    'ln=20,r=8,p=1',
    'ln=99,r=99,p=99',
    'ln=14,r=9,p=5',
    'ln=14,r=8,p=6',
    'ln=1,r=1,p=99',
    'ln=0,r=8,p=5',
    'ln=14,r=0,p=5',
    'ln=14,r=8,p=0',
    'ln=100,r=8,p=5',
  ])('never runs %s, only one hash of ours', async (cost) => {
    const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
    const salt = new Uint8Array(16)
    const hash = toBareBase64(await cheapHash('digest', salt))
    const stored = `$scrypt$${cost}$${toBareBase64(salt)}$${hash}`
    expect(await verifyPassword({ hashPassword: hashes, randomBytes }, 'digest', stored)).toEqual({
      matches: false,
    })
    expect(hashes.mock.calls).toEqual([['digest', expect.any(Uint8Array), DEFAULT_COST]])
  })

  test('runs the cost that the row asks for when it is lower', async () => {
    const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
    const stored = `$scrypt$ln=4,r=2,p=1$${SALT_AND_HASH}`
    const cost = { logN: 4, blockSize: 2, parallelism: 1 }
    await verifyPassword({ hashPassword: hashes, randomBytes }, 'digest', stored)
    expect(hashes.mock.calls).toEqual([['digest', new Uint8Array(16), cost]])
  })
})

describe('a row with another cost', () => {
  test('signs in and is rewritten with real scrypt', async () => {
    const site = new Site()
    const readHash = hashOf(site)
    const salt = randomBytes(16)
    const digest = await staticDigest(PASSWORD)
    const hash = await deriveScrypt(digest, salt, { logN: 10, blockSize: 8, parallelism: 1 })
    const passwordHash = `$scrypt$ln=10,r=8,p=1$${toBareBase64(salt)}$${toBareBase64(hash)}`
    await site.addUser('alice', { passwordHash })

    expect(await site.login('alice', 'wrong-Passw0rd')).toEqual(wrongCredentials)
    expect(await readHash()).toBe(passwordHash)
    expect(await site.login('alice', PASSWORD)).toEqual(signedIn)
    const rewritten = await readHash()
    expect(rewritten).toMatch(OURS)
    expect(await site.login('alice', PASSWORD)).toEqual(signedIn)
    expect(await readHash()).toBe(rewritten)
  })
})

describe('an imported row', () => {
  let site: CheapSite
  let readHash: ReturnType<typeof hashOf>
  const imported = openListRow(PASSWORD, 'Qw3rTy')

  beforeEach(async () => {
    site = new CheapSite()
    readHash = hashOf(site)
    await site.addUser('alice', { passwordHash: imported })
  })

  test.each(['/api/auth/login', '/api/auth/login/hash'])(
    'signs in at %s and is rewritten',
    async (route) => {
      const password = route === '/api/auth/login' ? PASSWORD : await staticDigest(PASSWORD)
      expect(await site.post(route, { username: 'alice', password })).toEqual(signedIn)
      const rewritten = await readHash()
      expect(rewritten).toMatch(OURS)
      expect(await site.post(route, { username: 'alice', password })).toEqual(signedIn)
      expect(await readHash()).toBe(rewritten)
    },
  )

  test('is SHA-256 over the static digest and its salt', async () => {
    const digest = '48ac3d93cee8e78fc42a0b419dcc62036fefb413dca238e8ce4365a0206f20f8'
    const hex = sha256(`${digest}-aB3`)
    await site.addUser('admin', { passwordHash: `$openlist$aB3$${hex}` })
    expect(await site.login('admin', 'admin-Passw0rd')).toEqual(signedIn)
  })

  test('stays as it is after a wrong password, or its own hash for one', async () => {
    const hex = imported.slice(-64)
    expect(await site.login('alice', 'wrong-Passw0rd')).toEqual(wrongCredentials)
    for (const password of [imported, hex, hex.toUpperCase()]) {
      const answer = await site.post('/api/auth/login/hash', { username: 'alice', password })
      expect(answer).toEqual(wrongCredentials)
    }
    expect(await readHash()).toBe(imported)
  })

  test('stays as it is while the code is missing', async () => {
    const secret = await site.enrol(await site.token('alice', PASSWORD))
    await site.db.update(users).set({ passwordHash: imported })
    expect(await site.login('alice', PASSWORD)).toEqual(wrongCode)
    expect(await readHash()).toBe(imported)
    expect(await site.login('alice', PASSWORD, site.code(secret))).toEqual(signedIn)
    expect(await readHash()).toMatch(OURS)
  })

  test('is rewritten once by ten sign-ins at once', async () => {
    const writes = await countHashWrites()
    const signInTenTimes = () =>
      Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          site.post(
            '/api/auth/login',
            { username: 'alice', password: PASSWORD },
            { headers: { 'CF-Connecting-IP': `198.51.100.${i}` } },
          ),
        ),
      )
    const answers = await signInTenTimes()
    expect(answers).toEqual(answers.map(() => signedIn))
    expect(new Set(answers.map((answer) => answer.data.token)).size).toBe(10)
    expect(await writes()).toBe(1)
    const rewritten = await readHash()
    expect(rewritten).toMatch(OURS)

    expect(await signInTenTimes()).toEqual(answers.map(() => signedIn))
    expect(await writes()).toBe(1)
    expect(await readHash()).toBe(rewritten)
    expect(await site.db.select().from(sessions)).toHaveLength(20)
  })

  test('gives way to a password that is set while it is being checked', async () => {
    const set = await cheapPasswordHash('other-Passw0rd')
    const slow = new CheapSite({
      async hashPassword(...input) {
        await site.db.update(users).set({ passwordHash: set, passwordChangedAt: site.now })
        return cheapHash(input[0], input[1])
      },
    })
    expect(await slow.login('alice', PASSWORD)).toEqual(wrongCredentials)
    expect(await readHash()).toBe(set)
    expect(await site.db.select().from(sessions)).toEqual([])
  })
})

const generated = (byte: number) =>
  generatePassword({ randomBytes: (length) => new Uint8Array(length).fill(byte) })

test('a generated password does not begin with a hyphen, as options do', () => {
  expect(generated(0xf8)).toMatch(/^_[\w-]{19}$/)
  expect(generated(0)).toBe('A'.repeat(20))
})
