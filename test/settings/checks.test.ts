import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { readReason, wordsOf } from '../../src/core/base/reasons.ts'
import { describeSetting } from '../../src/capabilities/settings/manage-settings.ts'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { anyCharacter } from '../support/any-character.ts'
import { anyWebUrl } from '../support/any-web-url.ts'

/** What is stored, or why not. */
function check(key: string, value: string): string | { refused: string } {
  const result = v.safeParse(describeSetting(key).check, value, { abortPipeEarly: true })
  if (result.success) return result.output
  return { refused: wordsOf(readReason(result.issues[0].message)) }
}

const refused = { refused: expect.any(String) }
const BOOLEANS = SETTINGS.filter(({ type }) => type === 'bool')
const SELECTS = SETTINGS.filter(({ type }) => type === 'select')
const ADDRESSES = ['favicon', 'audio_cover', 'ocr_api', 'logo']
const previews = (address: unknown) => JSON.stringify({ 'pdf,epub': { Viewer: address } })

describe('every setting', () => {
  test.each(SETTINGS)('$key takes its default as it is', ({ key, ...setting }) => {
    expect(check(key, setting.default)).toBe(setting.default)
  })

  test.each(SETTINGS)('$key refuses NUL, half characters and megabytes', ({ key }) => {
    for (const value of ['\0', '#1890ff\0', '\ud800', 'x'.repeat(1_000_000)]) {
      expect(check(key, value), JSON.stringify(value.slice(0, 9))).toEqual(refused)
    }
  })

  test('register_groups is not too long once blanks stand after its commas', () => {
    const names = Array<string>(86).fill('a')
    expect(check('register_groups', names.join(','))).toBe(names.join(', '))
    expect(check('register_groups', [...names, 'a'].join(','))).toEqual(refused)
  })

  test('takes any text or says why not, and what it takes it takes again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SETTINGS.map(({ key }) => key)),
        fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), anyWebUrl),
        (key, value) => {
          const result = check(key, value)
          const isTaken = typeof result === 'string'
          expect(isTaken ? 'is right' : result.refused).toMatch(/^(must|is) /)
          expect(isTaken ? check(key, result) : result).toEqual(result)
        },
      ),
    )
  })
})

describe('all settings together', () => {
  test('are smaller than the largest body, however long each is', () => {
    const longest = SETTINGS.map(({ key }) =>
      [8192, 2048, 1024, 64].find(
        (length) => check(key, longOf(key, length)) === longOf(key, length),
      ),
    )
    const bytes = longest.reduce<number>((sum, length = 0) => sum + length, 0)
    expect(bytes).toBe(6 * 8192 + 3 * 2048 + 5 * 1024 + 11 * 64)
    expect(bytes).toBeLessThan(60 * 1024)
  })
})

/** A value of this many characters that is right if any of that length is. */
function longOf(key: string, length: number): string {
  if (/_(previews|mapping|map)$/.test(key)) return '{}'.padEnd(length)
  if (key === 'hide_files') return `/${'x'.repeat(length - 2)}/`
  if (key === 'logo') return `${'/'.padEnd(length / 2 - 1, 'x')}\n/`.padEnd(length, 'x')
  if (key === 'security_contact') return 'https://'.padEnd(length, 'x')
  if (key === 'sftp_address') return `${'x.'.repeat(length / 2 - 1)}xx`
  if (ADDRESSES.includes(key)) return '/'.padEnd(length, 'x')
  return 'x'.repeat(length)
}

describe('a boolean', () => {
  test.each(BOOLEANS)('$key is true or false, so spelt', ({ key }) => {
    expect(['true', 'false'].map((value) => check(key, value))).toEqual(['true', 'false'])
    for (const value of ['', 'True', '1', 'yes', ' true', 'true\n']) {
      expect(check(key, value), value).toEqual({ refused: 'must be true or false' })
    }
  })
})

describe('a choice', () => {
  test.each(SELECTS)('$key is one of its options', ({ key, options, ...setting }) => {
    expect(options).toContain(setting.default)
    expect(options.map((option) => check(key, option))).toEqual(options)
    for (const value of ['x', options.join(','), `${options[1]} `]) {
      expect(check(key, value), value).toEqual(refused)
    }
  })

  test('is told its options', () => {
    expect(check('home_container', 'wide')).toEqual({
      refused: 'must be one of max_980px, hope_container',
    })
  })
})

describe('main_color', () => {
  test.each(['#abc', '#1890ff', '#1890FF', '#1890ffcc'])('takes %s', (value) => {
    expect(check('main_color', value)).toBe(value)
  })

  test.each(['', 'red', '1890ff', '#1890f', '#1890fff', '#ggg', '#abc;}', '#abcd', '#abc\n'])(
    'refuses %j',
    (value) => {
      expect(check('main_color', value)).toEqual({
        refused: 'must be a colour such as #1890ff',
      })
    },
  )
})

describe('sftp_address', () => {
  test.each(['', 'files.example.org', 'files:2022', '192.0.2.1', '[2001:db8::1]', '[::1]:2022'])(
    'takes %j',
    (value) => {
      expect(check('sftp_address', value)).toBe(value)
    },
  )

  test.each([
    'sftp://files.example.org',
    'alice@files.example.org',
    'files.example.org:0',
    'files.example.org:65536',
    'files.example.org/home',
    '-oProxyCommand=x',
    'a;b',
    '$(id)',
    'files example',
    'files..example',
    '2001:db8::1',
    '[x]',
    `${'x'.repeat(64)}.org`,
  ])('refuses %j', (value) => {
    expect(check('sftp_address', value)).toEqual({
      refused: 'must be a host such as files.example.org, with :port unless it is 22',
    })
  })
})

describe('default_page_size', () => {
  test('is a whole number from 1 to 9999', () => {
    expect(['1', '30', '9999'].map((value) => check('default_page_size', value))).toEqual([
      '1',
      '30',
      '9999',
    ])
    for (const value of ['', '0', '-1', '030', '10000', '1.5', '1e3', '٣', ' 30', '30\n']) {
      expect(check('default_page_size', value), value).toEqual(refused)
    }
  })
})

describe('an address', () => {
  test.each(ADDRESSES)('%s is a path of the site, on the web, or nothing', (key) => {
    for (const value of [
      '',
      '/logo.svg',
      '/a/b.png?v=1#x',
      'https://cdn.example/i.png',
      'http://x',
    ]) {
      expect(check(key, value)).toBe(value)
    }
    for (const value of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:image/png;base64,AA',
      '//evil.example/x',
      '/\\evil.example',
      'logo.svg',
      ' /logo.svg',
      'https://',
      'https://a b',
      '/a\tb',
      'ftp://x/',
    ]) {
      expect(check(key, value), value).toEqual(refused)
    }
  })

  test('of a logo may be followed by that for dark pages, and no third', () => {
    expect(check('logo', '/a.svg\r\nhttps://x/b.svg')).toBe('/a.svg\nhttps://x/b.svg')
    for (const value of ['/a\n/b\n/c', '/a\n', '\n/b', '/a\njavascript:alert(1)']) {
      expect(check('logo', value), value).toEqual(refused)
    }
  })
})

describe('hide_files', () => {
  test('is regular expressions that compile, one per line', () => {
    for (const value of ['', '/\\/README.md/i', '/a/\n/b/iu\n\n /c/ ', '/^\\.(git|svn)$/']) {
      expect(check('hide_files', value)).toBe(value)
    }
    for (const value of ['README.md', '/(/', '/a/x', '/a/\n(', '//', '/a/ii']) {
      expect(check('hide_files', value), value).toEqual(refused)
    }
  })
})

describe('JSON settings', () => {
  test.each(['external_previews', 'iframe_previews'])('%s is viewers by extension', (key) => {
    for (const value of [
      '{}',
      '{"pdf": {}}',
      previews('https://x/?u=$e_url'),
      previews('/v?$url'),
    ]) {
      expect(check(key, value)).toBe(value)
    }
    for (const value of [
      '',
      '{',
      'null',
      '[]',
      '{"pdf":[]}',
      '{"pdf":"https://x"}',
      previews(5),
      previews('javascript:$url'),
      previews('data:text/html,x'),
      previews('//x/$url'),
      '{"__proto__":{"x":"javascript:alert(1)"}}',
      '{"pdf":{"__proto__":"javascript:alert(1)"}}',
      '['.repeat(8000),
    ]) {
      expect(check(key, value), value).toEqual(refused)
    }
  })

  test('filename_char_mapping is texts', () => {
    expect(check('filename_char_mapping', '{"/": "|", ":": ""}')).toBe('{"/": "|", ":": ""}')
    for (const value of [
      '',
      '[]',
      '"x"',
      '{"/":1}',
      '{"/":{}}',
      '{"/":"|"',
      '{"__proto__":null}',
    ]) {
      expect(check('filename_char_mapping', value), value).toEqual(refused)
    }
  })
})

describe('a text', () => {
  test('keeps its lines and has no other control character', () => {
    expect(check('robots_txt', 'User-agent: *\r\nDisallow: /\tx')).toBe(
      'User-agent: *\nDisallow: /\tx',
    )
    for (const value of ['\x07', 'a\rb', '\x1b[31m', '\x85']) {
      expect(check('announcement', value)).toEqual(refused)
    }
    expect(check('announcement', 'é'.repeat(4096))).toHaveLength(4096)
    expect(check('announcement', 'é'.repeat(4097))).toEqual({
      refused: 'must have at most 8192 bytes',
    })
  })
})

describe('site_title', () => {
  test('is a line of its own that is not blank', () => {
    expect(check('site_title', 'Files of ☃')).toBe('Files of ☃')
    expect(['', ' '].map((value) => check('site_title', value))).toEqual([
      { refused: 'is required' },
      { refused: 'is required' },
    ])
    expect(check('site_title', 'a\nb')).toEqual(refused)
    expect(check('site_title', '🦊'.repeat(65))).toEqual(refused)
  })

  test('shows all that it is made of, in the order in which it stands', () => {
    for (const title of ['🏳️‍🌈 files', '❤️', 'می‌خواهم'])
      expect(check('site_title', title)).toBe(title)
    for (const sign of ['\u202e', '\u2066', '\u200b', '\u200e', '\ufeff', '\u00ad', '\u2028']) {
      expect(check('site_title', `a${sign}b`), JSON.stringify(sign)).toEqual({
        refused: 'must not contain invisible characters',
      })
    }
    expect(check('site_title', '\u200d')).toEqual({ refused: 'is required' })
  })

  test('never is too long for the QR code of two-step verification', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser('漢'.repeat(40), 'alice-Passw0rd')
    const admin = await site.token('admin', 'admin-Passw0rd')
    const items = [{ key: 'site_title', value: '🦊'.repeat(64) }]
    expect(await site.post('/api/admin/setting/save', items, { token: admin })).toMatchObject({
      code: 200,
    })
    expect(await site.post('/api/auth/2fa/generate', undefined, { token })).toMatchObject({
      code: 200,
    })
  })
})
