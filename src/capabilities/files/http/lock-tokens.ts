import type { Account } from '../../../core/accounts/accounts.ts'
import { sha256Base64Url } from '../../../core/base/encoding.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { readSitePath } from '../../../core/base/site-areas.ts'
import { openBox, sealBox } from '../../../core/crypto/sealed-box.ts'
import type { SealDeps } from '../../../core/crypto/sealed-text.ts'
import type { FileTarget } from '../../../web/http/context.ts'
import { readAnswer } from '../origin.ts'
import { isLocking } from '../rights.ts'
import { rewriteCondition } from './if-header.ts'

/** A request of WebDAV, as far as locks go. */
export interface LockRequest {
  deps: SealDeps
  files: FileServer
  /** Who sends it. */
  account: Pick<Account, 'id' | 'sub' | 'basePath'>
  method: string
  target: FileTarget
}

/** A lock that the sender of a request has taken. */
interface OwnLock {
  /** The token, as the client knows it. */
  shown: string
  /** The token at OpenList. */
  token: string
  /** The hash of the path that OpenList shows of it. */
  root: string
}

/** The token of no lock. @see RFC 4918 section 10.4.8 */
const NO_LOCK = 'DAV:no-lock'

/** 132 bits of the hash. */
const ROOT_CHARACTERS = 22

/** A sealed lock, and the number of segments of its path. */
const SHOWN = /^opaquelocktoken:([\w-]+\.[\w-]{60,})\.(\d{1,5})$/

/**
 * The token and the path of a lock, at the end of what OpenList shows of it: only the words of its
 * owner, before them, are not OpenList's.
 */
const SHOWN_THERE =
  /<D:locktoken><D:href>([^<>]+)(<\/D:href><\/D:locktoken>\s*<D:lockroot><D:href>([^<]*)<\/D:href><\/D:lockroot>\s*<\/D:activelock><\/D:lockdiscovery><\/D:prop>\s*)$/

/**
 * Puts the tokens of OpenList in the place of ours, and the address of OpenList in the place of
 * this site's in tags. OpenList numbers its locks and takes each number from everybody. So a client
 * gets a sealed token, which opens for its user alone, and at or below the path of the lock.
 *
 * @param headers Their `Destination` is a path already.
 * @returns The locks whose tokens are in the request.
 * @see RFC 4918 sections 6.5, 10.4 and 10.5
 */
export async function openLockTokens(request: LockRequest, headers: Headers): Promise<OwnLock[]> {
  const { method, target } = request
  const locks: OwnLock[] = []
  const open = async (shown: string, paths: (string | undefined)[]) => {
    for (const path of new Set(paths)) {
      const lock = path === undefined ? undefined : await openToken(request, shown, path)
      if (lock === undefined) continue
      locks.push(lock)
      return lock.token
    }
    return NO_LOCK
  }
  const condition = headers.get('If')
  if (condition !== null) {
    const destination = decodedPath(headers.get('Destination') ?? '')
    // OpenList renews a lock without a look at tags.
    const pathsOf = (tag: string | undefined) =>
      isLocking(method)
        ? [target.path]
        : [tag === undefined ? target.path : ownTag(request, tag)?.path, destination]
    const written = await rewriteCondition(condition, {
      tag: (address) => ownTag(request, address)?.there ?? address,
      token: (token, tag) => open(token, pathsOf(tag)),
    })
    headers.set('If', written)
  }
  const [, named] = /^<(.*)>$/.exec(headers.get('Lock-Token') ?? '') ?? []
  if (named !== undefined) headers.set('Lock-Token', `<${await open(named, [target.path])}>`)
  return locks
}

/**
 * Puts our token in the place of OpenList's in its answer to `LOCK`.
 *
 * @param locks Those whose tokens were in the request: the one that was renewed, if any.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function showLockToken(
  request: LockRequest,
  locks: readonly OwnLock[],
  answer: Response,
): Promise<Response> {
  if (request.method !== 'LOCK' || !answer.ok) return answer
  const text = await readAnswer(request.files, answer)
  const found = SHOWN_THERE.exec(text)
  if (found === null) throw new Refusal('filesBroken', { detail: 'a lock of another form' })
  const [, token = '', rest = '', path = ''] = found
  const root = (await sha256Base64Url(path)).slice(0, ROOT_CHARACTERS)
  const isNew = answer.headers.has('Lock-Token')
  // Its numbers may begin anew when OpenList does: then it is the lock of another.
  const shown = isNew
    ? await sealToken(request, token, root)
    : locks.find((lock) => lock.token === token && lock.root === root)?.shown
  if (shown === undefined) return new Response('Precondition Failed', { status: 412 })
  const headers = new Headers(answer.headers)
  headers.delete('Content-Length')
  if (isNew) headers.set('Lock-Token', `<${shown}>`)
  const before = text.slice(0, found.index)
  return new Response(`${before}<D:locktoken><D:href>${shown}${rest}`, { headers })
}

/** @returns The tag at OpenList, and its decoded path; `undefined` for one at another host. */
function ownTag({ files, target }: LockRequest, address: string) {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined
  const { host, pathname, search } = new URL(address)
  if (host !== target.url.host) return undefined
  return { there: files.origin + pathname + search, path: decodedPath(pathname) }
}

function decodedPath(path: string): string | undefined {
  return readSitePath(path)?.decoded
}

async function sealToken(request: LockRequest, token: string, root: string): Promise<string> {
  const segments = segmentsOf(request.target.path)
  const bytes = new Uint8Array(new TextEncoder().encode(`${root} ${token}`))
  const ring = await request.deps.keyRing()
  const box = await sealBox(request.deps, ring, bytes, useOf(request, segments), 'ceremony')
  return `opaquelocktoken:${box}.${segments.length}`
}

/** @param path Decoded: that of the lock, or of something below it. */
async function openToken(
  request: LockRequest,
  shown: string,
  path: string,
): Promise<OwnLock | undefined> {
  const [, box, length] = SHOWN.exec(shown) ?? []
  if (box === undefined) return undefined
  const use = useOf(request, segmentsOf(path).slice(0, Number(length)))
  const ring = await request.deps.keyRing()
  const bytes = await openBox(ring, box, use, 'a lock', 'ceremony').catch(() => undefined)
  if (bytes === undefined) return undefined
  const [root = '', token = ''] = new TextDecoder().decode(bytes).split(' ')
  return { shown, token, root }
}

/** A token of one user, folder of that user, and path does not open for another. */
function useOf({ account }: LockRequest, segments: readonly string[]): string {
  return JSON.stringify(['lock', account.id, account.sub, account.basePath, segments])
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}
