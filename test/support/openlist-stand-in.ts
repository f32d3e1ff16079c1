import { basename, dirname, join } from 'node:path/posix'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import type { Deps } from '../../src/core/deps.ts'
import { StandInLocks } from './openlist-locks.ts'
import { StandInMetas } from './openlist-metas.ts'
import { StandInShares } from './openlist-shares.ts'
import { StandInTasks } from './openlist-tasks.ts'

interface User {
  id: number
  username: string
  password: string
  base_path: string
  role: number
  permission: number
  disabled: boolean
}

/** One request, as the file server gets it. */
export interface Sent {
  method: string
  path: string
  headers: Headers
  body: string
}

export const FILES_ORIGIN = 'http://files.example.org:5244'
export const FILES_TOKEN = 'openlist-0123456789abcdef'

/** The bindings of a site in front of it. The types know only those of wrangler.toml. */
export const FILES_BINDINGS: Partial<Env> = JSON.parse(
  JSON.stringify({ FILES_ORIGIN, FILES_TOKEN }),
)

/** Signs a link as OpenList does, for ever by default. */
export async function signedLink(path: string, end = 0, token = FILES_TOKEN): Promise<string> {
  const encoder = new TextEncoder()
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), hmac, false, ['sign'])
  const file = decodeURIComponent(path).replace(/^\/\w+/, '')
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(`${file}:${end}`))
  const text = btoa(String.fromCharCode(...new Uint8Array(mac)))
  return `${path}?sign=${text.replaceAll('+', '-').replaceAll('/', '_')}:${end}`
}

/**
 * Answers like OpenList 4.2.5, as far as a site in front of it needs: users, sign-in, settings, and
 * for every path whose it is. `test/real/files.test.ts` asks a real one.
 */
export class OpenListStandIn {
  /** Send the requests of the service to it. */
  readonly deps: Partial<Deps>
  readonly users: User[] = [this.#user(1, 'admin', 2), this.#user(2, 'guest', 1)]
  /** Everything that was sent to it. */
  readonly sent: Sent[] = []
  settings: Record<string, string> = { site_title: 'OpenList', version: 'v4.2.5' }
  token = FILES_TOKEN
  /** `site_url` of its `config.json`, which no setting tells. */
  siteUrl = ''
  /** The links of files to an address of the storage, by path; empty for a storage without one. */
  files: Record<string, string> = {}
  readonly metas = new StandInMetas()
  readonly shares = new StandInShares(this.users)
  readonly tasks = new StandInTasks()
  readonly locks = new StandInLocks()
  /** That were made in it. */
  readonly folders: string[] = []
  /** The drivers of its storages, by their paths. */
  storages: Record<string, string> = { '/': 'Local' }
  /** The folders of the disk that its storages show, by their paths. */
  roots: Record<string, string> = {}
  /** What else storages are set up with, by their paths. */
  additions: Record<string, Record<string, string>> = {}
  /** Where storages of the kind Local keep what is deleted, by their paths. */
  bins: Record<string, string> = {}
  /** Replaces answers, to break it. */
  answer: ((sent: Sent) => Response | Promise<Response | undefined> | undefined) | undefined
  /** Happens while it writes a user: after it has forgotten the old one, before it stores the new. */
  between: (() => Promise<unknown>) | undefined
  /** The users that it keeps in memory, by name. */
  readonly #kept = new Map<string, User>()
  /** The tokens that it has given, which a restart ends. */
  #tokens = new Map<string, number>()
  #given = 0

  constructor() {
    this.deps = { sendOut: (url, init) => this.send(url, init) }
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const request = new Request(url, { ...init, redirect: 'manual' })
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    const body = await request.text()
    const sent = { method, path: pathname + search, headers, body }
    this.sent.push(sent)
    init.signal?.throwIfAborted()
    const givenUp = new Promise<never>((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
    })
    return (await Promise.race([this.answer?.(sent), givenUp])) ?? this.#answer(sent)
  }

  restart(): void {
    this.#tokens.clear()
    this.#kept.clear()
    this.metas.restart()
  }

  user(username: string): User | undefined {
    return this.users.find((user) => user.username === username)
  }

  /** Deletes a user. */
  remove(username: string): void {
    this.users.splice(
      this.users.findIndex((user) => user.username === username),
      1,
    )
    this.#kept.delete(username)
  }

  /** Reads a user from memory, where it stays. */
  #keep(username: string): User | undefined {
    const found = this.#kept.get(username) ?? this.user(username)
    if (found !== undefined) this.#kept.set(username, { ...found })
    return found
  }

  /** The full path of each upload that was begun in parts, by its id. */
  readonly uploads = new Map<string, string>()

  /** The paths that were asked for, since the last call. */
  paths(): string[] {
    return this.sent.splice(0).map(({ method, path }) => `${method} ${path}`)
  }

  #user(id: number, username: string, role: number): User {
    const disabled = role === 1
    return { id, username, password: 'theirs', base_path: '/', role, permission: 0, disabled }
  }

  async #answer(sent: Sent): Promise<Response> {
    const { pathname, searchParams } = new URL(sent.path, FILES_ORIGIN)
    const authorization = sent.headers.get('Authorization') ?? ''
    const isAdmin = authorization === this.token
    if (pathname === '/api/auth/login/hash') return this.#signIn(JSON.parse(sent.body))
    if (pathname === '/api/public/settings') return ok(this.settings)
    if (pathname.startsWith('/api/admin/')) {
      if (!isAdmin) return envelope(401, 'token is invalidated')
      return this.#manage(pathname, searchParams, sent.body)
    }
    const id = isAdmin ? 1 : authorization === '' ? 2 : this.#tokens.get(authorization)
    const user = this.#keep(this.users.find((known) => known.id === id)?.username ?? '')
    if (pathname.startsWith('/dav')) return this.#dav(sent, authorization)
    if (pathname.startsWith('/api/')) {
      if (user === undefined) return envelope(401, 'token is invalidated')
      if (pathname === '/api/none')
        return new Response('<html></html>', { headers: { 'Content-Type': 'text/html' } })
      if (user.disabled) return envelope(401, 'Current user is disabled, replace please')
      if (pathname === '/api/me') return ok(user)
      if (pathname === '/api/fs/multipart/status') {
        const path = this.uploads.get(searchParams.get('upload_id') ?? '')
        return path === undefined ? envelope(404, 'upload session not found') : ok({ path })
      }
      if (pathname === '/api/fs/mkdir') {
        this.folders.push(join(user.base_path, JSON.parse(sent.body).path))
        return ok(null)
      }
      const [, call] = /^\/api\/share\/(\w+)$/.exec(pathname) ?? []
      const isMade = call !== 'create' || sent.body.startsWith('{')
      const shared = call && isMade && this.shares.answer(call, user, searchParams, sent.body)
      if (shared === 'panic') return new Response(null, { status: 500 })
      if (shared) return envelope(...shared)
      const [, kind = '', does = ''] = /^\/api\/task\/(\w+)\/(\w+)$/.exec(pathname) ?? []
      const tasks = this.tasks.answer(kind, does, user, sent.body, searchParams.get('tid'))
      if (tasks) return envelope(...tasks)
      const read = /^\/api\/fs\/(?:list|get|dirs)$/.test(pathname) && pathIn(sent.body)
      if (read && !this.metas.admits(user.id, join(user.base_path, read), 'read'))
        return envelope(403, 'password is incorrect or you have no permission')
      if (pathname === '/api/fs/regex_rename' && !this.#renameAll(JSON.parse(sent.body)))
        return envelope(403, 'using relative path is not allowed')
      if (isAdmin && pathname === '/api/fs/list')
        return this.#list(JSON.parse(sent.body).path, sent)
      if (isAdmin && pathname === '/api/fs/get') return this.#get(JSON.parse(sent.body).path, sent)
      if (isAdmin && pathname === '/api/fs/rename') return this.#rename(JSON.parse(sent.body))
      if (isAdmin && pathname === '/api/fs/move') return this.#move(JSON.parse(sent.body))
      return ok({ as: user.username, path: sent.path, body: sent.body.length })
    }
    const page = '<html><head><script>1</script></head><body></body></html>'
    return new Response(page, {
      headers: { 'Content-Type': 'text/html', 'Set-Cookie': 'a=b', ETag: '"x"' },
    })
  }

  /** Lists a folder, as far as somebody needs who looks for a file. */
  #list(path: string, sent: Sent): Response {
    const inside = `${path === '/' ? '' : path}/`
    const below = Object.keys(this.files).filter((file) => file.startsWith(inside))
    const isThere = below.length > 0 || this.folders.includes(path)
    if (this.folders.length > 0 && !isThere) return envelope(500, 'object not found')
    const names = new Set(below.map((file) => file.slice(inside.length).split('/')[0] ?? ''))
    const content = Array.from(names, (name) => ({ name, is_dir: !(inside + name in this.files) }))
    return ok({ as: 'admin', path: sent.path, body: sent.body.length, content })
  }

  #get(path: string, sent: Sent): Response {
    const isAbove = Object.keys(this.files).some((file) => file.startsWith(`${path}/`))
    if (isAbove || this.folders.includes(path)) return ok({ name: basename(path), is_dir: true })
    if (this.folders.length > 0 && !(path in this.files)) return envelope(500, 'object not found')
    return ok(this.#link(path, sent))
  }

  #rename({ path, name }: { path: string; name: string }): Response {
    return this.#carry(path, join(dirname(path), name))
  }

  /** @returns False for a new name that is refused. The files before it have theirs by then. */
  #renameAll({
    src_dir: folder,
    src_name_regex: source,
    new_name_regex: template,
  }: Record<'src_dir' | 'src_name_regex' | 'new_name_regex', string>): boolean {
    const expression = new RegExp(source, 'gu')
    const names = Object.keys(this.files).filter((path) => dirname(path) === folder)
    for (const name of names
      .map((path) => basename(path))
      .filter((each) => each.match(expression))) {
      const renamed = name.replaceAll(expression, (...groups: string[]) =>
        template.replaceAll(/\$(?:\$|\{(\d+)\})/g, (_, n?: string) =>
          n === undefined ? '$' : (groups[Number(n)] ?? ''),
        ),
      )
      if (/^\.{0,2}$|[\\/]/.test(renamed)) return false
      // It makes slashes of backslashes first.
      const path = join(folder, name.replaceAll('\\', '/'))
      const { [path]: link = '', ...others } = this.files
      this.files = { ...others, [join(dirname(path), renamed)]: link }
    }
    return true
  }

  #move({
    src_dir: from,
    dst_dir: to,
    names,
  }: Record<'src_dir' | 'dst_dir', string> & { names: string[] }) {
    const [name = ''] = names
    return this.#carry(join(from, name), join(to, name))
  }

  /** Gives a folder, and what is in it, another path. */
  #carry(path: string, to: string): Response {
    if (!this.folders.includes(path)) return envelope(500, 'object not found')
    if (this.folders.includes(to)) return envelope(403, `file [${basename(to)}] exists`)
    for (const [index, folder] of this.folders.entries())
      if (folder === path || folder.startsWith(`${path}/`))
        this.folders[index] = to + folder.slice(path.length)
    const carried = Object.entries(this.files).map(([file, link]) => [
      file.startsWith(`${path}/`) ? to + file.slice(path.length) : file,
      link,
    ])
    this.files = Object.fromEntries(carried)
    return ok({ message: 'Move operations completed immediately' })
  }

  #link(path: string, sent: Sent) {
    const { headers } = sent
    const own = `${headers.get('X-Forwarded-Proto')}://${headers.get('X-Forwarded-Host')}`
    const encoded = path.split('/').map(encodeURIComponent).join('/')
    const link = this.files[path] || `${this.siteUrl || own}/p${encoded}?sign=x`
    const kind = path in this.files ? { is_dir: false } : {}
    return { as: 'admin', path: sent.path, body: sent.body.length, raw_url: link, ...kind }
  }

  async #signIn({ username, password }: { username: string; password: string }) {
    const user = this.#keep(username)
    if (user === undefined || (await staticDigest(user.password)) !== password)
      return envelope(401, 'Invalid username or password')
    const token = `jwt-${user.id}-${this.#given++}`
    this.#tokens.set(token, user.id)
    return ok({ token })
  }

  #dav(sent: Sent, authorization: string): Response {
    if (authorization === `Bearer ${this.token}`)
      return this.locks.answer(sent, '/') ?? new Response('admin', { status: 207 })
    const [name = '', password = ''] = atob(authorization.replace('Basic ', '')).split(':')
    const user = this.#keep(name)
    if (user?.password === password && !user.disabled)
      return this.locks.answer(sent, user.base_path) ?? new Response(name, { status: 207 })
    const headers = { 'WWW-Authenticate': 'Basic realm="openlist"' }
    return new Response('', { status: 401, headers })
  }

  async #manage(pathname: string, query: URLSearchParams, body: string): Promise<Response> {
    const name = pathname.slice('/api/admin/'.length)
    const id = Number(query.get('id'))
    if (name === 'user/list') return ok({ content: this.users, total: this.users.length })
    if (name === 'user/get') {
      const user = this.users.find((known) => known.id === id)
      return user === undefined ? envelope(500, 'failed get old user: record not found') : ok(user)
    }
    if (name === 'user/create') return this.#create(JSON.parse(body))
    if (name === 'user/update') return this.#update(JSON.parse(body))
    if (name === 'user/delete') {
      const user = this.users.find((known) => known.id === id)
      if (user === undefined) return envelope(500, 'failed get old user: record not found')
      this.remove(user.username)
      this.shares.deleteOf(user)
      return ok(null)
    }
    if (name === 'user/del_cache') {
      const username = query.get('username') ?? ''
      if (this.#keep(username) === undefined) return envelope(500, 'record not found')
      this.#kept.delete(username)
      return ok(null)
    }
    if (name === 'user/cancel_2fa') return ok(null)
    if (name === 'setting/list' || name === 'setting/get') {
      const all = [...Object.entries(this.settings), ['token', this.token]]
      const items = all.map(([key = '', value = '']) => ({
        key,
        value,
        group: key.startsWith('ldap_') ? 8 : 1,
        type: 'string',
        help: '',
        flag: 1,
      }))
      return ok(name === 'setting/get' ? items.find(({ key }) => key === query.get('key')) : items)
    }
    if (name === 'setting/save') {
      const items: { key: string; value: string }[] = JSON.parse(body)
      for (const { key, value } of items) this.settings[key] = value
      return ok(null)
    }
    if (name === 'storage/list') {
      const storages = Object.entries(this.storages)
      const content = storages.map(([path, driver]) => ({
        mount_path: path,
        driver,
        addition: JSON.stringify({
          root_folder_path: this.roots[path] ?? '',
          recycle_bin_path: this.bins[path] ?? 'delete permanently',
          ...this.additions[path],
        }),
      }))
      return ok({ content, total: content.length })
    }
    if (name === 'storage/get') return this.#storage(id)
    if (name === 'storage/update') {
      const { id: changed, mount_path: path }: { id: number; mount_path: string } = JSON.parse(body)
      const mounts = Object.entries(this.storages)
      this.storages = Object.fromEntries(
        mounts.map(([mount, driver], index) => [index + 1 === changed ? path : mount, driver]),
      )
      return ok(null)
    }
    const [kind, call = ''] = name.split('/')
    const answer = kind === 'meta' ? await this.metas.answer(call, id, body) : undefined
    return answer === undefined ? ok({ managed: name }) : envelope(...answer)
  }

  /** Its storages have the ids 1, 2 and so on. */
  #storage(id: number): Response {
    const mount = Object.keys(this.storages)[id - 1]
    if (mount === undefined) return envelope(500, 'failed get storage: record not found')
    return ok({ id, mount_path: mount, driver: this.storages[mount] })
  }

  #create(fields: Partial<User>): Response {
    const id = fields.id ?? Math.max(...this.users.map((user) => user.id)) + 1
    if (this.users.some((user) => user.id === id))
      return envelope(500, 'UNIQUE constraint failed: x_users.id')
    if (this.users.some(({ username }) => username === fields.username))
      return envelope(500, 'UNIQUE constraint failed: x_users.username')
    this.users.push({ ...this.#user(id, '', 0), ...fields, id })
    return ok(null)
  }

  async #update(fields: Partial<User>): Promise<Response> {
    const user = this.users.find(({ id }) => id === fields.id)
    if (user === undefined) return envelope(500, 'failed get old user: record not found')
    if (this.users.some((other) => other !== user && other.username === fields.username))
      return envelope(500, 'UNIQUE constraint failed: x_users.username')
    this.#kept.delete(user.username)
    await this.between?.()
    for (const [token, id] of this.#tokens) if (id === user.id) this.#tokens.delete(token)
    Object.assign(user, fields)
    return ok(null)
  }
}

/** The path in a body; `undefined` for a body of another kind. */
function pathIn(body: string): string | undefined {
  if (!body.startsWith('{')) return undefined
  const { path }: { path?: unknown } = JSON.parse(body)
  return typeof path === 'string' ? path : undefined
}

function ok(data: unknown): Response {
  return envelope(200, 'success', data)
}

function envelope(code: number, message: string, data: unknown = null): Response {
  const text = JSON.stringify({ code, message, data })
  return new Response(text, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(text.length),
    },
  })
}
