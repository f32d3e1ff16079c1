import * as v from 'valibot'
import { Refusal } from '../../../core/base/refusals.ts'
import { validateJson } from '../../../web/http/input.ts'
import type { FileCall, Understood } from '../../../web/kit/file-guard.ts'
import { cleanFolder } from '../../../core/base/clean-folder.ts'
import { isAtOrBelow } from '../decision.ts'
import {
  changesBelow,
  type Need,
  readsWhole,
  removes,
  takesAway,
  takesAwayBelow,
  writesAlone,
  writesWhole,
} from '../needs.ts'
import {
  belowBase,
  hasControls,
  joinNames,
  nameOf,
  parentOf,
  textOfBytes,
  unescapePath,
} from '../openlist-paths.ts'
import { TASK_KINDS, type TaskKind } from '../task-needs.ts'
import { text, understoodJson } from './readings.ts'
import { sparingPaths } from './regex-rename.ts'

/** A request that OpenList does not look at as closely as the rules of folders demand. */
export interface ItemCall {
  /** What is sent, so that OpenList can't understand something else. */
  understood: Understood
  /**
   * @param basePath That of the user there who acts.
   * @throws {Refusal} `folderDenied` for a path that OpenList refuses, or that leads out of its
   *   folder.
   */
  needs: (basePath: string) => Need[]
  /** What it moves, and the folders that it moves it to. */
  moves?: (basePath: string) => Move[]
  /** What it copies, and the folders that it copies it to. */
  copies?: (basePath: string) => Move[]
  /** Those of them that OpenList makes also where their names are taken in the folder. */
  overwrites?: (basePath: string) => Move[]
  /** Where a file is put, which must be no folder: OpenList would delete it first. */
  puts?: (basePath: string) => string[]
  /** What gets another name, or the folder whose items do. */
  renames?: (basePath: string) => string[]
  /** The folders that it goes through, with all below them. */
  walks?: (basePath: string) => string[]
  /** The folders whose items it changes by their names. */
  listsNames?: (basePath: string) => string[]
  /** Whether names that the request does not say may lead anywhere on the site. */
  reachesSite?: boolean
  /** The folders that get files whose names the request does not say. */
  fills?: (basePath: string) => string[]
  /** The tasks that it begins again. */
  retries?: {
    /** `undefined` for a queue that is not known. */
    kind: TaskKind | undefined
    /** `undefined` for all that have failed. */
    ids: string[] | undefined
  }
  /** Tasks that have to be cancelled before it is sent. */
  cancels?: { kind: TaskKind; ids: string[] }
  /**
   * Whether a change of rights waits for its answer: OpenList looks at rights once, and works on
   * whatever becomes of them.
   */
  isAwaited?: boolean
  /** Whether it takes moves from the list of tasks: their sources may be deleted later. */
  forgetsMoves?: boolean
  /** Whether OpenList may put it into a queue, and read its sources later. */
  isQueued?: boolean
  /** The headers of a large upload where there are rules, so that OpenList writes it as it comes. */
  asItComes?: Understood['headers']
  /** Why OpenList does not write a large upload as it comes. */
  isWrittenLate?: 'uploadedLate' | 'lengthRequired'
  /** What OpenList is to fetch. */
  downloads?: string[]
  /** For a request that opens a share. */
  share?: {
    /** Of one that is there already. */
    id?: string
  }
}

/** Full and clean paths. */
export interface Move {
  from: string
  /** The folder. */
  to: string
}

const texts = v.nullish(v.array(text), [])
const flag = v.nullish(v.boolean(), false)
const number = v.nullish(v.number(), 0)

const moveSchema = v.object({
  src_dir: text,
  dst_dir: text,
  names: texts,
  overwrite: flag,
  skip_existing: flag,
  merge: flag,
})
const renameSchema = v.object({ path: text, name: text, overwrite: flag })
const renamedSchema = v.object({ src_name: text, new_name: text })
const batchRenameSchema = v.object({
  src_dir: text,
  rename_objects: v.nullish(v.array(renamedSchema), []),
})
const regexRenameSchema = v.pipe(
  v.object({ src_dir: text, src_name_regex: text, new_name_regex: text }),
  v.transform(sparingPaths),
)
const recursiveMoveSchema = v.object({ src_dir: text, dst_dir: text, conflict_policy: text })
const removeSchema = v.object({ dir: text, names: texts })
const makeSchema = v.object({ path: text })
const emptySchema = v.object({ src_dir: text })
const decompressSchema = v.object({
  src_dir: text,
  dst_dir: text,
  name: texts,
  archive_pass: text,
  inner_path: text,
  cache_full: flag,
  put_into_new_dir: flag,
  overwrite: flag,
})
const torrentSchema = v.object({ path: text, with_cas: flag })
/** OpenList cuts off the blanks around each, and leaves out those that are empty. */
const addresses = v.pipe(
  texts,
  v.transform((given) => given.map((address) => address.trim()).filter(Boolean)),
)
const rapidUploadSchema = v.object({ torrent_data: text, path: text })
const downloadSchema = v.object({ urls: addresses, path: text, tool: text, delete_policy: text })
const directUploadSchema = v.object({ path: text, file_name: text, file_size: number, tool: text })
const shareSchema = v.object({
  files: texts,
  expires: v.nullish(v.string(), null),
  pwd: text,
  max_accessed: number,
  disabled: flag,
  remark: text,
  readme: text,
  header: text,
  order_by: text,
  order_direction: text,
  extract_folder: text,
  creator: text,
  accessed: number,
  id: text,
  new_id: text,
})

/** The paths of a request, below the base path of its user. */
class Folders {
  readonly #basePath: string

  constructor(basePath: string) {
    this.#basePath = basePath
  }

  /** @throws {Refusal} `folderDenied`. */
  path(named: string): string {
    const joined = named.includes('\0') ? undefined : belowBase(this.#basePath, named)
    if (joined === undefined) throw new Refusal('folderDenied')
    return joined
  }

  /**
   * A name in a folder, which may have slashes. OpenList joins the name to the folder, and makes
   * slashes of backslashes afterwards.
   *
   * @throws {Refusal} `folderDenied` for one outside of the folder.
   */
  in(folder: string, name: string): string {
    const joined = cleanFolder(joinNames(folder, name))
    if (name.includes('\0') || !isAtOrBelow(joined, folder)) throw new Refusal('folderDenied')
    return joined
  }

  /** A name that may leave its folder, before both are joined to the base path. */
  joined(folder: string, name: string): string {
    return this.path(joinNames(folder, name))
  }
}

/** The name of the folder that OpenList makes for an archive: that of `...zip` is `..`. */
function withoutExtension(name: string): string {
  const end = name.lastIndexOf('.')
  return end === -1 ? name : name.slice(0, end)
}

/** Each is compared with the rules; a folder with more files is copied as a folder. */
const MAX_ITEMS = 20_000

type NeedsOf<Body> = (body: Body, folders: Folders) => Need[]

/** What it copies or moves, by its names. */
function transfersOf({ src_dir: from, dst_dir: to, names }: MoveBody) {
  return (basePath: string): Move[] => {
    const folders = new Folders(basePath)
    const source = folders.path(from)
    return names.map((name) => ({ from: folders.in(source, name), to: folders.path(to) }))
  }
}

function pathIn(named: string) {
  return (basePath: string) => [new Folders(basePath).path(named)]
}

/** Reads a JSON body, and says what it needs. */
function jsonCall<Schema extends v.GenericSchema<unknown, object>>(
  schema: Schema,
  needsOf: NeedsOf<v.InferOutput<Schema>>,
  moreOf: (body: v.InferOutput<Schema>) => Omit<ItemCall, 'understood' | 'needs'> = () => ({}),
) {
  return ({ body }: FileCall): ItemCall => {
    const parsed = validateJson(schema, body())
    const lists = Object.values(parsed).filter((value) => Array.isArray(value))
    if (lists.some(({ length }) => length > MAX_ITEMS)) throw new Refusal('bodyTooLarge')
    return {
      understood: understoodJson(parsed),
      needs: (basePath) => needsOf(parsed, new Folders(basePath)),
      isAwaited: true,
      ...moreOf(parsed),
    }
  }
}

type MoveBody = v.InferOutput<typeof moveSchema>

/** @param ofSource What the copy or the move needs of its source. */
function sourcesAndTargets(ofSource: (path: string) => Need): NeedsOf<MoveBody> {
  return ({ src_dir: from, dst_dir: to, names }, folders) => {
    const source = folders.path(from)
    const target = folders.path(to)
    return names.flatMap((name) => {
      const item = folders.in(source, name)
      return [ofSource(item), writesWhole(folders.in(target, nameOf(item)))]
    })
  }
}

/** The requests of the interface that are looked at, below `/api`. */
const API_CALLS: Readonly<Record<string, (call: FileCall) => ItemCall>> = {
  'fs/copy': jsonCall(moveSchema, sourcesAndTargets(readsWhole), (body) => ({
    isQueued: true,
    copies: transfersOf(body),
    ...((body.overwrite || body.merge) && { overwrites: transfersOf(body) }),
  })),
  'fs/move': jsonCall(moveSchema, sourcesAndTargets(takesAway), (body) => ({
    isQueued: true,
    moves: transfersOf(body),
    ...(body.overwrite && { overwrites: transfersOf(body) }),
  })),
  'fs/rename': jsonCall(
    renameSchema,
    ({ path, name }, folders) => {
      const item = folders.path(path)
      return [takesAway(item), writesWhole(folders.in(parentOf(item), name))]
    },
    ({ path }) => ({ renames: pathIn(path) }),
  ),
  'fs/batch_rename': jsonCall(
    batchRenameSchema,
    ({ src_dir: from, rename_objects }, folders) => {
      const folder = folders.path(from)
      return rename_objects.flatMap(({ src_name: name, new_name: to }) => [
        takesAway(folders.in(folder, name)),
        writesWhole(folders.in(folder, to)),
      ])
    },
    ({ src_dir: from, rename_objects }) => ({
      renames: (basePath) => {
        const folders = new Folders(basePath)
        return rename_objects.map(({ src_name: name }) => folders.in(folders.path(from), name))
      },
    }),
  ),
  'fs/regex_rename': jsonCall(
    regexRenameSchema,
    ({ src_dir: from, new_name_regex: to }, folders) => {
      if (hasControls(to)) throw new Refusal('folderDenied')
      return [takesAwayBelow(folders.path(from))]
    },
    ({ src_dir: from }) => ({ renames: pathIn(from), listsNames: pathIn(from) }),
  ),
  // A name with backslashes leads to any file of the site, and can come while OpenList looks for it.
  'fs/recursive_move': jsonCall(
    recursiveMoveSchema,
    ({ src_dir, dst_dir }, folders) => [
      takesAwayBelow(folders.path(src_dir)),
      writesWhole(folders.path(dst_dir)),
    ],
    ({ src_dir, dst_dir }) => ({
      reachesSite: true,
      moves: (basePath) => {
        const folders = new Folders(basePath)
        return [{ from: folders.path(src_dir), to: folders.path(dst_dir) }]
      },
    }),
  ),
  'fs/mkdir': jsonCall(makeSchema, ({ path }, folders) => [writesAlone(folders.path(path))]),
  'fs/remove': jsonCall(removeSchema, ({ dir, names }, folders) => {
    const folder = folders.path(dir)
    return names.map((name) => removes(folders.in(folder, name)))
  }),
  'fs/remove_empty_directory': jsonCall(
    emptySchema,
    ({ src_dir: from }, folders) => [changesBelow(folders.path(from))],
    ({ src_dir: from }) => ({ walks: pathIn(from) }),
  ),
  'fs/archive/decompress': jsonCall(
    decompressSchema,
    ({ src_dir, dst_dir, name, put_into_new_dir: isInNewFolder }, folders) => {
      const target = folders.path(dst_dir)
      const needsOfArchive = (archive: string) => {
        const item = folders.joined(src_dir, archive)
        const made = isInNewFolder ? [folders.in(target, withoutExtension(nameOf(item)))] : []
        return [readsWhole(item), ...made.map(writesWhole)]
      }
      return [...name.flatMap(needsOfArchive), writesWhole(target)]
    },
    ({ dst_dir: to }) => ({ isQueued: true, fills: pathIn(to) }),
  ),
  'fs/torrent/generate': jsonCall(torrentSchema, ({ path }, folders) => [
    readsWhole(folders.path(path)),
  ]),
  // The torrent says the name of the file.
  'fs/torrent/rapid_upload': jsonCall(
    rapidUploadSchema,
    ({ path }, folders) => [writesWhole(folders.path(path))],
    ({ path }) => ({ fills: pathIn(path) }),
  ),
  // A download has names of its own, which may lead into folders below.
  'fs/add_offline_download': jsonCall(
    downloadSchema,
    ({ path }, folders) => [writesWhole(folders.path(path))],
    ({ urls, path, tool }) => ({
      downloads: urls,
      isQueued: true,
      // This one takes the last part of the address, and decodes it.
      ...((tool !== 'SimpleHttp' || urls.some((url) => /\\|%5c|%2f/i.test(url))) && {
        fills: pathIn(path),
      }),
    }),
  ),
  // OpenList looks at the header `File-Path` here, and writes what the body names.
  'fs/get_direct_upload_info': jsonCall(directUploadSchema, ({ path, file_name }, folders) => {
    const folder = unescapePath(path)
    if (folder === undefined) throw new Refusal('folderDenied')
    return [removes(folders.in(folders.path(folder), file_name))]
  }),
  'share/create': jsonCall(shareSchema, needsOfShared, () => ({ share: {} })),
  // Its present files too: an access that began before the change can put them back.
  'share/update': jsonCall(shareSchema, needsOfShared, ({ id }) => ({ share: { id } })),
  'share/enable': enableCall,
  'fs/put': uploadCall,
  'fs/form': uploadCall,
  'fs/multipart/init': uploadCall,
}

/** What a share needs of its files, which are full paths. */
export function needsOfShared({ files }: { files: string[] }): Need[] {
  return files.map((file) => readsWhole(cleanFolder(file)))
}

/** OpenList takes the first of two ids. */
function enableCall({ query }: FileCall): ItemCall {
  const id = query.get('id') ?? ''
  return {
    understood: { search: `?id=${encodeURIComponent(id.toWellFormed())}` },
    needs: needNothing,
    isAwaited: true,
    share: { id },
  }
}

const needNothing = () => []

const TASK_CALL = /^task\/([^/]+)\/(retry|delete|clear)(_some|_failed|_done|_succeeded)?$/
const idsSchema = v.pipe(v.string(), v.parseJson(), v.array(text))

/**
 * A task that is begun again looks at nothing. One that was begun again twice is listed as done
 * after its first run, and one that is deleted is not listed: both still begin, and can't be
 * cancelled.
 *
 * @throws {Refusal} `invalidBody`.
 */
function taskCall({ query, body }: FileCall, match: RegExpExecArray): ItemCall | undefined {
  const [, named, does, which] = match
  const kind = TASK_KINDS.find((each) => each === named)
  const forgetsMoves = named === 'move' && does !== 'retry'
  if (does === 'clear')
    return forgetsMoves ? { understood: {}, needs: needNothing, forgetsMoves } : undefined
  if (kind === undefined || which === '_failed')
    return { understood: {}, needs: needNothing, retries: { kind, ids: undefined } }
  const { understood, ids } = which === undefined ? taskIdOf(query) : taskIdsOf(body())
  return does === 'retry'
    ? { understood, needs: needNothing, retries: { kind, ids } }
    : { understood, needs: needNothing, cancels: { kind, ids }, forgetsMoves }
}

/** OpenList takes the first of two ids. */
function taskIdOf(query: URLSearchParams) {
  const id = (query.get('tid') ?? '').toWellFormed()
  return { understood: { search: `?tid=${encodeURIComponent(id)}` }, ids: [id] }
}

/** OpenList does for each id what it is asked for, for one that comes twice twice. */
function taskIdsOf(body: string) {
  const parsed = v.safeParse(idsSchema, body)
  if (!parsed.success)
    throw new Refusal('invalidBody', { reason: { code: 'jsonArray', values: {} } })
  const ids = Array.from(new Set(parsed.output))
  return { understood: understoodJson(ids), ids }
}

/**
 * Finds what a request needs that OpenList does not look at.
 *
 * @returns `undefined` for a request that needs nothing more.
 * @throws {Refusal} `invalidBody` for a body that is no JSON object, or has members of other types;
 *   `bodyTooLarge` for too many items.
 */
export function itemCallOf(call: FileCall): ItemCall | undefined {
  if (call.area === 'dav') return davCallOf(call)
  const name = call.path.replace('/api/', '')
  const task = TASK_CALL.exec(name)
  if (task !== null) return taskCall(call, task)
  return Object.hasOwn(API_CALLS, name) ? API_CALLS[name]?.(call) : undefined
}

/**
 * OpenList looks at rights when an upload begins. It writes a form, and what is to be a task, only
 * when the body has ended: that may be long after the folder was closed, and after others have put
 * something in its place.
 */
function lateOf({
  path,
  headers,
  isLarge,
}: FileCall): Pick<ItemCall, 'isWrittenLate' | 'asItComes'> {
  if (!isLarge) return {}
  if (path === '/api/fs/form') return { isWrittenLate: 'uploadedLate' }
  // One of an unknown length is read as a whole first.
  const hasLength = LENGTHS.some((name) => /^\d{1,15}$/.test(headers.get(name) ?? ''))
  return hasLength ? { asItComes: { 'As-Task': 'false' } } : { isWrittenLate: 'lengthRequired' }
}

/** A file from macOS comes in chunks, with a header of its own; OpenList reads the last one. */
const LENGTHS = ['Content-Length', 'X-Expected-Entity-Length', 'X-File-Size']

/**
 * An upload in the place of a folder: where a storage has no sizes of folders, OpenList removes it
 * (`op.Put`).
 *
 * @throws {Refusal} `folderDenied` for an escape that is none.
 */
function uploadCall(call: FileCall): ItemCall {
  const { headers } = call
  const named = headers.get('File-Path') ?? ''
  // A header may be UTF-8, or a character for each byte.
  const readings =
    /[\u0080-\uffff]/.test(named) && /^[\0-\u00ff]*$/.test(named)
      ? [named, textOfBytes(named)]
      : [named]
  const puts = (basePath: string) => {
    const folders = new Folders(basePath)
    return readings.map((reading) => {
      const path = unescapePath(reading)
      if (path === undefined) throw new Refusal('folderDenied')
      return folders.path(path)
    })
  }
  return {
    downloads: readings.flatMap((reading) => addressesIn(unescapePath(reading) ?? '')),
    // OpenList takes the first of two headers.
    understood: { headers: { 'File-Path': named } },
    needs: (basePath) => puts(basePath).map(removes),
    puts,
    isQueued: headers.has('As-Task'),
    ...lateOf(call),
  }
}

/** A UrlTree takes the end of a name for the address of the file, which it fetches itself. */
function addressesIn(path: string): string[] {
  return /https?:[\\/]/i.test(path) ? [path] : []
}

const DAV_PREFIX = '/dav'

/** The path of a request of WebDAV, below the base path of its user. */
export function davPathOf({ path }: FileCall): string {
  return textOfBytes(path.slice(DAV_PREFIX.length))
}

function davCallOf(call: FileCall): ItemCall | undefined {
  const { method, headers } = call
  const source = davPathOf(call)
  const needing = (need: (path: string) => Need, isAwaited = false): ItemCall => ({
    understood: {},
    needs: (basePath) => [need(new Folders(basePath).path(source))],
    isAwaited,
  })
  if (method === 'PUT')
    return {
      ...needing(removes),
      puts: pathIn(source),
      downloads: addressesIn(source),
      ...lateOf(call),
    }
  if (method === 'DELETE') return needing(removes, true)
  if (method === 'MKCOL') return needing(writesAlone, true)
  // OpenList tells who changes properties of a lock before it looks at rights.
  if (method === 'PROPPATCH') return needing(writesAlone)
  // A lock of another depth is of all below (RFC 4918 section 9.10.3), whoever may write there.
  if (method === 'LOCK') return needing(headers.get('Depth') === '0' ? writesAlone : writesWhole)
  if (method !== 'COPY' && method !== 'MOVE') return undefined
  const destination = unescapePath(headers.get('Destination') ?? '')
  const pathsBelow = (basePath: string) => {
    const folders = new Folders(basePath)
    // OpenList cuts the prefix off whatever follows it.
    if (destination?.startsWith(DAV_PREFIX) !== true) throw new Refusal('folderDenied')
    const target = folders.path(destination.slice(DAV_PREFIX.length))
    const item = folders.path(source)
    // OpenList copies, or moves, to the old name first.
    const to = parentOf(target)
    const isRename = parentOf(item) === to
    return { item, target, to, isRename, first: folders.in(to, nameOf(item)) }
  }
  const needs = (basePath: string) => {
    const { item, target, first } = pathsBelow(basePath)
    const ofSource = method === 'COPY' ? readsWhole(item) : takesAway(item)
    return [ofSource, writesWhole(target), writesWhole(first)]
  }
  if (method === 'COPY') {
    const copies = (basePath: string) => {
      const { item, to } = pathsBelow(basePath)
      return [{ from: item, to }]
    }
    return { understood: {}, needs, copies, overwrites: copies, isAwaited: true }
  }
  const moves = (basePath: string) => {
    const { item, to, isRename } = pathsBelow(basePath)
    return isRename ? [] : [{ from: item, to }]
  }
  const renames = (basePath: string) => {
    const { item, isRename } = pathsBelow(basePath)
    return isRename ? [item] : []
  }
  return { understood: {}, needs, moves, overwrites: moves, renames, isAwaited: true }
}
