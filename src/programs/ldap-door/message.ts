import { BerError, BerReader, checkInteger, element, integer, TAG } from './ber.ts'

/** Result codes. @see RFC 4511 appendix A */
export const CODE = {
  success: 0,
  protocolError: 2,
  sizeLimitExceeded: 4,
  authMethodNotSupported: 7,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
} as const

export interface Result {
  code: number
  text?: string
}

interface Control {
  oid: string
  isCritical: boolean
  value: Buffer | undefined
}

export interface Message {
  id: number
  tag: number
  content: Buffer
  controls: Control[]
}

/** The tags of requests, and of the answers to them; without an answer for unbind and abandon. */
export const REQUEST = { bind: 0x60, unbind: 0x42, search: 0x63, abandon: 0x50, extended: 0x77 }
const ANSWERS = new Map([
  [0x60, 0x61],
  [0x63, 0x65],
  [0x66, 0x67],
  [0x68, 0x69],
  [0x4a, 0x6b],
  [0x6c, 0x6d],
  [0x6e, 0x6f],
  [0x77, 0x78],
])
const MAX_ID = 0x7fffffff

/** Reads a message, without its outer tag and length. @throws {BerError} */
export function readMessage(content: Buffer): Message {
  const reader = new BerReader(content)
  const id = reader.readInteger()
  if (id < 1 || id > MAX_ID) throw new BerError('a wrong message id')
  const { tag, content: operation } = reader.readAny()
  if (!ANSWERS.has(tag) && tag !== REQUEST.unbind && tag !== REQUEST.abandon)
    throw new BerError('an unknown operation')
  const controls = reader.tag === 0xa0 ? readControls(reader.nested(0xa0)) : []
  reader.end()
  if (tag === REQUEST.unbind) new BerReader(operation).end()
  if (tag === REQUEST.abandon) checkInteger(operation)
  return { id, tag, content: operation, controls }
}

function readControls(reader: BerReader): Control[] {
  const controls: Control[] = []
  while (!reader.isAtEnd) {
    const control = reader.nested(TAG.sequence)
    const oid = control.read(TAG.octets).toString()
    const isCritical = control.tag === TAG.boolean && control.readBoolean()
    const value = control.tag === TAG.octets ? control.read(TAG.octets) : undefined
    control.end()
    controls.push({ oid, isCritical, value })
  }
  return controls
}

/** Writes the answer to a request. */
export function answerTo(
  { id, tag }: Pick<Message, 'id' | 'tag'>,
  { code, text = '' }: Result,
  controls?: Buffer,
  ...more: Buffer[]
): Buffer {
  const result = [
    integer(code, TAG.enumerated),
    element(TAG.octets),
    element(TAG.octets, text),
    ...more,
  ]
  const operation = element(ANSWERS.get(tag) ?? 0x78, ...result)
  return element(TAG.sequence, integer(id), operation, ...(controls ? [controls] : []))
}

/** Writes an entry of a search. */
export function entryMessage(
  id: number,
  dn: string,
  attributes: readonly (readonly [name: string, values: readonly string[]])[],
): Buffer {
  const list = attributes.map(([name, values]) =>
    element(
      TAG.sequence,
      element(TAG.octets, name),
      element(TAG.set, ...values.map((value) => element(TAG.octets, value))),
    ),
  )
  const entry = element(0x64, element(TAG.octets, dn), element(TAG.sequence, ...list))
  return element(TAG.sequence, integer(id), entry)
}

/** Tells a client that its connection ends. @see RFC 4511 section 4.4.1 */
export const NOTICE_OF_DISCONNECTION = element(
  TAG.sequence,
  integer(0),
  element(
    0x78,
    integer(CODE.protocolError, TAG.enumerated),
    element(TAG.octets),
    element(TAG.octets),
    element(0x8a, '1.3.6.1.4.1.1466.20036'),
  ),
)
