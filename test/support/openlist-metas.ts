/** A meta as OpenList lists it. */
export interface StandInMeta {
  id: number
  path: string
  read_users: number[] | null
  read_users_sub: boolean
  write_users: number[] | null
  write_users_sub: boolean
  password: string
  p_sub: boolean
  write: boolean
  w_sub: boolean
  hide: string
  h_sub: boolean
  readme: string
  r_sub: boolean
  header: string
  header_sub: boolean
}

/** What a call of metas answers: a code, and the message of a refusal or the data. */
type Answer = readonly [code: number, message: string, data?: unknown]

const NOT_FOUND: Answer = [500, 'failed get old meta: record not found']
const EMPTY = {
  read_users: null,
  read_users_sub: false,
  write_users: null,
  write_users_sub: false,
  password: '',
  p_sub: false,
  write: false,
  w_sub: false,
  hide: '',
  h_sub: false,
  readme: '',
  r_sub: false,
  header: '',
  header_sub: false,
}

/**
 * The metas of the stand-in, with OpenList's memory of them: it forgets a meta before it stores a
 * new one, so a request in between makes it keep the old one. `test/real/groups.test.ts` asks a
 * real one.
 */
export class StandInMetas {
  readonly rows: StandInMeta[] = []
  /** Happens while it writes a meta: after it has forgotten the old one, before it stores the new. */
  between: ((path: string) => Promise<unknown> | undefined) | undefined
  /** By path; `undefined` for a path that is known to have none. */
  readonly #kept = new Map<string, StandInMeta | undefined>()
  #lastId = 0

  /** Puts a meta into the database, past the interface, as a restored backup does. */
  put(fields: Partial<StandInMeta> & { path: string }): StandInMeta {
    const row = { ...EMPTY, ...fields, id: fields.id ?? this.#lastId + 1 }
    this.#lastId = Math.max(this.#lastId, row.id)
    const old = this.rows.findIndex(({ path }) => path === row.path)
    this.rows.splice(old === -1 ? this.rows.length : old, old === -1 ? 0 : 1, row)
    return row
  }

  at(path: string): StandInMeta | undefined {
    return this.rows.find((meta) => meta.path === path)
  }

  /** Forgets what it keeps in memory, as a restart does. */
  restart(): void {
    this.#kept.clear()
  }

  /** Whether a user may read, or write, at a path, by the nearest meta alone. */
  admits(userId: number, path: string, to: 'read' | 'write'): boolean {
    const meta = this.#nearest(cleaned(path))
    const users = meta?.[`${to}_users`] ?? []
    if (meta === undefined || users.length === 0 || users.includes(userId)) return true
    return meta.path !== cleaned(path) && !meta[`${to}_users_sub`]
  }

  #nearest(path: string): StandInMeta | undefined {
    if (!this.#kept.has(path)) {
      const found = this.at(path)
      this.#kept.set(path, found && { ...found })
    }
    const meta = this.#kept.get(path)
    if (meta !== undefined || path === '/') return meta
    return this.#nearest(path.slice(0, path.lastIndexOf('/')) || '/')
  }

  /** @param name `list`, `get`, `create`, `update` or `delete`. */
  async answer(name: string, id: number, body: string): Promise<Answer | undefined> {
    if (name === 'list')
      return [200, 'success', { content: this.#sorted(), total: this.rows.length }]
    if (name === 'get') return this.#found(id, (meta) => [200, 'success', meta])
    if (name === 'delete') return this.#delete(id)
    if (name !== 'create' && name !== 'update') return undefined
    const sent: Partial<StandInMeta> = JSON.parse(body)
    if (!sent.path) return [400, "Key: 'Meta.Path' Error:Field validation for 'Path' failed"]
    const record = { ...EMPTY, ...withoutNull(sent), path: cleaned(sent.path), id: sent.id ?? 0 }
    return name === 'create' ? this.#create(record) : this.#update(record)
  }

  #sorted(): StandInMeta[] {
    return this.rows.toSorted((a, b) => a.id - b.id)
  }

  #found(id: number, answer: (meta: StandInMeta) => Answer): Answer {
    const meta = this.rows.find((row) => row.id === id)
    return meta === undefined ? NOT_FOUND : answer(meta)
  }

  async #create(record: StandInMeta): Promise<Answer> {
    this.#kept.delete(record.path)
    await this.between?.(record.path)
    if (record.id !== 0 && this.rows.some(({ id }) => id === record.id)) return taken('id', 1555)
    if (this.at(record.path) !== undefined) return taken('path', 2067)
    this.put({ ...record, id: record.id || this.#lastId + 1 })
    return [200, 'success']
  }

  async #update(record: StandInMeta): Promise<Answer> {
    const old = this.rows.find(({ id }) => id === record.id)
    if (old === undefined) return NOT_FOUND
    this.#kept.delete(old.path)
    this.#kept.delete(record.path)
    await this.between?.(record.path)
    if (this.rows.some(({ id, path }) => id !== record.id && path === record.path))
      return taken('path', 2067)
    Object.assign(old, record)
    return [200, 'success']
  }

  /** A second deletion forgets nothing: the row that names the path is gone. */
  async #delete(id: number): Promise<Answer> {
    const meta = this.rows.find((row) => row.id === id)
    if (meta === undefined) return NOT_FOUND
    this.#kept.delete(meta.path)
    await this.between?.(meta.path)
    this.rows.splice(this.rows.indexOf(meta), 1)
    return [200, 'success']
  }
}

function taken(column: string, code: number): Answer {
  return [500, `constraint failed: UNIQUE constraint failed: x_meta.${column} (${code})`]
}

/** JSON's null leaves a member of the record as it is by default. */
function withoutNull(sent: Partial<StandInMeta>): Partial<StandInMeta> {
  const known = Object.entries(sent).filter(([name, value]) => name in EMPTY && value !== null)
  return Object.fromEntries(known)
}

/** `FixAndCleanPath` of OpenList. */
function cleaned(path: string): string {
  const segments: string[] = []
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}
