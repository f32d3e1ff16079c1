import type { Envelope } from './envelope.ts'

/** Speaks to a served site as its clients do. */
export class Client {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async call(
    method: string,
    path: string,
    { token = '', body }: { token?: string; body?: unknown } = {},
  ): Promise<Envelope> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }

  signIn(username: string, password: string): Promise<Envelope> {
    return this.call('POST', '/api/auth/login', { body: { username, password } })
  }
}
