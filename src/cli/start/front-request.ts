import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/** The proxy in front, as the operator names it. */
export interface Proxy {
  /** The header that it puts the client's address into, in lower case. */
  header: string
  /** Where it connects from; `undefined` for this machine. */
  address: string | undefined
}

/** Who made a request, and over what. */
export interface Caller {
  address: string
  isHttps: boolean
}

/**
 * Reads the target of a request line.
 *
 * @returns Path and query as workerd reads them; `undefined` for what is no target of ours.
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
 * Reads which host a request is for. workerd makes an address of this text and the target, so
 * nothing may be in it that would become a part of the path.
 *
 * @returns A name or an address, perhaps with a port; `undefined` for anything else, and for two.
 * @see RFC 9112 section 3.2.2: the host of an absolute target replaces that of the header.
 */
export function readHost({ url = '', headersDistinct }: IncomingMessage): string | undefined {
  const lines = headersDistinct['host'] ?? []
  if (lines.length > 1) return undefined
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

/** A name that ends in a number is an IPv4 address, in several spellings; here it has one. */
function isHostName(name: string): boolean {
  const address = `http://${name}`
  return URL.canParse(address) && new URL(address).hostname === name.toLowerCase()
}

/**
 * Whether a path belongs to Cloudflare's own network or to Miniflare, which serves its tools there.
 * No route of ours looks like that, so anything that decodes to it counts.
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
 * Says who made a request: the socket's address, or behind a proxy what its header says.
 *
 * A list, as in `X-Forwarded-For`, counts by its last element: each proxy appends the address that
 * it saw, so the elements before the last are what the client claims. A request that lacks the
 * header is refused rather than counted to the proxy's address: all clients would share one
 * counter, and one of them could lock out the others.
 *
 * @returns What is wrong, when it is not a request of the proxy.
 */
export function readCaller(request: IncomingMessage, proxy: Proxy | undefined): Caller | string {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (proxy === undefined) return { address: peer, isHttps: false }
  if (!isProxy(peer, proxy)) return 'This port answers the proxy in front only.'
  const address = plainAddress(lastElement(request, proxy.header))
  if (isIP(address) === 0)
    return `The proxy in front must set ${proxy.header} to the address of the client.`
  const scheme = lastElement(request, 'x-forwarded-proto').toLowerCase()
  if (scheme !== 'https' && scheme !== 'http')
    return 'The proxy in front must set X-Forwarded-Proto to https or http.'
  return { address, isHttps: scheme === 'https' }
}

function isProxy(peer: string, { address }: Proxy): boolean {
  if (address !== undefined) return peer === plainAddress(address)
  return isLoopback(peer)
}

/** Whether only programs on this machine connect to this address, or from it. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** Without `::ffff:` before IPv4, as sockets for both families have it, and without a zone. */
function plainAddress(address: string): string {
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

/** What a client may not say, because Cloudflare, Miniflare or the front server says it. */
const SAID_FOR_CLIENTS =
  /^(?:cf-|mf-|x-latchkey-|x-forwarded-|x-real-ip$|true-client-ip$|forwarded$|cdn-loop$|expect$|host$)/

/** The headers of a request that go on to the Worker, but its host, as a flat list. */
export function passedRequestHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const passed = passedHeaders(rawHeaders, headers.connection).filter(
    ([name]) => !SAID_FOR_CLIENTS.test(name.toLowerCase()),
  )
  return passed.flat()
}

/** The headers of an answer that go on to the client, as a flat list of names and values. */
export function passedResponseHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  return passedHeaders(rawHeaders, headers.connection).flat()
}

function passedHeaders(rawHeaders: readonly string[], connection = ''): [string, string][] {
  const named = new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    const key = name.toLowerCase()
    // What frames the body is not the connection's to take away.
    const isNamed = named.has(key) && key !== 'content-length'
    if (!HOP_BY_HOP.has(key) && !isNamed) pairs.push([name, value])
  }
  return pairs
}
