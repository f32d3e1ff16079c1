import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { type Answer, etagOf, FakeD1 } from './fake-d1.ts'

const ACCOUNT = { id: 'a'.repeat(32), name: 'Example' }

/** As much of Cloudflare's API as the real wrangler asks for when it deploys a site. */
export class FakeCloudflare {
  readonly d1 = new FakeD1()
  readonly namespaces = new Map<string, string>()
  /** The bindings of each upload of the Worker: name and kind, or value. */
  readonly uploads: { name: string; type: string; [field: string]: unknown }[][] = []
  readonly secrets = new Map<string, string>()
  /** The number of requests. */
  asked = 0
  /** Every request that changed something, as `METHOD path`. */
  readonly changes: string[] = []
  schedules: unknown = []
  /** The Worker to which each custom domain leads. */
  readonly domains = new Map<string, string>()
  #refused: { route: string | RegExp; answer: Answer } | undefined
  readonly #server: Server
  url = ''

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<FakeCloudflare> {
    const fake = new FakeCloudflare()
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    const address = fake.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    fake.url = `http://127.0.0.1:${address.port}/client/v4`
    return fake
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    await this.d1.stop()
  }

  /** Refuses a request from now on, `METHOD path` below the account; without one, none. */
  refuse(route?: string | RegExp, status = 500, error = { code: 10013, message: 'broken' }): void {
    this.#refused = route === undefined ? undefined : { route, answer: { status, error } }
  }

  /** Holds the Worker that was uploaded last. */
  get workerFolder(): string {
    return join(this.d1.folder, 'worker')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake')
    const path = pathname.replace(`/client/v4/accounts/${ACCOUNT.id}`, '').replace('/client/v4', '')
    const method = request.method ?? ''
    if (path.startsWith('/files/'))
      return this.#answerFile(method, basename(path), Buffer.concat(chunks).toString(), response)
    if (method !== 'GET' && !path.endsWith('/query')) this.changes.push(`${method} ${path}`)
    const body = new Response(Buffer.concat(chunks), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    })
    const isPastEnd = Number(searchParams.get('page') ?? 1) > 1
    const {
      status = 200,
      error,
      result,
    }: Answer = isPastEnd ? { result: [] } : await this.#handle(method, path, body)
    response.writeHead(status, { 'content-type': 'application/json' })
    const errors = error === undefined ? [] : [error]
    response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result }))
  }

  async #handle(method: string, path: string, body: Response): Promise<Answer> {
    const route = `${method} ${path}`
    const { route: refused, answer } = this.#refused ?? {}
    if (refused === route || (refused instanceof RegExp && refused.test(route))) return answer ?? {}
    if (route === 'GET /user') return { result: { email: 'operator@example.org' } }
    if (route === 'GET /user/tokens/verify') return { result: {} }
    if (route === 'GET /accounts') return { result: [ACCOUNT] }
    if (route === 'GET /memberships') return { result: [{ id: 'm', account: ACCOUNT }] }
    if (path.startsWith('/d1/database')) return this.#handleD1(method, path, body)
    if (path.startsWith('/storage/kv/namespaces')) return this.#handleKv(method, body)
    if (path.startsWith('/workers/')) return this.#handleWorkers(method, path, body)
    return UNKNOWN
  }

  /** Files of imports and exports, which lie in R2 at Cloudflare. */
  #answerFile(method: string, name: string, text: string, response: ServerResponse): void {
    const { files } = this.d1
    if (method === 'PUT') files.set(name, text)
    response.writeHead(files.has(name) ? 200 : 404, { etag: `"${etagOf(text)}"` })
    response.end(method === 'PUT' ? undefined : files.get(name))
  }

  async #handleD1(method: string, path: string, body: Response): Promise<Answer> {
    const [, , , nameOrId = '', action] = path.split('/')
    const { ids } = this.d1
    if (nameOrId === '' && method === 'GET')
      return { result: [...ids].map(([name, uuid]) => ({ name, uuid })) }
    if (nameOrId === '') {
      const { name } = JSON.parse(await body.text())
      return { result: { name, uuid: this.d1.create(name) } }
    }
    const entry = [...ids].find(([name, uuid]) => name === nameOrId || uuid === nameOrId)
    if (entry === undefined) return { status: 404, error: { code: 7404, message: 'no database' } }
    const [name, uuid] = entry
    if (action === undefined) return { result: { name, uuid } }
    const files = `${this.url}/files`
    return (await this.d1.act(uuid, action, JSON.parse(await body.text()), files)) ?? UNKNOWN
  }

  async #handleKv(method: string, body: Response): Promise<Answer> {
    if (method === 'GET')
      return { result: [...this.namespaces].map(([title, id]) => ({ title, id })) }
    const { title } = JSON.parse(await body.text())
    if (this.namespaces.has(title))
      return { status: 400, error: { code: 10014, message: 'title exists' } }
    const id = randomUUID().replaceAll('-', '')
    this.namespaces.set(title, id)
    return { result: { title, id } }
  }

  async #handleWorkers(method: string, path: string, body: Response): Promise<Answer> {
    const exists = this.uploads.length > 0
    if (path === '/workers/domains')
      return { result: [...this.domains].map(([hostname, service]) => ({ hostname, service })) }
    if (path.endsWith('/domains/changeset'))
      return { result: { added: [], removed: [], updated: [], conflicting: [] } }
    if (path.endsWith('/domains/records')) {
      const { origins } = JSON.parse(await body.text())
      const [, , , service = ''] = path.split('/')
      for (const { hostname } of origins) this.domains.set(hostname, service)
      return { result: {} }
    }
    if (path === '/workers/subdomain') return { result: { subdomain: 'example' } }
    if (path.endsWith('/assets-upload-session')) return { result: { jwt: 'done', buckets: [] } }
    if (path.endsWith('/schedules')) {
      this.schedules = JSON.parse(await body.text())
      return { result: {} }
    }
    if (path.endsWith('/subdomain')) return { result: { enabled: true, previews_enabled: false } }
    if (method === 'PUT' || (method === 'POST' && path.endsWith('/versions')))
      return this.#upload(body)
    if (path.endsWith('/deployments')) return { result: { deployments: [], id: randomUUID() } }
    if (!exists) return { status: 404, error: { code: 10007, message: 'no such Worker' } }
    if (path.endsWith('/secrets'))
      return { result: [...this.secrets.keys()].map((name) => ({ name, type: 'secret_text' })) }
    if (path.startsWith('/workers/services/'))
      return { result: { default_environment: { script: { tag: 't', tags: null } } } }
    if (path.startsWith('/workers/workers/'))
      return {
        result: { id: 'w', name: 'w', subdomain: { enabled: true, previews_enabled: false } },
      }
    return { result: {} }
  }

  async #upload(body: Response): Promise<Answer> {
    const form = await body.formData()
    const metadata = form.get('metadata')
    mkdirSync(this.workerFolder, { recursive: true })
    for (const [, part] of form) {
      if (typeof part === 'string') continue
      writeFileSync(join(this.workerFolder, basename(part.name)), await part.bytes())
    }
    const { bindings } = JSON.parse(typeof metadata === 'string' ? metadata : '{}')
    this.uploads.push(bindings)
    for (const { name, type, text } of bindings) {
      if (type === 'secret_text') this.secrets.set(name, text)
    }
    const id = randomUUID()
    return { result: { id, deployment_id: id, startup_time_ms: 5, metadata: {} } }
  }
}

const UNKNOWN: Answer = { status: 404, error: { code: 7000, message: 'No route for that URI' } }
