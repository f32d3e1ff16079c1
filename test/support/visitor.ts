import { rememberSecret } from './log.ts'
import type { Site } from './site.ts'

const ORIGIN = 'http://localhost'

/** The parts of an answer that a person sees. */
export interface Seen {
  status: number
  /** Where the answer leads, if it leads anywhere. */
  location: string | null
  headers: Headers
  html: string
}

/** Somebody at a browser: keeps cookies and sends forms, and does nothing else. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** Every `Set-Cookie` so far. */
  readonly setCookies: string[] = []
  readonly #site: Pick<Site, 'fetch'>
  readonly #headers: Record<string, string>

  constructor(site: Pick<Site, 'fetch'>, headers: Record<string, string> = {}) {
    this.#site = site
    this.#headers = headers
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#send('GET', path, headers)
  }

  post(path: string, fields: Record<string, string> = {}, headers = {}): Promise<Seen> {
    const secrets = [
      'password',
      'old_password',
      'repeat',
      'code',
      'secret',
      'confirm_password',
      'confirm_code',
    ]
    for (const name of secrets) rememberSecret(fields[name])
    const form = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: new URL(path, ORIGIN).origin,
      ...headers,
    }
    return this.#send('POST', path, form, new URLSearchParams(fields).toString())
  }

  /** Signs in who is known to get in. */
  async signIn(username: string, password: string, code?: string): Promise<void> {
    const { location } = await this.post('/account/sign-in', { username, password })
    const end =
      code === undefined ? location : (await this.post('/account/sign-in/code', { code })).location
    const isIn = end === '/account' || end === '/account/security?done=recovery-code-used'
    if (!isIn) throw new Error(`${username} can't sign in`)
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Seen> {
    const cookie = Array.from(this.cookies, (pair) => pair.join('=')).join('; ')
    const response = await this.#site.fetch(method, path, {
      headers: { ...this.#headers, ...(cookie !== '' && { Cookie: cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return {
      status: response.status,
      location: response.headers.get('Location'),
      headers: response.headers,
      html: await response.text(),
    }
  }

  #keep(line: string): void {
    this.setCookies.push(line)
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    rememberSecret(value)
    if (/max-age=0/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** Returns the text of a page, without its markup, in one line. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<(script|style)\b.*?<\/\1>|<[^>]*>/gs, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The text of the problem that a field is marked with; `undefined` for a field that is fine. */
export function problemAt(html: string, id: string): string | undefined {
  const [field] = new RegExp(`<(?:input|textarea|select) id="${id}"[^>]*>`).exec(html) ?? []
  if (field === undefined) throw new Error(`there is no field ${id}`)
  if (!field.includes('aria-invalid="true"')) return undefined
  if (!field.includes('autofocus') || !field.includes(`${id}-problem`)) return 'without its reason'
  return textOf(
    new RegExp(`<p class="problem" id="${id}-problem">(.*?)</p>`, 's').exec(html)?.[1] ?? '',
  )
}

/** The text of the alert over a form; `undefined` for none. */
export function alertIn(html: string): string | undefined {
  const [, text] = /role="alert"[^>]*>(.*?)<\/p>/s.exec(html) ?? []
  return text === undefined ? undefined : textOf(text)
}

/** Returns the value of a field of a page. */
export function valueOf(html: string, id: string): string {
  const [, value] = new RegExp(`<input id="${id}"[^>]* value="([^"]*)"`).exec(html) ?? []
  const [, area] = new RegExp(`<textarea id="${id}"[^>]*>(.*?)</textarea>`, 's').exec(html) ?? []
  return value ?? area ?? ''
}

/** Returns the id behind the notice of a deletion. */
export function undoIn({ location }: Pick<Seen, 'location'>): string {
  const [, id = ''] = /[?&]undo=([0-9a-f]{32})(?:#|$)/.exec(location ?? '') ?? []
  if (id === '') throw new Error(`no way back in ${location}`)
  return id
}

/** Where the `Refresh` of an answer leads; empty without one. */
export function refreshTo(headers: Headers): string {
  return /^0; url=(.*)$/.exec(headers.get('Refresh') ?? '')?.[1] ?? ''
}
