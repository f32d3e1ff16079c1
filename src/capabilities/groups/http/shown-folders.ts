import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import type { FileCall, Understood } from '../../../web/kit/file-guard.ts'
import { readRefusal } from '../../files/origin.ts'
import { belowBase } from '../openlist-paths.ts'
import { davPathOf } from './items.ts'
import type { Reading } from './readings.ts'
import {
  dirsOfWay,
  dirsWithWay,
  folderOnWay,
  listOfWay,
  listWithWay,
  multistatusOfWay,
  multistatusWithWay,
} from './way-in-answers.ts'

/** A request that shows a folder, or a file. */
export interface ShownFolder {
  /**
   * Below the base path of its user, clean; `undefined` for one that OpenList refuses, or that is
   * not understood.
   */
  path: string | undefined
  /** Whether the answer has names beside the folder, which OpenList does not look at. */
  hasRelated: boolean
  /**
   * What is sent, so that OpenList shows the folder that was understood; `undefined` for a request
   * of a form that no client has.
   */
  understood: Understood | undefined
  /** Tells whether OpenList's answer is a refusal. The answer that it returns is still to read. */
  readRefusal: (
    files: FileServer,
    answer: Response,
  ) => Promise<{ isRefused: boolean; answer: Response }>
  /**
   * Answers in the place of OpenList.
   *
   * @param folder Full and clean.
   * @param path Below the base path, clean.
   * @param names The folders on the way.
   */
  answer: (folder: string, path: string, names: readonly string[]) => Response
  /**
   * Adds folders to the text of OpenList's answer; `undefined` for a request that lists nothing.
   *
   * @param path Below the base path, clean.
   * @returns The same text for one that is no list.
   */
  add: ((text: string, path: string, names: readonly string[]) => string) | undefined
}

/** What lists are asked for. */
type Shown = Pick<Reading, 'page' | 'per_page'>

interface ShownData {
  /** The data of an answer in the place of OpenList. */
  answer: (folder: string, names: readonly string[], shown: Shown) => unknown
  /** OpenList's data with folders; `undefined` for data of another kind. */
  add?: (data: unknown, names: readonly string[], shown: Shown) => unknown
}

const DATA: Readonly<Record<string, ShownData>> = {
  '/api/fs/list': { answer: (_, names, shown) => listOfWay(names, shown), add: listWithWay },
  '/api/fs/get': { answer: folderOnWay },
  '/api/fs/dirs': { answer: (_, names) => dirsOfWay(names), add: dirsWithWay },
}

const listedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({ code: v.literal(200), data: v.unknown() }),
)

function addTo(add: NonNullable<ShownData['add']>, shown: Shown): NonNullable<ShownFolder['add']> {
  return (answered, _, names) => {
    const listed = v.safeParse(listedSchema, answered)
    if (!listed.success) return answered
    const data = add(listed.output.data, names, shown)
    return data === undefined ? answered : JSON.stringify({ ...listed.output, data })
  }
}

/**
 * @param reading That of `readingOf`.
 * @returns `undefined` for a request that shows no folder.
 */
export function shownFolderOf(
  call: FileCall,
  reading: Reading | undefined,
): ShownFolder | undefined {
  if (call.area === 'dav') return call.method === 'PROPFIND' ? propfindOf(call) : undefined
  const data = Object.hasOwn(DATA, call.path) ? DATA[call.path] : undefined
  if (data === undefined) return undefined
  const shown = reading ?? { page: 0, per_page: 0 }
  return {
    path: reading && belowBase('/', reading.path),
    hasRelated: call.path === '/api/fs/get',
    understood: reading?.understood,
    readRefusal: (files, answer) => readRefusal(files, answer, 403),
    answer: (folder, _, names) =>
      Response.json({ code: 200, message: 'success', data: data.answer(folder, names, shown) }),
    add: data.add && addTo(data.add, shown),
  }
}

/** OpenList answers 404 for a folder that its user may not read. */
function propfindOf(call: FileCall): ShownFolder | undefined {
  const depth = call.headers.get('Depth')
  if (depth !== '0' && depth !== '1') return undefined
  return {
    path: belowBase('/', davPathOf(call)),
    hasRelated: false,
    understood: {},
    readRefusal: (_, answer) => Promise.resolve({ isRefused: answer.status === 404, answer }),
    answer: (folder, below, names) =>
      new Response(multistatusOfWay(folder, below, depth === '0' ? [] : names), {
        status: 207,
        headers: { 'Content-Type': 'text/xml; charset=utf-8' },
      }),
    add: depth === '0' ? undefined : multistatusWithWay,
  }
}
