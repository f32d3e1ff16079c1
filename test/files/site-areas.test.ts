import { array, check, constantFrom, nat, oneof, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import document from '../../schema/openapi.json' with { type: 'json' }
import { readSitePath } from '../../src/core/base/site-areas.ts'

describe('a path belongs to', () => {
  test.each([
    ['latchkey', '/ping'],
    ['latchkey', '/api/auth/login'],
    ['latchkey', '/api/%61uth/login'],
    ['latchkey', '/api%2fauth%2flogin'],
    ['latchkey', '/api/me'],
    ['latchkey', '/account/security'],
    ['latchkey', '/.well-known/openid-configuration'],
    ['nobody', '/s3/bucket'],
    ['nobody', '/mcp'],
    ['nobody', '/debug/pprof/'],
    ['api', '/api/fs/list'],
    ['api', '/api/authority'],
    ['api', '/api/admin/setting/list'],
    ['dav', '/dav'],
    ['dav', '/dav/a%20b'],
    ['raw', '/d/a%2fb'],
    ['raw', '/sd/x'],
    ['client', '/'],
    ['client', '/@login'],
    ['client', '/accounts'],
    ['client', '/davy'],
    ['client', '/%ff'],
  ])('%s: %s', (area, path) => {
    expect(readSitePath(path)?.area).toBe(area)
  })

  test.each([
    '/x/../api/auth/login',
    '/d/..%2fapi/auth/login',
    '/api/fs/%2e%2e/auth/login',
    '//api/auth/login',
    '/api//auth/login',
    '/api\\auth\\login',
    '/api;a/auth/login',
    '/api/./me',
    '/a%00b',
    '/a%0d%0ab',
    '/%zz',
    '/%',
    '/d/%2',
  ])('nobody, and is refused: %s', (path) => {
    expect(readSitePath(path)).toBeUndefined()
  })

  test('this service: every endpoint that it documents', () => {
    // Both services have settings, which the gateway answers; the other two are its web client's.
    const shared = /^\/(?:api\/public\/|api\/admin\/setting\/|robots\.txt$|favicon\.ico$)/
    const others = Object.keys(document.paths).filter(
      (path) => readSitePath(path)?.area !== 'latchkey',
    )
    expect(others.filter((path) => !shared.test(path))).toEqual([])
    expect(others).not.toEqual([])
  })

  const part = constantFrom('api', 'auth', 'me', 'fs', 'd', 'dav', '..', '.', '', ';x', 'a;b', '\\')
  const anyPath = array(oneof(part, string()), { minLength: 1, maxLength: 6 }).chain((parts) =>
    array(nat(), { maxLength: 3 }).map((places) =>
      places.reduce(escapeAt, `/${parts.map(encodeURI).join('/')}`),
    ),
  )

  test('the same owner, however it is resolved', () => {
    const holds = check(
      property(anyPath, (path) => {
        const found = readSitePath(path)
        if (found === undefined) return true
        const { area, decoded } = found
        const plain = decoded.replaceAll('\\', '/').replaceAll(/;[^/]*/g, '')
        const resolved = new URL(
          `http://a${encodeURI(plain).replaceAll('?', '%3F').replaceAll('#', '%23')}`,
        ).pathname.replaceAll(/\/{2,}/g, '/')
        const again = readSitePath(resolved.replace(/(?<=.)\/$/, ''))
        return again === undefined || again.area === area
      }),
      { numRuns: 2000 },
    )
    expect(holds.counterexample).toBeNull()
  })
})

/** Writes one character as an escape. */
function escapeAt(path: string, place: number): string {
  const at = 1 + (place % Math.max(path.length - 1, 1))
  const code = path.charCodeAt(at)
  if (!(code > 32 && code < 127)) return path
  return `${path.slice(0, at)}%${code.toString(16)}${path.slice(at + 1)}`
}
