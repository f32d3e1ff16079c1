import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { GENERAL } from '../../../core/accounts/roles.ts'
import { ensureFileUser } from '../identity.ts'
import { readAnswer } from '../origin.ts'
import type { IdentityDeps } from '../write-users.ts'
import { findWithFileUser, listLinks } from '../store.ts'
import type { Guarded } from './guarded.ts'
import { bodyText, type SentBody, textBody } from './body.ts'

const idsSchema = v.nullish(v.array(v.number()))
const metaSchema = v.looseObject({ read_users: idsSchema, write_users: idsSchema })
const listSchema = v.looseObject({ content: v.array(metaSchema) })
const json = v.pipe(v.string(), v.parseJson())
const sentSchema = v.pipe(json, metaSchema)
const answerSchema = v.pipe(json, v.looseObject({ data: v.union([listSchema, metaSchema]) }))
type Meta = v.InferOutput<typeof metaSchema>
type Translate = (ids: number[]) => Promise<number[]>

/**
 * Metas of the file server name users by their ids there, and its web client fills these lists from
 * the users of this site. Most users have the same id at both; the others are translated.
 *
 * @param path Decoded.
 * @returns What the request asks of a meta.
 */
export function metaCall(path: string): 'read' | 'write' | undefined {
  const [, call = ''] = /^\/api\/admin\/meta\/(list|get|create|update)$/.exec(path) ?? []
  if (call === '') return undefined
  return call === 'list' || call === 'get' ? 'read' : 'write'
}

/**
 * Names the users there in the body of a request; makes those that are not there yet.
 *
 * @param guard Changes the meta then.
 * @throws {Refusal} `invalidBody`, `filesUnavailable`, `filesBroken`; those of the guard.
 */
export async function withRemoteUsers(
  deps: IdentityDeps,
  files: FileServer,
  sent: SentBody,
  guard: Guarded['sendMeta'],
): Promise<SentBody> {
  const meta = v.safeParse(sentSchema, bodyText(sent))
  if (!meta.success)
    throw new Refusal('invalidBody', { reason: { code: 'jsonObject', values: {} } })
  const translated = await translate(meta.output, async (ids) => {
    const remote = []
    for (const id of ids) {
      const user = await findWithFileUser(deps.db, id)
      const isLinked = user?.role === GENERAL
      remote.push(isLinked ? (await ensureFileUser(deps, files, user, user.fileUser)).remoteId : id)
    }
    return remote
  })
  return textBody(JSON.stringify(await guard(translated)))
}

/** Names the users here in an answer. Users there who are nobody here are left out. */
export async function withOwnUsers(
  deps: IdentityDeps,
  files: FileServer,
  answer: Response,
): Promise<Response> {
  const text = await readAnswer(files, answer)
  const parsed = v.safeParse(answerSchema, text)
  const headers = new Headers(answer.headers)
  headers.delete('Content-Length')
  const init = { status: answer.status, headers }
  if (!parsed.success) return new Response(text, init)
  const links = new Map(
    (await listLinks(deps.db, deps.now())).map((link) => [link.remoteId, link.userId]),
  )
  const toOwn: Translate = async (ids) => {
    const own = []
    for (const id of ids) {
      const linked = links.get(id)
      if (linked !== undefined) own.push(linked)
      else if ((await findWithFileUser(deps.db, id))?.role !== GENERAL) own.push(id)
    }
    return own
  }
  const { data } = parsed.output
  const translated = v.is(listSchema, data)
    ? { ...data, content: await Promise.all(data.content.map((meta) => translate(meta, toOwn))) }
    : await translate(data, toOwn)
  return new Response(JSON.stringify({ ...parsed.output, data: translated }), init)
}

async function translate(sent: Meta, to: Translate): Promise<Meta> {
  const { read_users: readers, write_users: writers } = sent
  const others = Object.entries(sent).filter(([name]) => !/^(?:read|write)_users$/i.test(name))
  return {
    // OpenList reads the names of members in any case.
    ...Object.fromEntries(others),
    ...(readers !== undefined && { read_users: readers && (await to(readers)) }),
    ...(writers !== undefined && { write_users: writers && (await to(writers)) }),
  }
}
