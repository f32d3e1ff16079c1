import { join } from 'node:path/posix'
import { readIf } from './openlist-if.ts'

interface DavRequest {
  method: string
  path: string
  headers: Headers
  body: string
}

interface Lock {
  /** The full path. */
  root: string
  owner: string
  isDeep: boolean
}

/** The body of a request that takes a lock. */
export function lockInfo(owner = 'somebody'): string {
  return `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner>${owner}</D:owner></D:lockinfo>`
}

/**
 * The locks of OpenList's WebDAV (`server/webdav/lock.go`): their tokens are consecutive numbers,
 * and whoever sends one acts for its lock.
 */
export class StandInLocks {
  readonly #locks = new Map<string, Lock>()
  #last = 1_795_944_800

  /** The paths that are locked, in the order of their numbers. */
  roots(): string[] {
    return Array.from(this.#locks.values(), ({ root }) => root)
  }

  /** The number that was given last. */
  get last(): string {
    return String(this.#last)
  }

  /** Begins anew, with numbers that it has given before. */
  restart(): void {
    this.#locks.clear()
    this.#last = 1_795_944_800
  }

  /** @returns `undefined` for a request that no lock stops. */
  answer({ method, path, headers, body }: DavRequest, basePath: string): Response | undefined {
    const name = join('/', decodeURIComponent(path.replace(/^\/dav|\?.*$/g, '')))
    const full = join(basePath, name.replaceAll('\\', '/')).replace(/(?<=.)\/$/, '')
    if (method === 'LOCK')
      return body === '' ? this.#refresh(headers) : this.#lock(full, headers, body)
    if (method === 'UNLOCK') return this.#unlock(headers)
    if (!/^(?:PUT|DELETE|MKCOL|PROPPATCH|COPY|MOVE)$/.test(method)) return undefined
    const to = /^(?:COPY|MOVE)$/.test(method) ? headers.get('Destination') : null
    const target = to === null ? '' : join(basePath, decodeURIComponent(to.replace('/dav', '')))
    const source = method === 'MOVE' ? full : method === 'COPY' ? '' : name
    return this.#confirm(source, target, headers)
  }

  #lock(root: string, headers: Headers, body: string): Response {
    const [, owner] = /<D:owner>(.*)<\/D:owner>/s.exec(body) ?? []
    if (owner === undefined) return text(400, 'Bad Request')
    const isDeep = headers.get('Depth') !== '0'
    const meets = (lock: Lock) =>
      lock.root === root ||
      (lock.isDeep && isBelow(root, lock.root)) ||
      (isDeep && isBelow(lock.root, root))
    if (Array.from(this.#locks.values()).some(meets)) return text(423, 'Locked')
    this.#last += 1
    this.#locks.set(this.last, { root, owner, isDeep })
    return this.#show(this.last, headers, { 'Lock-Token': `<${this.last}>` })
  }

  #refresh(headers: Headers): Response {
    const [list, ...others] = readIf(headers.get('If') ?? '') ?? []
    const [{ token } = { token: '' }, ...more] = list?.conditions ?? []
    if (others.length > 0 || more.length > 0 || token === '') return text(400, 'Bad Request')
    return this.#locks.has(token) ? this.#show(token, headers) : text(412, 'Precondition Failed')
  }

  #unlock(headers: Headers): Response {
    const [, token] = /^<(.*)>$/.exec(headers.get('Lock-Token') ?? '') ?? []
    if (token === undefined) return text(400, 'Bad Request')
    return this.#locks.delete(token) ? new Response(null, { status: 204 }) : text(409, 'Conflict')
  }

  #confirm(source: string, target: string, headers: Headers): Response | undefined {
    const condition = headers.get('If')
    const names = [source, target].filter((name) => name !== '')
    if (condition === null) {
      this.#last += names.length
      const isLocked = names.some((name) =>
        Array.from(this.#locks.values()).some((lock) => covers(lock, name)),
      )
      return isLocked ? text(423, 'Locked') : undefined
    }
    const lists = readIf(condition)
    if (lists === undefined) return text(400, 'Bad Request')
    const isMet = lists.some(({ tag, conditions }) => {
      if (tag !== '' && (!URL.canParse(tag) || new URL(tag).host !== ORIGIN_HOST)) return false
      const named = tag === '' ? source : decodeURIComponent(new URL(tag).pathname.slice(4))
      // It looks at no `Not`.
      const isHeld = (name: string) =>
        conditions.some(({ token }) => {
          const lock = this.#locks.get(token)
          return lock !== undefined && covers(lock, name)
        })
      return [named, target].filter((name) => name !== '').every(isHeld)
    })
    return isMet ? undefined : text(412, 'Precondition Failed')
  }

  #show(token: string, headers: Headers, more = {}): Response {
    const { owner = '', root = '', isDeep = false } = this.#locks.get(token) ?? {}
    const body = `<?xml version="1.0" encoding="utf-8"?>
<D:prop xmlns:D="DAV:"><D:lockdiscovery><D:activelock>
	<D:locktype><D:write/></D:locktype>
	<D:lockscope><D:exclusive/></D:lockscope>
	<D:depth>${isDeep ? 'infinity' : '0'}</D:depth>
	<D:owner>${owner}</D:owner>
	<D:timeout>${headers.get('Timeout')}</D:timeout>
	<D:locktoken><D:href>${token}</D:href></D:locktoken>
	<D:lockroot><D:href>${root.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</D:href></D:lockroot>
</D:activelock></D:lockdiscovery></D:prop>`
    const type = { 'Content-Type': 'application/xml; charset=utf-8' }
    const length = { 'Content-Length': String(new TextEncoder().encode(body).length) }
    return new Response(body, { headers: { ...type, ...length, ...more } })
  }
}

const ORIGIN_HOST = 'files.example.org:5244'

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

function covers({ root, isDeep }: Lock, name: string): boolean {
  return root === name || (isDeep && isBelow(name, root))
}

function text(status: number, words: string): Response {
  return new Response(words, { status })
}
