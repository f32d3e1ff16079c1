import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP, isIPv6 } from 'node:net'
import { FRONT_OUTCOME_HEADER } from '../../web/http/front.ts'

/** The proxy in front of the site, configured by the operator. */
export interface Proxy {
  /** The header with the client's address, in lower case. */
  header: string
  /** The addresses from which the proxy connects; `undefined` for this machine. */
  trusted: BlockList | undefined
}

export interface Caller {
  address: string
  isHttps: boolean
}

/**
 * Reads the target of a request line.
 *
 * @returns Path and query as workerd reads them; `undefined` for an invalid or unsupported target.
 * @see RFC 9112 section 3.2
 */
export function readTarget(target: string): string | undefined {
  const isOrigin = target.startsWith('/')
  if (!isOrigin && !/^https?:\/\//i.test(target)) return undefined
  const text = isOrigin ? `http://localhost${target}` : target
  if (!URL.canParse(text)) return undefined
  const { pathname, search } = new URL(text)
  return pathname + search
}

/**
 * Reads the host of a request. workerd builds a URL from this text and the target, so the text must
 * not contain anything that would become a part of the path.
 *
 * @returns A name or an address, perhaps with a port; `undefined` for an invalid host, for two
 *   hosts, and for none in HTTP/1.1.
 * @see RFC 9112 section 3.2.2: the host of an absolute target replaces the host header.
 */
export function readHost(request: IncomingMessage): string | undefined {
  const { url = '', headersDistinct, httpVersion } = request
  const lines = headersDistinct['host'] ?? []
  const isMissing = lines.length === 0 && httpVersion !== '1.0'
  if (isMissing || lines.length > 1) return undefined
  const [, absolute] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? []
  const host = absolute ?? lines[0] ?? 'localhost'
  return isHost(host) ? host : undefined
}

const HOST = /^(?:(?<name>[\w.-]+)|\[(?<ipv6>[\da-f:.]+)\])(?::(?<port>\d{1,5}))?$/i
const MAX_PORT = 65_535

function isHost(text: string): boolean {
  const { name, ipv6 = '', port = '' } = HOST.exec(text)?.groups ?? {}
  if (Number(port) > MAX_PORT) return false
  return name === undefined ? isIPv6(ipv6) : isHostName(name)
}

/**
 * Accepts a host name. A name that ends in a number is an IPv4 address, which has several
 * spellings. Only one is accepted here.
 */
function isHostName(name: string): boolean {
  const address = `http://${name}`
  return URL.canParse(address) && new URL(address).hostname === name.toLowerCase()
}

/**
 * Tells whether a path is reserved for Cloudflare or for Miniflare's tools. No route of the site is
 * similar, so any text that decodes to such a path counts.
 */
export function isReserved(target: string): boolean {
  const [path = ''] = target.split('?')
  return /^[\\/]+__|(?:^|[\\/])cdn-cgi(?:[\\/;]|$)/i.test(decoded(path))
}

const MAX_DECODINGS = 3

function decoded(path: string): string {
  let text = path
  for (let i = 0; i < MAX_DECODINGS && text.includes('%'); i++) {
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(parseInt(hex, 16)),
    )
  }
  return text
}

/**
 * Reads the client of a request from the socket, or behind a proxy from the proxy's header.
 *
 * In a list such as `X-Forwarded-For`, the last element counts: each proxy appends the address that
 * it sees, so a client can forge the elements before. A request without the header is refused. With
 * the proxy's own address, all clients would share one counter, and one of them could lock out the
 * others.
 *
 * @returns The client, or the reason for a refusal.
 */
export function readCaller(request: IncomingMessage, proxy: Proxy | undefined): Caller | string {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (proxy === undefined) return { address: peer, isHttps: false }
  if (!isProxy(peer, proxy))
    return `This port answers only the proxy in front of it, and ${peer} is not its address.`
  const address = plainAddress(lastElement(request, proxy.header))
  if (isIP(address) === 0)
    return `The proxy in front must set ${proxy.header} to the address of the client.`
  const scheme = lastElement(request, 'x-forwarded-proto').toLowerCase()
  if (scheme !== 'https' && scheme !== 'http')
    return 'The proxy in front must set X-Forwarded-Proto to https or http.'
  return { address, isHttps: scheme === 'https' }
}

function isProxy(peer: string, { trusted }: Proxy): boolean {
  if (trusted === undefined) return isLoopback(peer)
  return trusted.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4')
}

/** Tells whether an address belongs to the loopback interface of this machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/**
 * Returns an address without a zone, and without the `::ffff:` that dual-stack sockets put before
 * IPv4.
 */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

function lastElement({ headersDistinct }: IncomingMessage, name: string): string {
  return (headersDistinct[name]?.at(-1)?.split(',').at(-1) ?? '').trim()
}

/** @see RFC 9110 section 7.6.1 */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers that a client must not set, because Cloudflare, Miniflare or the front server sets them.
 *
 * `Accept-Encoding` is the front server's: it compresses (`compression.ts`).
 *
 * `X-Forwarded-Method` and `X-Forwarded-Uri` pass. Caddy and Traefik ask `/api/forward_auth` about
 * the request in them, and no other route reads them. A client that asks for itself learns only
 * what its own credentials permit.
 */
const RESERVED_HEADERS =
  /^(?:accept-encoding$|cf-|mf-|x-latchkey-|x-forwarded-(?!(?:method|uri)$)|x-real-ip$|true-client-ip$|forwarded$|cdn-loop$|expect$|host$)/

/**
 * Returns the headers of a request to pass on to the Worker, without `Host`, as a flat list of
 * names and values.
 */
export function passedRequestHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const passed = passedHeaders(rawHeaders, headers.connection).filter(
    ([name]) => !RESERVED_HEADERS.test(name.toLowerCase()),
  )
  return passed.flat()
}

/** The headers of an answer to pass on to the client, as names and values. */
export function passedResponseHeaders({
  rawHeaders,
  headers,
}: IncomingMessage): [string, string][] {
  return passedHeaders(rawHeaders, headers.connection).filter(
    ([name]) => name.toLowerCase() !== FRONT_OUTCOME_HEADER.toLowerCase(),
  )
}

function passedHeaders(rawHeaders: readonly string[], connection = ''): [string, string][] {
  const named = new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    const key = name.toLowerCase()
    // `Connection` must not remove `Content-Length`, which frames the body.
    const isNamed = named.has(key) && key !== 'content-length'
    if (!HOP_BY_HOP.has(key) && !isNamed) pairs.push([name, value])
  }
  return pairs
}
