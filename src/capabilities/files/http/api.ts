import type { FileServer } from '../../../core/base/file-server.ts'
import { remembered } from '../../../core/base/isolate-memory.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { readRowAs } from '../../../core/access/read-account.ts'
import type { Actor } from '../../../core/access/actor.ts'
import { isFreshAt } from '../../../core/access/is-fresh.ts'
import type { Account } from '../../../core/accounts/accounts.ts'
import { act, of } from '../../../core/access/subject.ts'
import type { Deps } from '../../../core/deps.ts'
import { MAX_BODY_BYTES } from '../../../web/http/body-limit.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { findActor } from '../../../web/http/guard.ts'
import type { FileAsker, SendCall } from '../../../web/kit/file-guard.ts'
import { actsAsRemoteAdmin, ensureFileUser, tokenOf } from '../identity.ts'
import { callOrigin, readRefusal } from '../origin.ts'
import { type FileRight, isGuardedForAdmin, isUpload, rightOf } from '../rights.ts'
import { type FileUser, findGuestWithFileUser, selectFileActor } from '../store.ts'
import { settleLateWrites } from '../write-users.ts'
import { forward, readUpload, readWhole } from './body.ts'
import { type Guarded, readGuarded, type SentRequest } from './guarded.ts'
import { passedAnswer, sentHeaders, withoutLength } from './headers.ts'
import { metaCall, withOwnUsers, withRemoteUsers } from './metas.ts'
import { answerSettings } from './settings.ts'

/** For this long, a file server that refuses strangers is believed to. */
const BELIEVED_MILLISECONDS = 2000

/** When a stranger was last seen not to be an admin there (Unix time, milliseconds). */
const refusalMemory = remembered('that the file server refuses strangers', () => ({ at: 0 }))

/** The caller, as the file server knows it. */
type Identity = (
  { as: 'guest' } | { as: 'admin' } | { as: 'user'; account: Account; link: FileUser }
) & {
  /** For a request that may open a share (`settleLateWrites`). */
  leaseEnds?: string | undefined
  /** Who asks, for the guard; `undefined` for a request that needs no right. */
  asker?: FileAsker
}

/**
 * Answers the interface of the file server under `/api`.
 *
 * @param path Decoded.
 */
export async function answerApi(c: AppContext, files: FileServer, path: string) {
  const asker = await findAsker(c, rightOf(path))
  const settled = await answerSettings(c, files, path)
  if (settled !== undefined) return settled
  // Anybody can hold many open, and the file server stores shares.
  const isSmall = asker.actor === undefined || path.startsWith('/api/share/')
  const body = isUpload(c.req.method, path)
    ? await readUpload(c)
    : await readWhole(c, isSmall ? MAX_BODY_BYTES : undefined)
  const headers = sentHeaders(c)
  const guarded = await readGuarded(c, files, 'api', headers, body)
  const identity = await identify(c, files, asker, isGuardedForAdmin(path), guarded)
  const deps = c.get('deps')
  const { leaseEnds, asker: who } = identity
  const received: SentRequest = { headers, body, search: undefined }
  const sent = who === undefined ? received : await guarded.admit(who, received)
  if (leaseEnds !== undefined) await settleLateWrites(deps, files, () => leaseEnds)
  const answer = await answerSent(c, files, path, { identity, guarded }, sent)
  const shown = who === undefined ? answer : await guarded.answer(who, answer)
  // The length of an answer that is not sent tells of what would be left out of it.
  return c.req.method === 'HEAD' ? new Response(null, withoutLength(shown)) : shown
}

async function answerSent(
  c: AppContext,
  files: FileServer,
  path: string,
  { identity, guarded }: { identity: Identity; guarded: Guarded },
  request: SentRequest,
): Promise<Response> {
  const deps = c.get('deps')
  const { headers, body, search } = request
  const { asker } = identity
  const send: SendCall = (isToItsEnd) => forward(c, files, headers, body, search, isToItsEnd)
  const sendGuarded = () => (asker === undefined ? send() : guarded.send(asker, send))
  if (identity.as === 'user') return answerAs(c, files, identity, request, sendGuarded)
  if (identity.as === 'guest') {
    await refuseOpenOrigin(deps, files)
    return checked(await sendGuarded())
  }
  headers.set('Authorization', files.token)
  const meta = metaCall(path)
  const sent = meta === 'write' ? await withRemoteUsers(deps, files, body, guarded.sendMeta) : body
  const first = await (meta === 'write' ? forward(c, files, headers, sent, search) : sendGuarded())
  const { isRefused, answer } = await readRefusal(files, first, 401)
  if (!isRefused)
    return meta === 'read' ? withOwnUsers(deps, files, checked(answer)) : checked(answer)
  throw new Refusal('filesBroken', { detail: 'the file server refuses FILES_TOKEN' })
}

/** The right that a request needs, and the actor whose signature it has. A stranger has none. */
type Asker =
  | { right: 'admin'; actor: Actor }
  | { right: Exclude<FileRight, 'admin'>; actor: Actor | undefined }

/**
 * Checks the signature only: whether it is still in force is asked once the body was read.
 *
 * @throws {Refusal} Those of `findActor`; `notAdmin`.
 */
async function findAsker(c: AppContext, right: FileRight): Promise<Asker> {
  if (right === 'nothing') return { right, actor: undefined }
  const actor = await findActor(c, right)
  if (right !== 'admin') return { right, actor }
  if (actor === undefined) throw new Refusal('notAdmin')
  return { right, actor }
}

/**
 * @param isGuarded Whether an admin's session must be fresh. Those of users need not be: their
 *   shares are of their own folders, and end with their right to share.
 * @throws {Refusal} Those of `actAs`; `notAdmin`, `confirmationNeeded`; `guestDisabled` is the file
 *   server's to say.
 */
async function identify(
  c: AppContext,
  files: FileServer,
  { right, actor }: Asker,
  isGuarded: boolean,
  { column, readerOf }: Guarded,
): Promise<Identity> {
  if (right === 'nothing') return { as: 'guest' }
  const deps = c.get('deps')
  if (right === 'admin') {
    await act(deps, of(actor), { fresh: isGuarded }, () => ({}))
    return { as: 'admin', asker: { account: undefined, isAdmin: true, isNew: false, known: null } }
  }
  if (actor === undefined) {
    const guest = await findGuestWithFileUser(deps.db, column)
    const link = guest && (await ensureFileUser(deps, files, guest, guest.fileUser))
    const isNew = link?.isNew ?? false
    const asker = { account: guest, isAdmin: false, isNew, known: guest?.known ?? null }
    return { as: 'guest', leaseEnds: guest?.leaseEnds, asker }
  }
  c.set('caller', { actor })
  const account = await readRowAs(readerOf(deps), actor, selectFileActor(column))
  const { leaseEnds, known } = account
  if (actsAsRemoteAdmin(account)) {
    if (isGuarded && !isFreshAt(deps, account.provenAt, deps.now()))
      throw new Refusal('confirmationNeeded')
    return { as: 'admin', leaseEnds, asker: { account, isAdmin: true, isNew: false, known } }
  }
  const link = await ensureFileUser(deps, files, account, account.fileUser)
  const { isNew } = link
  const ask = (path: string, body?: unknown) =>
    askAs(deps, files, { account, link }, { path, body })
  const asker = { account, isAdmin: false, isNew, known, ask }
  return { as: 'user', account, link, leaseEnds, asker }
}

/**
 * With an empty token, OpenList takes every request without one for its admin's.
 *
 * @throws {Refusal} `filesBroken`, `filesUnavailable`.
 */
async function refuseOpenOrigin(deps: Deps, files: FileServer): Promise<void> {
  const refusal = refusalMemory(deps)
  if (deps.now() - refusal.at < BELIEVED_MILLISECONDS) return
  const { code } = await callOrigin(deps, files, '/api/admin/setting/get?key=version')
  if (code === 200)
    throw new Refusal('filesBroken', { detail: 'the token of the file server is empty' })
  refusal.at = deps.now()
}

/** Calls the file server as a user, with another token when the one at hand is dead. */
async function askAs(
  deps: Deps,
  files: FileServer,
  { account, link }: { account: Account; link: FileUser },
  { path, body }: { path: string; body: unknown },
) {
  const call = body === undefined ? {} : { body }
  const token = await tokenOf(deps, files, account, link)
  const answer = await callOrigin(deps, files, path, { token, ...call })
  if (answer.code !== 401) return answer
  const another = await tokenOf(deps, files, account, link, true)
  return callOrigin(deps, files, path, { token: another, ...call })
}

async function answerAs(
  c: AppContext,
  files: FileServer,
  { account, link }: Extract<Identity, { as: 'user' }>,
  { headers, body }: SentRequest,
  send: () => Promise<Response>,
): Promise<Response> {
  const deps = c.get('deps')
  let token = await tokenOf(deps, files, account, link)
  // OpenList refuses a body by closing the connection, so its token must be good before it is sent.
  // A token that has just worked may be dead already: those of a process end with it.
  if (body.stream !== undefined) {
    const { code } = await callOrigin(deps, files, '/api/me', { token })
    if (code === 401) token = await tokenOf(deps, files, account, link, true)
  }
  headers.set('Authorization', token)
  const first = await send()
  const { isRefused, answer } = await readRefusal(files, first, 401)
  if (!isRefused) return checked(answer)
  // A client can do nothing about the file server's own token.
  if (body.kept === undefined) throw new Refusal('filesBroken', { detail: 'its token has ended' })
  headers.set('Authorization', await tokenOf(deps, files, account, link, true))
  const again = await send()
  const second = await readRefusal(files, again, 401)
  if (second.isRefused)
    throw new Refusal('filesBroken', { detail: `the file server refuses user ${account.id}` })
  return checked(second.answer)
}

/**
 * OpenList answers unknown paths under `/api` with its page, and a panic with an empty HTTP 500.
 *
 * @throws {Refusal} `unknownPath`, `filesBroken`.
 */
function checked(answer: Response): Response {
  const type = answer.headers.get('Content-Type') ?? ''
  if (/^application\/json\b/i.test(type)) return passedAnswer(answer)
  void answer.body?.cancel()
  if (answer.status === 200 && /^text\/html\b/i.test(type)) throw new Refusal('unknownPath')
  throw new Refusal('filesBroken', { detail: `HTTP ${answer.status} without JSON` })
}
