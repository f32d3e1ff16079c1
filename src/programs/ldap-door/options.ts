import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Dn, parseDn, printDn } from './dn.ts'

/** A wrong command line of the door. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/** The options as written on the command line. */
export interface WrittenOptions {
  site?: string | undefined
  tokenFile?: string | undefined
  listen?: string[] | undefined
  cert?: string | undefined
  key?: string | undefined
  insecure?: boolean | undefined
  base?: string | undefined
  scope?: string | undefined
  appPasswordsOnly?: boolean | undefined
  showAdmins?: boolean | undefined
  cacheSeconds?: string | undefined
  awaySeconds?: string | undefined
  show?: boolean | undefined
}

export interface Listener {
  host: string
  port: number
  isTls: boolean
}

export interface DoorOptions {
  site: URL
  token: string
  listeners: Listener[]
  tls: { cert: string; key: string } | undefined
  base: Dn
  scope: string
  appPasswordsOnly: boolean
  showAdmins: boolean
  cacheSeconds: number
  awaySeconds: number
  isShow: boolean
}

/** The options of the command line, for both programs that start a door. */
export const OPTIONS = [
  ['--site <url>', 'the address of the site; https, or http on this machine; see --insecure'],
  [
    '--token-file <file>',
    'a file with the service token (scope ldap); else LATCHKEY_SERVICE_TOKEN',
  ],
  ['--listen <url>', 'an address to listen on (ldap://127.0.0.1:3890); can be repeated'],
  ['--cert <file>', 'the certificate for ldaps:// (PEM)'],
  ['--key <file>', 'its key (PEM)'],
  ['--insecure', 'allow ldap:// on an address that other machines reach, and http to a container'],
  ['--base <dn>', 'the base of the tree (from the host of the site)'],
  ['--scope <scope>', 'what app passwords must allow: files:write (default) or files:read'],
  ['--app-passwords-only', 'take no passwords of accounts'],
  ['--show-admins', 'let admins exist here'],
  ['--cache-seconds <number>', 'how long answers are remembered, 0 to 300 (30)'],
  ['--away-seconds <number>', 'how long they count while the site is away, 0 to 3600 (300)'],
  ['--show', 'print base, bind DN and bind password, and end'],
] as const

/** @throws {OptionError} One sentence about what is wrong. */
export function readOptions(
  written: WrittenOptions,
  env: Readonly<Record<string, string | undefined>>,
): DoorOptions {
  const site = readSite(written.site, written.insecure === true)
  const listeners = (written.listen ?? ['ldap://127.0.0.1:3890']).map(readListener)
  const { cert, key } = written
  if (listeners.some(({ isTls }) => isTls) && (cert === undefined || key === undefined))
    throw new OptionError('ldaps:// needs --cert and --key.')
  for (const { isTls, host } of listeners)
    if (!isTls && !isLoopback(host) && written.insecure !== true)
      throw new OptionError(
        `ldap://${host} sends passwords in clear: use ldaps://, or --insecure in a network that you trust.`,
      )
  const twice = listeners.find((listener, place) =>
    listeners.slice(0, place).some(isSamePort(listener)),
  )
  if (twice !== undefined)
    throw new OptionError(`--listen names ${twice.host} port ${twice.port} twice.`)
  const scope = written.scope ?? 'files:write'
  if (scope !== 'files:write' && scope !== 'files:read')
    throw new OptionError('--scope must be files:write or files:read.')
  return {
    site,
    token: readToken(written.tokenFile, env),
    listeners,
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    base: readBase(written.base, site),
    scope,
    appPasswordsOnly: written.appPasswordsOnly === true,
    showAdmins: written.showAdmins === true,
    cacheSeconds: readSeconds('--cache-seconds', written.cacheSeconds ?? '30', 300),
    awaySeconds: readSeconds('--away-seconds', written.awaySeconds ?? '300', 3600),
    isShow: written.show === true,
  }
}

/** @param isInsecure Allows http to a name without a dot, as a container has: no public name is one. */
function readSite(text: string | undefined, isInsecure: boolean): URL {
  if (text === undefined) throw new OptionError('--site is missing: name the address of the site.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isNear = (host: string) => isLoopback(host) || (isInsecure && /^[a-z][\w-]*$/.test(host))
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isNear(url.hostname))
  if (url === undefined || !isSafe)
    throw new OptionError(
      '--site must be an https address, or http on this machine; with --insecure also http to a container of the same network.',
    )
  return url
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'))
}

function readListener(text: string): Listener {
  const [, scheme, host = '', port] =
    /^(ldaps?):\/\/(\[[^\]]+\]|[^:/]+)(?::(\d+))?\/?$/.exec(text) ?? []
  if (scheme === undefined)
    throw new OptionError(`--listen must be like ldap://127.0.0.1:3890, not "${text}".`)
  const isTls = scheme === 'ldaps'
  const number = Number(port ?? (isTls ? 636 : 389))
  if (number > 65535) throw new OptionError(`--listen has the wrong port ${number}.`)
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: number, isTls }
}

/** Holds for a listener on the same port; the system gives each listener on port 0 its own. */
const isSamePort = (a: Listener) => (b: Listener) =>
  a.port !== 0 && a.host === b.host && a.port === b.port

function readToken(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const token = (file === undefined ? env['LATCHKEY_SERVICE_TOKEN'] : readText(file))?.trim()
  if (!token)
    throw new OptionError(
      'The service token is missing: use --token-file or LATCHKEY_SERVICE_TOKEN.',
    )
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new OptionError('The service token has wrong characters.')
  return token
}

/** @throws {OptionError} */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new OptionError(`Can't read ${file}.`)
  }
}

function readBase(text: string | undefined, site: URL): Dn {
  if (text === undefined) return baseOf(site.hostname)
  const base = tryDn(text)
  const isRight = base?.length && base.every((rdn) => rdn.length === 1 && isContainer(rdn[0]?.type))
  if (!base || !isRight) throw new OptionError('--base must be a DN of dc, o and ou.')
  return base
}

function isContainer(type = ''): boolean {
  return ['dc', 'o', 'ou'].includes(type.toLowerCase())
}

function tryDn(text: string): Dn | undefined {
  try {
    return parseDn(text)
  } catch {
    return undefined
  }
}

function baseOf(hostname: string): Dn {
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  const labels = isAddress ? ['latchkey'] : hostname.split('.').filter(Boolean)
  return labels.map((value) => [{ type: 'dc', value }])
}

function readSeconds(name: string, text: string, max: number): number {
  const seconds = Number(text)
  if (/^\d+$/.test(text) && seconds <= max) return seconds
  throw new OptionError(`${name} must be a number from 0 to ${max}, not "${text}".`)
}

/** Returns the password of the search account. The token can not be found from it. */
export function searchPasswordOf(token: string): string {
  return createHmac('sha256', token).update('latchkey ldap search').digest('base64url').slice(0, 32)
}

/** Returns what `--show` prints. */
export function shown({ base, token }: Pick<DoorOptions, 'base' | 'token'>): string {
  const dn = printDn(base)
  return `base: ${dn}\nbind DN: cn=search,${dn}\nbind password: ${searchPasswordOf(token)}`
}
