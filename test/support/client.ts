import { accept, type Envelope } from './envelope.ts'

/** Speaks to a served site as its clients do. */
export class Client {
  readonly url: string
  /** Sent with every request. */
  readonly headers: Record<string, string>

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url
    this.headers = headers
  }

  async call(
    method: string,
    path: string,
    { token = '', body }: { token?: string; body?: unknown } = {},
  ): Promise<Envelope> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { ...this.headers, Authorization: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }

  /**
   * Calls an endpoint that does what it is asked.
   *
   * @returns The data of the answer.
   */
  async ask(
    path: string,
    { method = 'POST', ...call }: { method?: string; token?: string; body?: unknown },
  ): Promise<Envelope['data']> {
    return accept(await this.call(method, path, call), path)
  }

  signIn(username: string, password: string): Promise<Envelope> {
    return this.call('POST', '/api/auth/login', { body: { username, password } })
  }
}
