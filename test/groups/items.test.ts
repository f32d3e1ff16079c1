import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/core/base/refusals.ts'
import { cleanFolder } from '../../src/core/base/clean-folder.ts'
import { isAtOrBelow } from '../../src/capabilities/groups/decision.ts'
import { itemCallOf } from '../../src/capabilities/groups/http/items.ts'
import { type Need } from '../../src/capabilities/groups/needs.ts'
import {
  belowBase,
  joinNames,
  textOfBytes,
  unescapePath,
} from '../../src/capabilities/groups/openlist-paths.ts'
import { readingOf } from '../../src/capabilities/groups/http/readings.ts'
import { shownFolderOf } from '../../src/capabilities/groups/http/shown-folders.ts'
import type { FileCall } from '../../src/web/kit/file-guard.ts'

function call(method: string, path: string, body: unknown = '', headers = {}): FileCall {
  const [pathname = '', search = ''] = path.split('?')
  return {
    area: pathname.startsWith('/dav') ? 'dav' : 'api',
    method,
    path: pathname,
    query: new URLSearchParams(search),
    headers: new Headers(headers),
    body: () => (typeof body === 'string' ? body : JSON.stringify(body)),
    isLarge: false,
  }
}

const post = (name: string, body: unknown) => call('POST', `/api/${name}`, body)

/** A need in a word: `r` reads the whole, `w` writes it; what must not be there, and for whom. */
function short({ path, access, noRules, isAlone = false, isForAdmins = false }: Need): string {
  return `${access.charAt(0)} ${path}${isAlone ? ' alone' : ''}${noRules === undefined ? '' : ` -${noRules}`}${isForAdmins ? '!' : ''}`
}

function needs(request: FileCall, basePath = '/'): string[] | string {
  try {
    return itemCallOf(request)?.needs(basePath).map(short) ?? 'nothing'
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

const CLOSED = 'permission denied'

describe('what a request needs of its items', () => {
  const copy = { src_dir: '/nas', dst_dir: '/to', names: ['a', 'closed/b.txt'] }

  test.each<[string, unknown, string[] | string]>([
    ['fs/copy', copy, ['r /nas/a', 'w /to/a', 'r /nas/closed/b.txt', 'w /to/b.txt']],
    ['fs/move', { ...copy, names: ['a'] }, ['w /nas/a -within!', 'w /to/a']],
    ['fs/rename', { path: '/nas/a', name: 'b' }, ['w /nas/a -within!', 'w /nas/b']],
    [
      'fs/batch_rename',
      { src_dir: '/nas', rename_objects: [{ src_name: 'a', new_name: 'b' }] },
      ['w /nas/a -within!', 'w /nas/b'],
    ],
    ['fs/mkdir', { path: '\\nas/./a/' }, ['w /nas/a alone']],
    ['fs/regex_rename', { src_dir: '/nas' }, ['w /nas -below!']],
    ['fs/recursive_move', { src_dir: '/nas', dst_dir: '/to' }, ['w /nas -below!', 'w /to']],
    ['fs/remove', { dir: '/nas', names: ['a'] }, ['w /nas/a -within']],
    ['fs/remove_empty_directory', { src_dir: '/nas' }, ['w /nas -below']],
    [
      'fs/archive/decompress',
      { src_dir: '/nas', dst_dir: '/to', name: ['a.zip'] },
      ['r /nas/a.zip', 'w /to'],
    ],
    ['fs/torrent/generate', { path: '/nas/a' }, ['r /nas/a']],
    ['fs/torrent/rapid_upload', { path: '/nas', torrent_data: 'x' }, ['w /nas']],
    ['fs/add_offline_download', { path: '/nas', urls: ['http://x/'] }, ['w /nas']],
    ['fs/get_direct_upload_info', { path: '/n%61s', file_name: 'a' }, ['w /nas/a -within']],
    ['share/create', { files: ['nas/a', '\\nas\\b'] }, ['r /nas/a', 'r /nas/b']],
    ['share/update', { id: 'x', files: ['/nas/../to'] }, ['r /to']],
    ['task/copy/delete', '', []],
    ['task/copy/delete_some', '["x"]', []],
  ])('%s', (name, body, found) => {
    expect(needs(post(name, body))).toEqual(found)
  })

  test.each([
    ['closed/a.txt', 'r /nas/closed/a.txt'],
    ['./closed', 'r /nas/closed'],
    ['x/../closed', 'r /nas/closed'],
    ['\\closed', 'r /nas/closed'],
    ['closed\\a.txt', 'r /nas/closed/a.txt'],
    ['//closed//', 'r /nas/closed'],
    ['x\\..\\closed', 'r /nas/closed'],
    ['%63losed', 'r /nas/%63losed'],
    ['a..b', 'r /nas/a..b'],
    ['', 'r /nas'],
    ['.', 'r /nas'],
  ])('a name in a folder: %j', (name, found) => {
    const { [0]: first } = needs(post('fs/copy', { ...copy, names: [name] }))
    expect(first).toBe(found)
  })

  test.each(['..', '../closed', '..\\closed', 'x/../../closed', '\\..\\closed', 'closed\0'])(
    'a name that leaves its folder, or has a NUL: %j',
    (name) => {
      for (const request of [
        post('fs/copy', { ...copy, names: [name] }),
        post('fs/move', { ...copy, names: [name] }),
        post('fs/remove', { dir: '/nas', names: [name] }),
      ])
        expect(needs(request)).toBe(CLOSED)
    },
  )

  test.each(['/nas/../closed', '..', '/a\0'])('a path that OpenList refuses: %j', (path) => {
    expect(needs(post('fs/copy', { ...copy, src_dir: path }))).toBe(CLOSED)
    expect(needs(post('fs/remove', { dir: path, names: ['a'] }))).toBe(CLOSED)
    expect(needs(post('fs/rename', { path, name: 'b' }))).toBe(CLOSED)
  })

  test('paths are below the base path, those of shares are full', () => {
    const base = '/home/ann'
    expect(needs(post('fs/copy', copy), base)).toContain('r /home/ann/nas/a')
    expect(needs(post('fs/copy', { ...copy, names: ['..\\..\\x'] }), base)).toBe(CLOSED)
    expect(needs(post('share/create', { files: ['/nas'] }), base)).toEqual(['r /nas'])
  })

  test('a name that leaves an archive’s folder is joined first, as OpenList does', () => {
    const body = { src_dir: '/nas/x', dst_dir: '/to', name: ['../closed/a.zip'] }
    expect(needs(post('fs/archive/decompress', body))).toContain('r /nas/closed/a.zip')
    expect(needs(post('fs/archive/decompress', { ...body, src_dir: '' }))).toBe(CLOSED)
  })

  test.each<[string, string[] | string]>([
    ['a.tar.gz', ['w /home/to/a.tar', 'w /home/to']],
    ['x/.zip', ['w /home/to', 'w /home/to']],
    ['..zip', ['w /home/to', 'w /home/to']],
    ['zip', ['w /home/to/zip', 'w /home/to']],
    ['...zip', CLOSED],
    ['x\\...zip', CLOSED],
    ['....zip', ['w /home/to/...', 'w /home/to']],
  ])('the new folder of an archive %s', (name, found) => {
    const body = { src_dir: '/nas', dst_dir: '/to', name: [name], put_into_new_dir: true }
    const [archive, ...rest] = needs(post('fs/archive/decompress', body), '/home')
    expect(typeof found === 'string' ? archive + rest.join('') : rest).toEqual(found)
  })

  test.each<[string, string | undefined, string[] | string]>([
    ['COPY /dav/nas/a', '/dav/to/b', ['r /nas/a', 'w /to/b', 'w /to/a']],
    ['MOVE /dav/nas/a/', '/dav/to/b/', ['w /nas/a -within!', 'w /to/b', 'w /to/a']],
    ['DELETE /dav/nas/closed/', undefined, ['w /nas/closed -within']],
    ['DELETE /dav//nas\\closed', undefined, ['w /nas/closed -within']],
    ['PUT /dav/nas/closed', undefined, ['w /nas/closed -within']],
    ['COPY /dav/nas/a', '/davto/b', ['r /nas/a', 'w /to/b', 'w /to/a']],
    ['COPY /dav/nas/a', '/dav/%74o%2Fb', ['r /nas/a', 'w /to/b', 'w /to/a']],
    ['COPY /dav/nas/\u00e4', '/dav/%e4', ['r /nas/\udce4', 'w /\udce4', 'w /\udce4']],
    ['COPY /dav/nas/\u00c3\u00a4', '/dav/%c3%a4', ['r /nas/ä', 'w /ä', 'w /ä']],
    ['COPY /dav/nas/a', '/other/b', CLOSED],
    ['COPY /dav/nas/a', '/dav/%zz', CLOSED],
    ['COPY /dav/nas/a', undefined, CLOSED],
    ['MOVE /dav/nas/a/../b', '/dav/c', CLOSED],
    ['GET /dav/nas/closed', undefined, 'nothing'],
    ['MKCOL /dav/nas/closed/x', undefined, ['w /nas/closed/x alone']],
    ['PROPPATCH /dav/nas/closed', undefined, ['w /nas/closed alone']],
    ['LOCK /dav/nas', undefined, ['w /nas']],
    ['UNLOCK /dav/nas', undefined, 'nothing'],
  ])('WebDAV: %s to %s', (line, destination, found) => {
    const [method = '', path = ''] = line.split(' ')
    const headers = destination === undefined ? {} : { Destination: destination }
    expect(needs(call(method, path, '', headers))).toEqual(found)
  })

  test.each<[string, string[] | string]>([
    ['/nas/closed', ['w /nas/closed -within']],
    ['%2Fnas%2Fclosed', ['w /nas/closed -within']],
    ['nas\\closed', ['w /nas/closed -within']],
    ['/nas/%zz', CLOSED],
    ['/nas/../closed', CLOSED],
    ['/%E4%B8%AD', ['w /中 -within']],
    // Which of the two the file server gets is not known.
    ['/\u00e4\u00b8\u00ad', ['w /\u00e4\u00b8\u00ad -within', 'w /中 -within']],
  ])('an upload to %s', (path, found) => {
    for (const name of ['put', 'form', 'multipart/init'])
      expect(needs(call('PUT', `/api/fs/${name}`, '', { 'File-Path': path }))).toEqual(found)
  })
})

describe('what is sent', () => {
  test('has the members that were understood, and no query', () => {
    const body = '{"path":"/a","PATH":"/closed","name":"x","name":"b","Src":1,"overwrite":true}'
    expect(itemCallOf(call('POST', '/api/fs/rename?path=/closed', body))?.understood).toEqual({
      body: '{"path":"/a","name":"b","overwrite":true}',
      search: '',
      headers: { 'Content-Type': 'application/json' },
    })
  })

  test('of the header is one path, and of a query one id', () => {
    const upload = call('PUT', '/api/fs/put', '', { 'File-Path': '/a%20b' })
    expect(itemCallOf(upload)?.understood).toEqual({ headers: { 'File-Path': '/a%20b' } })
    const enable = call('POST', '/api/share/enable?id=a%26b&id=c&x=1')
    expect(itemCallOf(enable)).toMatchObject({
      understood: { search: '?id=a%26b' },
      share: { id: 'a&b' },
    })
  })

  test('has no lone surrogates, which Go reads as another character', () => {
    const request = post('fs/rename', '{"path":"/\\ud800","name":"b"}')
    expect(needs(request)).toContain('w /\ufffd -within!')
    expect(itemCallOf(request)?.understood.body).toContain('/\ufffd')
  })

  test.each([
    'src_dir=/nas&dst_dir=/to&names=closed',
    'src_dir: /nas\nnames: [closed]',
    '<r><src_dir>/nas</src_dir></r>',
    '',
    '[]',
    'null',
    '"x"',
    '{"src_dir":1}',
    '{"names":"closed"}',
    '{"names":[["closed"]]}',
    '{"src_dir":["/nas"]}',
    '{"overwrite":"true"}',
    '{"src_dir":"/nas"',
  ])('a body that is no such JSON object is refused: %s', (body) => {
    expect(() => itemCallOf(post('fs/copy', body))).toThrow(expect.objectContaining({ code: 400 }))
  })
})

test.each([
  ['fs/copy', { names: Array.from({ length: 20_001 }, () => 'a') }],
  ['fs/batch_rename', { rename_objects: Array.from({ length: 20_001 }, () => ({})) }],
])('%s of too many items is refused', (name, body) => {
  expect(needs(post(name, body))).toBe('request body too large')
})

/**
 * Every door of OpenList 4.2.6 to a file (`server/router.go`), and who looks at it: `guard` (this
 * site), `meta` (OpenList, at the nearest meta of the path itself, or of the folder that is written
 * to), `sign` (a signature, which an answer that a meta allows has given), `share` (what the rules
 * give the user of the share, `refuseEndedShare`; the calls of `fs` do so for `/@s` too), `answered
 * here`, `admin`, or nothing of a file.
 */
const DOORS: readonly (readonly [request: string, looks: string])[] = [
  ['POST /api/fs/list', 'meta'],
  ['POST /api/fs/get', 'meta'],
  ['POST /api/fs/dirs', 'meta'],
  ['POST /api/fs/other', 'meta'],
  ['POST /api/fs/search', 'meta'],
  ['POST /api/fs/archive/meta', 'meta'],
  ['POST /api/fs/archive/list', 'meta'],
  ['POST /api/fs/archive/decompress', 'guard'],
  ['POST /api/fs/mkdir', 'guard'],
  ['POST /api/fs/rename', 'guard'],
  ['POST /api/fs/batch_rename', 'guard'],
  ['POST /api/fs/regex_rename', 'guard'],
  ['POST /api/fs/move', 'guard'],
  ['POST /api/fs/recursive_move', 'guard'],
  ['POST /api/fs/copy', 'guard'],
  ['POST /api/fs/remove', 'guard'],
  ['POST /api/fs/remove_empty_directory', 'guard'],
  ['PUT /api/fs/put', 'guard'],
  ['PUT /api/fs/form', 'guard'],
  ['POST /api/fs/multipart/init', 'guard'],
  ['PUT /api/fs/multipart/chunk', 'the upload that init has begun, by its path'],
  ['POST /api/fs/multipart/complete', 'the upload that init has begun, by its path'],
  ['GET /api/fs/multipart/status', 'the upload that init has begun'],
  ['POST /api/fs/multipart/abort', 'the upload that init has begun, by its path'],
  ['POST /api/fs/get_direct_upload_info', 'guard'],
  ['POST /api/fs/link', 'admin'],
  ['POST /api/fs/add_offline_download', 'guard'],
  ['POST /api/fs/torrent/parse', 'nothing'],
  ['POST /api/fs/torrent/upload_parse', 'nothing'],
  ['POST /api/fs/torrent/rapid_upload', 'guard'],
  ['POST /api/fs/torrent/generate', 'guard'],
  ['POST /api/share/list', 'nothing'],
  ['GET /api/share/get', 'nothing'],
  ['POST /api/share/create', 'guard'],
  ['POST /api/share/update', 'guard'],
  ['POST /api/share/enable', 'guard'],
  ['POST /api/share/disable', 'nothing'],
  ['POST /api/share/delete', 'nothing'],
  ['GET /api/task/copy/undone', 'nothing'],
  ['GET /api/task/copy/done', 'nothing'],
  ['POST /api/task/copy/info', 'nothing'],
  ['POST /api/task/copy/cancel', 'nothing'],
  ['POST /api/task/copy/cancel_some', 'nothing'],
  ['POST /api/task/copy/delete', 'guard'],
  ['POST /api/task/copy/delete_some', 'guard'],
  ['POST /api/task/copy/clear_done', 'nothing'],
  ['POST /api/task/copy/clear_succeeded', 'nothing'],
  ['POST /api/task/copy/retry', 'guard'],
  ['POST /api/task/copy/retry_some', 'guard'],
  ['POST /api/task/copy/retry_failed', 'guard'],
  ['GET /d/nas/a', 'sign'],
  ['GET /p/nas/a', 'sign'],
  ['GET /ad/nas/a', 'sign'],
  ['GET /ap/nas/a', 'sign'],
  ['GET /ae/nas/a', 'sign'],
  ['GET /sd/x/a', 'share'],
  ['GET /sad/x/a', 'share'],
  ['GET /dav/nas/a', 'meta'],
  ['HEAD /dav/nas/a', 'meta'],
  ['POST /dav/nas/a', 'meta'],
  ['OPTIONS /dav/nas/a', 'answered here'],
  ['PROPFIND /dav/nas/a', 'meta'],
  ['PROPPATCH /dav/nas/a', 'guard'],
  ['MKCOL /dav/nas/a', 'guard'],
  ['LOCK /dav/nas/a', 'guard'],
  ['UNLOCK /dav/nas/a', 'meta'],
  ['PUT /dav/nas/a', 'guard'],
  ['DELETE /dav/nas/a', 'guard'],
  ['COPY /dav/nas/a', 'guard'],
  ['MOVE /dav/nas/a', 'guard'],
]

describe('every door of OpenList to a file', () => {
  test.each(DOORS)('%s: %s', (line, looks) => {
    const [method = '', path = ''] = line.split(' ')
    const body = path.endsWith('_some') ? '[]' : '{}'
    const request = call(method, path, body, { Destination: '/dav/b', 'File-Path': '/a' })
    expect(itemCallOf(request) !== undefined).toBe(looks === 'guard')
  })
})

describe('paths', () => {
  const path = fc.string({
    unit: fc.constantFrom('/', '\\', '.', '..', 'a', 'closed', '%', ' ', '\0', 'ä', '\ud800'),
    maxLength: 12,
  })

  test('are never above the base path, and never changed by reading them again', () => {
    fc.assert(
      fc.property(path, path, (base, named) => {
        const folder = belowBase(base, named)
        if (folder === undefined) return
        expect(isAtOrBelow(folder, cleanFolder(base))).toBe(true)
        expect(cleanFolder(folder)).toBe(folder)
        expect(belowBase('/', folder)).toBe(folder)
      }),
    )
  })

  test('of a name are in its folder, or refused', () => {
    fc.assert(
      fc.property(path, path, path, (base, folder, name) => {
        const found = needs(post('fs/remove', { dir: folder, names: [name] }), base)
        if (found === CLOSED) return
        const removed = `${found[0]}`.slice(2, -' -within'.length)
        expect(isAtOrBelow(removed, belowBase(base, folder.toWellFormed()) ?? '')).toBe(true)
      }),
    )
  })

  test('any body, path or header is read, or refused', () => {
    const names = DOORS.map(([line]) => line.split(' ')[1] ?? '')
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.oneof(fc.json(), fc.string()),
        fc.string({ unit: 'binary-ascii' }),
        (name, body, header) => {
          const value = header.replaceAll(/[^\x20-\x7e]/g, '')
          const headers = { Destination: `/dav/${value}`, 'File-Path': value, Depth: '1' }
          for (const method of ['POST', 'PUT', 'COPY', 'PROPFIND']) {
            const request = call(method, name, body, headers)
            expect(needs(request)).toBeDefined()
            shownFolderOf(request, readingOf(request))
          }
        },
      ),
    )
  })

  test('are joined as Go joins them', () => {
    expect(joinNames('/nas', '../../x')).toBe('/x')
    expect(joinNames('', '../x')).toBe('../x')
    expect(joinNames('nas', '../../closed')).toBe('../closed')
    expect(joinNames('', '')).toBe('')
    expect(joinNames('a', '..')).toBe('.')
  })

  test('bytes that are no UTF-8 are no text of a rule', () => {
    expect(textOfBytes('/\u00ff/\u00c3\u00a4')).toBe('/\udcff/ä')
    expect(unescapePath('/%FF%2F%C3%A4')).toBe('/\udcff/ä')
    expect(unescapePath('%ef%bb%bfa')).toBe('\ufeffa')
    expect(unescapePath('%4')).toBeUndefined()
  })
})
