import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isClientSignIn, readSitePath } from '../../src/core/base/site-areas.ts'
import { localPathOf, parseClientPath, parseLocalPath } from '../../src/web/kit/local-path.ts'
import { pathAfter, signInPath } from '../../src/capabilities/sign-in/pages/next.ts'
import { anyCharacter } from '../support/any-character.ts'
import { anyWebUrl } from '../support/any-web-url.ts'

const SITE = 'https://accounts.example.org'

/** Texts that come close to a path of ours, or that browsers have read as another host. */
const HOSTILE = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/%2f%2fevil.example',
  '/account//evil.example',
  '/account/%2e%2e/%2f%2fevil.example',
  '/account/../../evil',
  '/account/..%2f..%2fevil',
  '/account/./keys',
  '/account\\@evil.example',
  '/account@evil.example',
  '/account.evil.example',
  '/accounts',
  '/account/keys\r\nSet-Cookie: a=b',
  '/account/keys%0d%0aSet-Cookie:%20a=b',
  '/account/keys\0',
  '/account/keys ',
  ' /account/keys',
  '\u0000/account/keys',
  '/account/keys#@evil.example',
  '/account/ｋｅｙｓ',
  '/account/keys?next=//evil.example',
  '/account/keys?next=https://evil.example',
  'https://evil.example/account/keys',
  'https:/account/keys',
  'javascript:alert(1)//account',
  'data:text/html,x',
  '@evil.example/account',
  '/api/me',
  'account/keys',
  '?x',
  '',
  `/account/${'x'.repeat(2000)}`,
]

describe('a path that a request supplies', () => {
  test.each([
    '/account',
    '/account/keys',
    '/account/keys/add',
    '/account/admin/users/3',
    '/account/activity?page=2',
    '/account/admin/users?search=b%C3%B6b+x&page=2',
  ])('is taken when it is a page of ours: %s', (path) => {
    expect(parseLocalPath(path)).toBe(path)
  })

  test.each(HOSTILE)('is refused otherwise: %j', (text) => {
    expect(parseLocalPath(text)).toBe('')
    const files = parseClientPath(text)
    expect(pathAfter(text)).toBe(files || '/account')
    expect(new URL(signInPath(text), SITE).searchParams.get('next') ?? '').toBe(files)
  })

  test('leads to this site, to the same path, whatever it is', () => {
    const piece = fc.constantFrom(
      ...Array.from('/\\.%?#@:&=+-_~\t\r\n\0'),
      '/account',
      '%2f',
      '%5c',
      'evil.example',
    )
    const near = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 3 })))
      .map((parts) => `/account${parts.join('')}`)
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: anyCharacter }), anyWebUrl), (text) => {
        const path = pathAfter(text)
        const url = new URL(path, SITE)
        expect(url.origin).toBe(SITE)
        expect(url.pathname + url.search).toBe(path)
        expect(path).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
        const isAccount = /^\/account(?:\/|$)/.test(url.pathname)
        expect(isAccount || readSitePath(url.pathname)?.area === 'client').toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a path of the web client that a request supplies', () => {
  test.each([
    ['/', '/'],
    ['/folder/a%20b', '/folder/a%20b'],
    ['/文件', '/%E6%96%87%E4%BB%B6'],
    ['/@manage/settings/site', '/@manage/settings/site'],
    ['/@s/abc?pwd=x', '/@s/abc?pwd=x'],
    ['/folder#part', '/folder'],
    ['/loginx', '/loginx'],
  ])('is taken, as browsers write it: %s', (text, path) => {
    expect(parseClientPath(text)).toBe(path)
  })

  test.each([
    '//evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/a b',
    '/a\r\nSet-Cookie: a=b',
    '/a%0d%0aSet-Cookie:%20a=b',
    'https://evil.example/',
    'javascript:alert(1)',
    '@login',
    '/@login',
    '/@LOGIN/',
    '/%40login?token=x',
    '/x/../@login',
    '/account/keys',
    '/x/../account',
    '/x/%2e%2e/api/me',
    '/api/fs/list',
    '/d/file',
    '/dav/',
    '/s3',
    '/oauth/authorize?x',
    '/x;/..;/api/me',
    '',
    `/${'x'.repeat(1024)}`,
    `/${'文'.repeat(300)}`,
  ])('is refused: %j', (text) => {
    expect(parseClientPath(text)).toBe('')
  })

  test('stays on this site and in its area, and is read as the same path again', () => {
    const piece = fc.constantFrom(
      ...Array.from('/\\.%?#@:;&= ~\t\r\n\0'),
      '..',
      '%2f',
      '%5c',
      '%2e',
      'account',
      'api',
      '@login',
      'evil.example',
    )
    const near = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 3 })))
      .map((parts) => `/${parts.join('')}`)
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: anyCharacter }), anyWebUrl), (text) => {
        const path = parseClientPath(text)
        fc.pre(path !== '')
        const { origin, pathname } = new URL(path, SITE)
        const { area, decoded = '' } = readSitePath(pathname) ?? {}
        expect([origin, area, parseClientPath(path)]).toEqual([SITE, 'client', path])
        expect(path).toMatch(/^\/(?!\/)[\x21-\x7e]{0,1023}$/)
        expect(isClientSignIn(decoded)).toBe(false)
      }),
      { numRuns: 2000, maxSkipsPerRun: 1000 },
    )
  })
})

describe('the page after the sign-in', () => {
  test.each([
    '/account/sign-in',
    '/account/sign-in?next=/account/keys',
    '/account/sign-in/code',
    '/account/sign-out',
    '/account/language',
    '/account/announcement',
  ])('is never %s', (path) => {
    expect(pathAfter(path)).toBe('/account')
  })

  test('is not the notice of an earlier form, and keeps the rest of its query', () => {
    const path = localPathOf(`${SITE}/account/admin/users?done=user-deleted&search=a%20b&page=2`)
    expect(path).toBe('/account/admin/users?search=a+b&page=2')
    const next = new URL(signInPath(path), SITE).searchParams.get('next') ?? ''
    expect(pathAfter(next)).toBe(path)
  })
})
