/** The file server behind this site (OpenList), as the operator has set it. */
export interface FileServer {
  /** The address, without a path or a slash at the end. */
  origin: string
  /** OpenList's setting `token`, with which its one admin signs in. */
  token: string
  /** Headers that every request to it carries, such as a service token of Cloudflare Access. */
  headers: [string, string][]
  /** The host of the file server's pages; `undefined` where the accounts have the same host. */
  host: string | undefined
  /** How long it may take for the first byte of its answer. */
  timeoutMilliseconds: number
  /** Whether the pages of its web client get a policy for scripts. */
  hasPagePolicy: boolean
  /** Whether files are open to everybody who knows their path, where OpenList makes no signs. */
  hasOpenLinks: boolean
  /** The problem with the settings, if any: the file server then answers nothing. */
  problem: string | undefined
}

/** The bindings that describe it. */
export interface FileServerBindings {
  FILES_ORIGIN?: string | undefined
  FILES_TOKEN?: string | undefined
  FILES_HEADERS?: string | undefined
  FILES_HOST?: string | undefined
  FILES_TIMEOUT_SECONDS?: string | undefined
  FILES_PAGE_POLICY?: string | undefined
  FILES_OPEN_LINKS?: string | undefined
}

/** Tells whether the pages of the file server, such as its web client, are at a host. */
export function hasFilesAt({ host }: FileServer, url: URL): boolean {
  // A name with a dot at its end, or with another port, leads to the same machine.
  return host === undefined || url.host === host || url.hostname.replace(/\.$/, '') === host
}

/**
 * Returns the origin of the files' host, as seen from that of the accounts: its scheme and port are
 * the same. `undefined` where the files have no host of their own.
 */
export function filesOriginFrom({ host }: FileServer, accounts: URL): string | undefined {
  if (host === undefined) return undefined
  const address = new URL(accounts.origin)
  address.host = host
  return address.origin
}

/** Returns the address of a page of the web client, as a link on an account page. */
export function filesAddressFrom(files: FileServer, accounts: URL, path: string): string {
  const origin = filesOriginFrom(files, accounts)
  return origin === undefined ? path : `${origin}/@login?redirect=${encodeURIComponent(path)}`
}

const DEFAULT_TIMEOUT_SECONDS = '60'
const MAX_TIMEOUT_SECONDS = 3600

/** @returns `undefined` when there is no file server. */
export function parseFileServer(bindings: FileServerBindings): FileServer | undefined {
  const { FILES_ORIGIN: set, FILES_TOKEN: token = '', FILES_HOST: host } = bindings
  if (!set) return undefined
  const origin = parseFilesOrigin(set)
  const headers = parseHeaders(bindings.FILES_HEADERS || '{}')
  const seconds = Number(bindings.FILES_TIMEOUT_SECONDS || DEFAULT_TIMEOUT_SECONDS)
  const isInTime = seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS
  const problems = [
    origin === undefined && `FILES_ORIGIN must be an http or https origin without a path`,
    token === '' && 'FILES_TOKEN is missing: it is the setting “token” of OpenList',
    headers === undefined && 'FILES_HEADERS must be a JSON object of header names and texts',
    !isInTime && `FILES_TIMEOUT_SECONDS must be 1 to ${MAX_TIMEOUT_SECONDS}`,
  ]
  return {
    origin: origin ?? '',
    token,
    headers: headers ?? [],
    host: host ? host.toLowerCase() : undefined,
    timeoutMilliseconds: (isInTime ? seconds : Number(DEFAULT_TIMEOUT_SECONDS)) * 1000,
    hasPagePolicy: bindings.FILES_PAGE_POLICY !== 'off',
    hasOpenLinks: bindings.FILES_OPEN_LINKS === 'on',
    problem: problems.find((problem) => problem !== false),
  }
}

/** @returns `undefined` for a text that is no http or https origin. */
export function parseFilesOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isBare = url.href === `${url.origin}/` && /^https?:$/.test(url.protocol)
  return isBare ? url.origin : undefined
}

function parseHeaders(text: string): [string, string][] | undefined {
  try {
    const object: unknown = JSON.parse(text)
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined
    const headers = Object.entries(object).map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw new TypeError('no text')
      return [name, value]
    })
    // Refuses names and values that no request may carry.
    void new Headers(headers)
    return headers
  } catch {
    return undefined
  }
}
