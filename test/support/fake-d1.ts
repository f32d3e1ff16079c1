import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { loadWrangler } from '../../src/programs/site/platform-tools.ts'

export interface Answer {
  status?: number
  error?: { code: number; message: string }
  result?: unknown
}

/** The parts that `wrangler d1 export` leaves out. */
interface Without {
  no_schema?: boolean
  no_data?: boolean
}

/** D1 in the stand-in for Cloudflare: real databases, in a folder over which a Worker can run. */
export class FakeD1 {
  /** Holds the databases as Miniflare keeps them. */
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-cloudflare-'))
  /** The ids of the databases, by their names. */
  readonly ids = new Map<string, string>()
  /** Uploads for an import, and exports that wait for a download, by file name. */
  readonly files = new Map<string, string>()
  readonly #open = new Map<string, Miniflare>()

  create(name: string): string {
    const id = randomUUID()
    this.ids.set(name, id)
    return id
  }

  /** Runs statements in one transaction. @returns The rows of the last one. */
  async rows(name: string, sql: string): Promise<Record<string, unknown>[]> {
    return (await this.execute(name, sql)).at(-1)?.results ?? []
  }

  /** Runs statements in one transaction, as `wrangler d1 execute` has it done. */
  execute(name: string, sql: string) {
    return this.#run(this.ids.get(name) ?? '', sql)
  }

  async #run(id: string, sql: string) {
    const d1 = await this.#database(id)
    return d1.batch<Record<string, unknown>>(
      loadWrangler()
        .unstable_splitSqlQuery(sql)
        .map((query) => d1.prepare(query)),
    )
  }

  async #database(id: string) {
    let miniflare = this.#open.get(id)
    if (miniflare === undefined) {
      miniflare = new Miniflare(
        convertV4MiniflareOptions({
          modules: true,
          script: 'export default {}',
          d1Databases: { DB: id },
          resourcePersistencePath: this.folder,
        }),
      )
      this.#open.set(id, miniflare)
    }
    return miniflare.getD1Database('DB')
  }

  async stop(): Promise<void> {
    for (const miniflare of this.#open.values()) await miniflare.dispose()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** @param body Parsed. @param files The address under which files are taken and given. */
  // oxlint-disable-next-line typescript/no-explicit-any -- Each action has a body of its own form.
  async act(id: string, action: string, body: any, files: string): Promise<Answer | undefined> {
    try {
      if (action === 'query') return { result: await this.#run(id, body.sql) }
      if (action === 'import') return { result: await this.#import(id, body, files) }
      if (action === 'export') return { result: await this.#export(id, body.dump_options, files) }
      return undefined
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { status: 400, error: { code: 7500, message } }
    }
  }

  /** An import comes as an upload and a request to run it. */
  async #import(id: string, body: { action: string; filename?: string }, files: string) {
    if (body.action === 'init') {
      const filename = `${randomUUID()}.sql`
      return { success: true, filename, upload_url: `${files}/${filename}` }
    }
    const results = await this.#run(id, this.files.get(body.filename ?? '') ?? '')
    const sum = (of: 'rows_read' | 'rows_written') =>
      results.reduce((total, { meta }) => total + meta[of], 0)
    const meta = {
      duration: 1,
      size_after: 0,
      rows_read: sum('rows_read'),
      rows_written: sum('rows_written'),
    }
    const result = { num_queries: results.length, final_bookmark: '', meta }
    return { success: true, status: 'complete', messages: [], result }
  }

  async #export(id: string, { no_schema = false, no_data = false }: Without, files: string) {
    const d1 = await this.#database(id)
    const dump = d1.prepare('PRAGMA miniflare_d1_export(?,?,?);').bind(no_schema, no_data)
    const [lines = []] = await dump.raw<string[]>()
    const filename = `${randomUUID()}.sql`
    this.files.set(filename, lines.join('\n'))
    const result = { filename, signed_url: `${files}/${filename}` }
    return { success: true, status: 'complete', messages: [], at_bookmark: '', result }
  }
}

/** The ETag of an upload, which wrangler compares with its own. */
export function etagOf(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
