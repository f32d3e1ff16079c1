import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { GENERAL } from '../../../core/accounts/roles.ts'
import { ensureFileUser } from '../identity.ts'
import { readAnswer } from '../origin.ts'
import type { IdentityDeps } from '../write-users.ts'
import { findAllWithFileUsers, listLinks } from '../store.ts'
import type { Guarded } from './guarded.ts'
import { bodyText, type SentBody, textBody } from './body.ts'

const idsSchema = v.nullish(v.array(v.number()))
const metaSchema = v.looseObject({ read_users: idsSchema, write_users: idsSchema })
const listSchema = v.looseObject({ content: v.array(metaSchema) })
const json = v.pipe(v.string(), v.parseJson())
const sentSchema = v.pipe(json, metaSchema)
const answerSchema = v.pipe(json, v.looseObject({ data: v.union([listSchema, metaSchema]) }))
type Meta = v.InferOutput<typeof metaSchema>

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
  const remoteIds = new Map<number, number>()
  for (const user of await findAllWithFileUsers(deps.db, idsOf(meta.output))) {
    if (user.role !== GENERAL) continue
    const { remoteId } = await ensureFileUser(deps, files, user, user.fileUser)
    remoteIds.set(user.id, remoteId)
  }
  const translated = translate(meta.output, (ids) => ids.map((id) => remoteIds.get(id) ?? id))
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
  const { data } = parsed.output
  const metas = v.is(listSchema, data) ? data.content : [data]
  const links = await listLinks(deps.db, deps.now())
  const ownIds = new Map(links.map(({ remoteId, userId }) => [remoteId, userId]))
  const unlinked = new Set(metas.flatMap(idsOf).filter((id) => !ownIds.has(id)))
  const others = await findAllWithFileUsers(deps.db, [...unlinked])
  const notThere = new Set(others.flatMap(({ id, role }) => (role === GENERAL ? id : [])))
  const toOwn = (ids: number[]) =>
    ids.flatMap((id) => ownIds.get(id) ?? (notThere.has(id) ? [] : id))
  const translated = v.is(listSchema, data)
    ? { ...data, content: data.content.map((meta) => translate(meta, toOwn)) }
    : translate(data, toOwn)
  return new Response(JSON.stringify({ ...parsed.output, data: translated }), init)
}

/** Lists the ids in a meta, each once. */
function idsOf({ read_users: readers, write_users: writers }: Meta): number[] {
  return [...new Set([...(readers ?? []), ...(writers ?? [])])]
}

function translate(sent: Meta, to: (ids: number[]) => number[]): Meta {
  const { read_users: readers, write_users: writers } = sent
  const others = Object.entries(sent).filter(([name]) => !/^(?:read|write)_users$/i.test(name))
  return {
    // OpenList reads the names of members in any case.
    ...Object.fromEntries(others),
    ...(readers !== undefined && { read_users: readers && to(readers) }),
    ...(writers !== undefined && { write_users: writers && to(writers) }),
  }
}
