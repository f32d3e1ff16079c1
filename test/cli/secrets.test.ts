import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { secretAdvice } from '../../src/programs/site/secret-advice.ts'
import { Clone } from '../support/clone.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('startedSite'))
})
afterEach(() => clone.remove())

const newEntry = () => randomBytes(32).toString('base64url')
const entries = () =>
  readFileSync(join(clone.folder, '.dev.vars'), 'utf8')
    .trim()
    .replace(/^SECRET_KEYS=/, '')
const setEntries = (list: string) =>
  writeFileSync(join(clone.folder, '.dev.vars'), `SECRET_KEYS=${list}\n`)

/**
 * Every file that seals something, and what becomes of it when an entry of `SECRET_KEYS` goes. A
 * new one is also named as `sealed` by the `programs.ts` of its capability, if it is stored.
 */
const SEALERS = {
  'capabilities/files/http/lock-tokens.ts': 'programs keep it as long as a lock, an hour at most',
  'capabilities/files/stored-token.ts': 'a new token of the file server is fetched',
  'capabilities/mail/sealed-secret.ts': 'sealed anew',
  'capabilities/notices/sealed-config.ts': 'sealed anew',
  'capabilities/openid/keys.ts': 'sealed anew',
  'capabilities/passkeys/session-text.ts': 'browsers keep it for minutes',
  'capabilities/settings/secret.ts': 'sealed anew',
  'capabilities/sign-in/pages/pending-sign-in.ts': 'browsers keep it for minutes',
  'capabilities/two-factor/sealed.ts':
    'sealed anew; a seed that is not confirmed waits ten minutes',
  'core/crypto/sealed-bookmark.ts': 'a header and a cookie, which may be lost',
  'core/crypto/sealed-box.ts': 'the function itself',
  'core/crypto/sealed-text.ts': 'browsers keep it for minutes',
}

test('everything that is sealed is known', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  const sealers = files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('programs/'))
    .filter((file) => /\bsealBox\(/.test(readFileSync(join('src', file), 'utf8')))
  expect(sealers.toSorted()).toEqual(Object.keys(SEALERS).toSorted())
})

test('secrets reseal seals everything anew, and says when the old entry can go', async () => {
  await clone.command([
    'notice',
    'add',
    'ntfy',
    '--name',
    'phone',
    '--address',
    'https://ntfy.sh/x',
  ])
  await clone.command(['signing-key', 'rotate', '--now'])
  for (const key of ['sso_client_secret', 'turnstile_secret'])
    await clone.command(['setting', 'set', key, '--stdin'], 'a secret\n')
  const old = entries()
  const none = await clone.command(['secrets', 'reseal'])
  expect(none).toMatchObject({
    code: 0,
    stdout: 'The first entry of SECRET_KEYS seals everything already.\n',
  })
  setEntries(`${newEntry()},${old}`)
  const done = await clone.command(['secrets', 'reseal'])
  expect(done.code, done.stderr).toBe(0)
  expect(done.stdout).toMatch(/^Sealed anew: .*1 signing key.*1 channel.*1 sso_client_secret/)
  expect(done.stdout).toMatch(/Remove the older entries from \.dev\.vars after \d{4}-/)
  setEntries(entries().split(',')[0] ?? '')
  const { stdout } = await clone.command(['doctor'])
  expect(stdout).toContain('the first entry of SECRET_KEYS opens everything')
  const tested = await clone.command(['notice', 'list', '--json'])
  expect(tested.code).toBe(0)
})

test('secrets reseal keeps what it cannot open, and says so', async () => {
  const old = entries()
  await clone.command(['signing-key', 'rotate', '--now'])
  setEntries(newEntry())
  const lost = await clone.command(['secrets', 'reseal'])
  expect(lost.code).toBe(1)
  expect(lost.stderr).toContain('an older entry was removed too early')
  setEntries(`${newEntry()},${old}`)
  clone.sql(`update openid_keys set sealed = substr(sealed, 1, 20) || 'AAAA' || substr(sealed, 25)`)
  const [before] = clone.sql('select sealed from openid_keys')
  const altered = await clone.command(['secrets', 'reseal'])
  expect(altered.code).toBe(1)
  expect(altered.stderr).toContain('Not sealed anew: 1 signing key')
  expect(clone.sql('select sealed from openid_keys')).toEqual([before])
})

test('secrets new prints an entry, and says what to do with it here', async () => {
  const folder = process.cwd()
  const advice = () => {
    process.chdir(clone.folder)
    try {
      return secretAdvice()
    } finally {
      process.chdir(folder)
    }
  }
  const before = entries()
  const made = await clone.command(['secrets', 'new'])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toMatch(
    /^[\w-]{43}\n\nThis is one entry for SECRET_KEYS; nothing was changed\.\n\n.*\.dev\.vars holds 1 entry, /,
  )
  expect(entries()).toBe(before)
  setEntries(`${newEntry()},${entries()}`)
  expect(advice()).toContain('.dev.vars holds 2 entries')
  expect(advice()).toContain('npm run deploy makes its first entry')
  writeFileSync(join(clone.folder, '.production.vars'), `SECRET_KEYS=${newEntry()}\n`)
  expect(advice()).toContain('secrets reseal --remote')
  rmSync(join(clone.folder, '.dev.vars'))
  expect(advice()).toContain('.dev.vars has no valid SECRET_KEYS: put the list of this site back')
  rmSync(join(clone.folder, '.wrangler'), { recursive: true })
  expect(advice()).toContain('there is no site yet')
})
