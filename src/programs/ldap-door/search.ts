import { BerError, BerReader, element, integer, TAG, utf8 } from './ber.ts'
import { type Directory, type Entry, type AccountList, type Viewer } from './directory.ts'
import { dnKey, parseDn } from './dn.ts'
import { type Filter, FilterTooLarge, matches, readFilter } from './filter.ts'
import { CODE, entryMessage, type Message, type Result } from './message.ts'

const PAGING = '1.2.840.113556.1.4.319'
const WHO_AM_I = '1.3.6.1.4.1.4203.1.11.3'
const MAX_ATTRIBUTES = 100

interface SearchRequest {
  base: string
  scope: number
  sizeLimit: number
  typesOnly: boolean
  filter: Filter
  attributes: string[]
}

export interface Answer {
  result: Result
  /** Made when they are sent, so that a slow reader keeps few of them in memory. */
  entries?: Iterable<Buffer>
  controls?: Buffer
}

/** Answers a search. @throws {BerError} When it is malformed. */
export async function search(
  directory: Directory,
  viewer: Viewer | undefined,
  message: Message,
  accounts: () => Promise<AccountList>,
): Promise<Answer> {
  const paging = message.controls.find(({ oid }) => oid === PAGING)
  const cookie = paging && cookieOf(paging.value)
  const reader = new BerReader(message.content)
  const base = reader.read(TAG.octets)
  const request = readSearch(reader, base)
  const scene = base.length === 0 ? 'root' : viewer
  // First, so that strangers get one answer for every base.
  if (scene === undefined) return { result: { code: CODE.insufficientAccessRights } }
  if (!('base' in request)) return { result: request }
  if (message.controls.some(({ oid, isCritical }) => isCritical && oid !== PAGING))
    return { result: { code: CODE.unavailableCriticalExtension } }
  if (cookie !== undefined && cookie.length > 0)
    return { result: { code: CODE.unwillingToPerform, text: 'unknown cookie' } }
  const controls = paging === undefined ? {} : { controls: LAST_PAGE }
  if (scene === 'root') {
    if (request.scope !== 0) return { result: { code: CODE.noSuchObject } }
    const isAsked = matches(request.filter, rootMatched()) === true
    const found = isAsked ? [rootDse(directory)] : []
    return { ...listed(message.id, request, found), ...controls }
  }
  const key = keyOf(request.base)
  if (key === undefined) return { result: { code: CODE.invalidDnSyntax } }
  const entries = directory.entriesFor(await accounts(), scene)
  if (!entries.some((entry) => entry.key === key)) return { result: { code: CODE.noSuchObject } }
  const found = entries.filter(
    (entry) =>
      isInScope(entry.key, key, request.scope) && matches(request.filter, entry.matched) === true,
  )
  return { ...listed(message.id, request, found), ...controls }
}

/** @param reader Stands behind the base. */
function readSearch(reader: BerReader, base: Buffer): SearchRequest | Result {
  const scope = reader.readInteger(TAG.enumerated)
  const deref = reader.readInteger(TAG.enumerated)
  const sizeLimit = reader.readInteger()
  const timeLimit = reader.readInteger()
  const typesOnly = reader.readBoolean()
  if (sizeLimit < 0 || timeLimit < 0) throw new BerError('a negative limit')
  if (scope < 0 || scope > 2 || deref < 0 || deref > 3) return { code: CODE.protocolError }
  try {
    const filter = readFilter(reader)
    const list = reader.nested(TAG.sequence)
    const attributes: string[] = []
    while (!list.isAtEnd) {
      if (attributes.length === MAX_ATTRIBUTES) return { code: CODE.adminLimitExceeded }
      attributes.push(list.read(TAG.octets).toString())
    }
    reader.end()
    const text = utf8(base)
    if (text === undefined) return { code: CODE.invalidDnSyntax }
    return { base: text, scope, sizeLimit, typesOnly, filter, attributes }
  } catch (error) {
    if (error instanceof FilterTooLarge) return { code: CODE.adminLimitExceeded }
    throw error
  }
}

function keyOf(dn: string): string | undefined {
  try {
    return dnKey(parseDn(dn))
  } catch {
    return undefined
  }
}

function isInScope(key: string, base: string, scope: number): boolean {
  if (scope === 0) return key === base
  const isBelow = key.endsWith(`,${base}`)
  if (scope === 2) return isBelow || key === base
  // In a key, a comma inside a value has a backslash before it.
  return isBelow && !/(?<!\\)(?:\\\\)*,/.test(key.slice(0, -base.length - 1))
}

function listed(id: number, request: SearchRequest, found: Entry[]): Answer {
  const { sizeLimit } = request
  const isCut = sizeLimit > 0 && found.length > sizeLimit
  return {
    result: { code: isCut ? CODE.sizeLimitExceeded : CODE.success },
    entries: encoded(id, request, isCut ? found.slice(0, sizeLimit) : found),
  }
}

function* encoded(id: number, request: SearchRequest, found: Entry[]): Iterable<Buffer> {
  for (const entry of found) yield entryMessage(id, entry.dn, selected(entry, request))
}

/** Returns the attributes that are asked for, spelled as asked, each once. */
function selected({ attributes, uuid }: Entry, { attributes: asked, typesOnly }: SearchRequest) {
  const all = new Map<string, readonly [string, readonly string[]]>()
  const add = (name: string, values: readonly string[]) => {
    const key = name.toLowerCase()
    if (!all.has(key)) all.set(key, [name, typesOnly ? [] : values])
  }
  const names = asked.length === 0 ? ['*'] : asked
  // Those that are named come first, so that they keep the spelling of the client.
  for (const name of names) {
    const values = [...attributes].find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1]
    if (values !== undefined) add(name, values)
    if (name.toLowerCase() === 'entryuuid' && uuid !== '') add(name, [uuid])
  }
  if (names.includes('*')) for (const [name, values] of attributes) add(name, values)
  if (names.includes('+') && uuid !== '') add('entryUUID', [uuid])
  return [...all.values()]
}

function rootMatched() {
  return new Map([['objectclass', ['top']]])
}

function rootDse(directory: Directory): Entry {
  const attributes = new Map([
    ['objectClass', ['top']],
    ['namingContexts', [directory.base]],
    ['supportedLDAPVersion', ['3']],
    ['supportedExtension', [WHO_AM_I]],
    ['supportedControl', [PAGING]],
    ['supportedFeatures', ['1.3.6.1.4.1.4203.1.5.1', '1.3.6.1.4.1.4203.1.5.3']],
    ['vendorName', ['Latchkey']],
  ])
  return { dn: '', key: '', attributes, matched: rootMatched(), uuid: '' }
}

/** @throws {BerError} When the value of the control is malformed. */
function cookieOf(value: Buffer | undefined): Buffer {
  const whole = new BerReader(value ?? Buffer.of())
  const reader = whole.nested(TAG.sequence)
  whole.end()
  reader.readInteger()
  const cookie = reader.read(TAG.octets)
  reader.end()
  return cookie
}

const LAST_PAGE = element(
  0xa0,
  element(
    TAG.sequence,
    element(TAG.octets, PAGING),
    element(TAG.octets, element(TAG.sequence, integer(0), element(TAG.octets))),
  ),
)
