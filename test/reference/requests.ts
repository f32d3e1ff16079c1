/** What a row sends; `{{name}}` in its texts is filled in by the row's set-up. */
export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  /** Sent as JSON, or as it is when it is a text or bytes. */
  body?: unknown
}

type Headers = Record<string, string>

export const withToken = { Authorization: '{{token}}' }
export const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' }

export function get(path: string, headers: Headers = {}): Request {
  return { method: 'GET', path, headers }
}

export function post(path: string, body?: unknown, headers: Headers = {}): Request {
  return { method: 'POST', path, headers, body }
}

export function send(method: string, path: string, headers: Headers = {}): Request {
  return { method, path, headers }
}

export function login(body: unknown, headers: Headers = {}): Request {
  return post('/api/auth/login', body, headers)
}

export function loginHash(body: unknown, headers: Headers = {}): Request {
  return post('/api/auth/login/hash', body, headers)
}

export function verify(body: unknown): Request {
  return post('/api/auth/2fa/verify', body, withToken)
}

export function update(body: unknown): Request {
  return post('/api/me/update', body, withToken)
}

export function addKey(title: unknown, key: unknown): Request {
  return post('/api/me/sshkey/add', { title, key }, withToken)
}

/** A text that is long and says nothing. */
export function filler(bytes: number): string {
  return 'x'.repeat(bytes)
}

export const MEGABYTE = 1_000_000
