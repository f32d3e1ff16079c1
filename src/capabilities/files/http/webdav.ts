import { auth } from 'hono/utils/basic-auth'
import { isAppPassword, looksLikeAppPassword } from '../../../core/access/app-password-form.ts'
import { webdavAccess } from '../../../core/accounts/file-access.ts'
import { readRowAs } from '../../../core/access/read-account.ts'
import { appPasswordActor } from '../../../core/access/app-password-actor.ts'
import { cleanFolder } from '../../../core/base/clean-folder.ts'
import { sha256Hex } from '../../../core/base/encoding.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { MAX_BODY_BYTES } from '../../../web/http/body-limit.ts'
import { clientOf } from '../../../web/http/client.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { actsAsRemoteAdmin, ensureFileUser, tokenOf } from '../identity.ts'
import { filesUnavailable } from '../origin.ts'
import { passwordOf } from '../remote-users.ts'
import type { SendCall } from '../../../web/kit/file-guard.ts'
import { DAV_METHODS, davRightOf, isLocking } from '../rights.ts'
import { findWithFileUser, readFileUser, selectFileActor } from '../store.ts'
import { forward, readUpload, readWhole } from './body.ts'
import { passedAnswer, sentHeaders } from './headers.ts'
import { readGuarded } from './guarded.ts'
import { openLockTokens, showLockToken } from './lock-tokens.ts'
import { targetOf } from './target.ts'

/** A description of a lock is below a kilobyte; the file server keeps it in memory. */
const MAX_LOCK_BYTES = 4096
/** The file server would keep a lock without an end until it is restarted. */
const MAX_LOCK_SECONDS = 3600

/**
 * Answers WebDAV: an app password here, the derived password there.
 *
 * @throws {Refusal} 401 for a missing or wrong app password; `filesUnavailable`, `filesBroken`.
 */
export async function answerDav(c: AppContext, files: FileServer): Promise<Response> {
  const deps = c.get('deps')
  const basic = auth(c.req.raw)
  const headers = sentHeaders(c)
  // Clients ask for the methods before they send a password.
  if (basic === undefined && c.req.method === 'OPTIONS') return answerOptions()
  if (basic === undefined) throw new Refusal('tokenInvalidated')
  if (!looksLikeAppPassword(basic.password)) throw new Refusal('appPasswordForDav')
  if (!isAppPassword(basic.password)) throw new Refusal('tokenInvalidated')
  rewriteDestination(c, headers)
  const isLock = isLocking(c.req.method)
  if (c.req.method === 'LOCK') headers.set('Timeout', lockTimeout(headers.get('Timeout')))
  const received = await (c.req.method === 'PUT' ? readUpload(c) : readWhole(c, MAX_BODY_BYTES))
  if (isLock && (received.kept?.byteLength ?? 0) > MAX_LOCK_BYTES) throw new Refusal('bodyTooLarge')
  const guarded = await readGuarded(c, files, 'dav', headers, received)
  const needs = davRightOf(c.req.method)
  const actor = appPasswordActor(basic.password, basic.username, needs, clientOf(c))
  c.set('caller', { actor })
  const account = await readRowAs(
    guarded.readerOf(deps),
    actor,
    selectFileActor(guarded.column),
  ).catch((error: unknown) => {
    // Programs show the refusal of a password only for 401.
    if (error instanceof Refusal && error.code === 403)
      throw new Refusal('tokenInvalidated', { detail: error.message })
    throw error
  })
  if (c.req.method === 'OPTIONS') return answerOptions()
  const isAdmin = actsAsRemoteAdmin(account)
  if (isLock && !isAdmin && webdavAccess(account.permission) !== 'write')
    throw new Refusal('filesNotPermitted')
  const link = isAdmin ? undefined : await ensureFileUser(deps, files, account, account.fileUser)
  const asker = { account, isAdmin, isNew: link?.isNew ?? false, known: account.known }
  const { body } = await guarded.admit(asker, { headers, body: received, search: undefined })
  const lockRequest = { deps, files, account, method: c.req.method, target: targetOf(c) }
  const locks = await openLockTokens(lockRequest, headers)
  const answerOf = async (answer: Response) =>
    guarded.answer(asker, await showLockToken(lockRequest, locks, passedAnswer(answer)))
  const password = await passwordOf(deps, account)
  const authorization =
    link === undefined ? `Bearer ${files.token}` : basicOf(link.remoteName, password)
  headers.set('Authorization', authorization)
  const { url } = lockRequest.target
  const sent = { pathname: await besideLocks(c.req.method, url.pathname, account.basePath) }
  const send: SendCall = (isToItsEnd) =>
    forward(c, files, headers, body, undefined, isToItsEnd, sent)
  const answer = await guarded.send(asker, send)
  if (answer.status !== 401) return answerOf(answer)
  await answer.body?.cancel()
  if (link === undefined)
    throw new Refusal('filesBroken', { detail: 'the file server refuses FILES_TOKEN' })
  // The password has drifted; a sign-in finds that out, and writes the user.
  await tokenOf(deps, files, account, link, true)
  if (body.kept === undefined) throw filesUnavailable('the password was written again')
  const written = readFileUser((await findWithFileUser(deps.db, account.id))?.fileUser ?? null)
  headers.set('Authorization', basicOf(written?.remoteName ?? '', password))
  const second = await guarded.send(asker, send)
  if (second.status !== 401) return answerOf(second)
  throw filesUnavailable('the password is refused')
}

/** The methods that look for locks at the path of the request alone. */
const LOOKING_FOR_LOCKS = new Set(['PUT', 'DELETE', 'MKCOL', 'PROPPATCH'])

const DIGEST_BITS = 32

/**
 * OpenList keeps a lock at the full path, and looks for it at the path that a user sends, without
 * the base folder: it would tell of the lock of a file elsewhere on the site, also in a closed
 * folder, and hold that file while an upload lasts. With backslashes it is the same path, and meets
 * no lock but those of the same base folder, whose digest they are: `.\` for each 1, `\` for each
 * 0.
 *
 * @param pathname Encoded.
 */
async function besideLocks(method: string, pathname: string, basePath: string): Promise<string> {
  const folder = cleanFolder(basePath)
  if (folder === '/' || !LOOKING_FOR_LOCKS.has(method)) return pathname
  const digest = (await sha256Hex(folder)).slice(0, DIGEST_BITS / 4)
  const bits = Number.parseInt(digest, 16).toString(2).padStart(DIGEST_BITS, '0')
  const steps = bits.replaceAll('1', '.%5C').replaceAll('0', '%5C')
  return pathname.replace(/^(\/[^/]*\/)(?=.)/, `$1${steps}`)
}

/**
 * Answers the same for every path: OpenList's methods tell anybody which names there are, also in a
 * folder that is closed.
 *
 * @see RFC 4918 sections 10.1 and 18
 */
function answerOptions(): Response {
  const headers = { Allow: DAV_METHODS.join(', '), DAV: '1, 2', 'MS-Author-Via': 'DAV' }
  return new Response(null, { headers })
}

/**
 * Makes a path of the address in `Destination`.
 *
 * @throws {Refusal} `filesBroken` for one at another host, as OpenList answers it.
 * @see RFC 4918 section 10.3
 */
function rewriteDestination(c: AppContext, headers: Headers): void {
  const destination = headers.get('Destination')
  if (destination !== null) headers.set('Destination', pathAtHost(destination, targetOf(c).url))
}

/**
 * @returns The path of a destination at the host of the request, as `URL` reads it.
 * @throws {Refusal} `filesBroken`.
 */
function pathAtHost(destination: string, asked: URL): string {
  const found = URL.canParse(destination, asked.origin) && new URL(destination, asked.origin)
  // OpenList would take what follows two slashes for a host.
  if (!found || found.host !== asked.host || found.pathname.startsWith('//'))
    throw new Refusal('filesBroken', { detail: 'a destination at another host' })
  return found.pathname
}

/**
 * Returns the time that a lock is asked for, with an end.
 *
 * @param asked The header `Timeout`, a list in order of preference.
 * @see RFC 4918 section 10.7: the server may choose another time.
 */
function lockTimeout(asked: string | null): string {
  const [, seconds = Infinity] = /^\s*second-(\d+)\s*(?:,|$)/i.exec(asked ?? '') ?? []
  return `Second-${Math.min(Number(seconds), MAX_LOCK_SECONDS)}`
}

function basicOf(username: string, password: string): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
