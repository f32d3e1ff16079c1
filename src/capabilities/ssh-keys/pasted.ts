import { fromBase64, toHex } from '../../core/base/encoding.ts'
import { CURVES } from '../../core/crypto/curves.ts'
import { DerReader, TAG } from './der.ts'
import { KeyError, WireReader, wireString } from '../../core/crypto/wire.ts'
import { isPrivateKey } from '../../core/crypto/private-key.ts'

/** The parts of OpenSSH's one-line form of a key. */
interface KeyLine {
  type: string
  blob: Uint8Array<ArrayBuffer>
  comment: string
}

const MAX_BYTES = 16 * 1024
const BLANKS = ' \t\r\n'
const LINE_ENDS = '\r\n'

const KEY_TYPE = /^(ssh-|ecdsa-|sk-|rsa-sha2-|x509v3-)[\w@.-]+$/

/** Object identifiers in DER. @see RFC 8017 appendix A.1, RFC 5480 section 2.1.1, RFC 8410 section 3 */
const OID = { rsa: '2a864886f70d010101', ec: '2a8648ce3d0201', ed25519: '2b6570' }

/**
 * Finds the one public key in a pasted text: the line of a `.pub` file, PuTTYgen's format (RFC
 * 4716), or PEM (RFC 7468 section 13, RFC 8017 appendix A.1.1). Lines of comment may stand above
 * it, as in `authorized_keys`.
 *
 * @throws {KeyError} With the reason, for any other text.
 */
export function readPasted(pasted: string): KeyLine {
  if (isPrivateKey(pasted)) throw new KeyError('keyIsPrivate')
  if (new TextEncoder().encode(pasted).length > MAX_BYTES) throw new KeyError('keyTooLong')
  const text = withoutCommentLines(trimBlanks(pasted))
  if (text.split('---- BEGIN ').length > 2) throw new KeyError('keySeveral')
  if (text.startsWith('---- BEGIN SSH2 PUBLIC KEY ----')) return readRfc4716(text)
  if (text.startsWith('-----BEGIN ')) return readPem(text)
  return readLine(text)
}

function readLine(text: string): KeyLine {
  const [line = '', ...more] = text.split(/[\r\n]+/)
  if (more.length > 0) throw new KeyError('keyLines')
  const [, type = '', base64 = '', comment = ''] =
    /^([^ \t]+)[ \t]+([^ \t]+)[ \t]*(.*)$/s.exec(line) ?? []
  if (!KEY_TYPE.test(type)) {
    const words = line.split(/[ \t]+/)
    const hasType = words.slice(1).some((word) => KEY_TYPE.test(word))
    throw new KeyError(hasType ? 'keyOptions' : 'keyWithoutType')
  }
  return { type, blob: decode(base64), comment: clean(comment) }
}

/**
 * Joins the lines of a key that a mail or a terminal has broken: the first has a type, the others
 * base64 alone, and the last may end with the comment. Pages do this; OpenList's API refuses such a
 * key, and so does ours.
 *
 * @returns The key in one line; any other text as it is.
 */
export function joinBrokenKey(pasted: string): string {
  const [first = '', ...more] = trimBlanks(pasted)
    .split(/[\r\n]+/)
    .map(trimBlanks)
  const last = more.pop()
  if (last === undefined || isPrivateKey(pasted)) return pasted
  const isBroken =
    /^[^ \t]+([ \t]+[A-Za-z\d+/]+)?$/.test(first) &&
    KEY_TYPE.test(first.split(/[ \t]/)[0] ?? '') &&
    more.every((line) => /^[A-Za-z\d+/]+$/.test(line)) &&
    /^[A-Za-z\d+/=]+([ \t]|$)/.test(last)
  if (!isBroken) return pasted
  const rest = [...more, last].join('')
  return /[ \t]/.test(first) ? first + rest : `${first} ${rest}`
}

/** @see RFC 4716 section 3 */
function readRfc4716(text: string): KeyLine {
  const [, inner = ''] =
    /^---- BEGIN SSH2 PUBLIC KEY ----\r?\n(.*?)\r?\n---- END SSH2 PUBLIC KEY ----$/s.exec(text) ??
    []
  const lines = inner.replaceAll(/\\\r?\n/g, '').split(/\r?\n/)
  const headers = lines.filter((line) => line.includes(':'))
  const body = lines.slice(headers.length)
  if (inner === '' || body.some((line) => line.includes(':') || line.length > 72)) {
    throw new KeyError('keySsh2Frame')
  }
  const comment =
    headers.find((header) => /^comment:/i.test(header))?.replace(/^comment:\s*/i, '') ?? ''
  return fromBlob(decode(body.join('')), comment.replace(/^"(.*)"$/, '$1'))
}

function readPem(text: string): KeyLine {
  const [, label, body = ''] =
    /^-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----$/.exec(text) ?? []
  if (label !== 'PUBLIC KEY' && label !== 'RSA PUBLIC KEY') {
    throw new KeyError('keyPemFrame')
  }
  const der = new DerReader(decode(body.replaceAll(/\s/g, '')))
  return fromBlob(label === 'PUBLIC KEY' ? readPublicKeyInfo(der) : readRsaPublicKey(der), '')
}

/** @see RFC 5280 section 4.1.2.7 */
function readPublicKeyInfo(der: DerReader): Uint8Array<ArrayBuffer> {
  const info = der.sequence()
  der.end()
  const algorithm = info.sequence()
  const oid = toHex(algorithm.value(TAG.objectId))
  const key = info.bitString()
  info.end()
  if (oid === OID.rsa) {
    algorithm.value(TAG.null)
    algorithm.end()
    return readRsaPublicKey(new DerReader(key))
  }
  if (oid === OID.ed25519) {
    algorithm.end()
    return blobOf('ssh-ed25519', key)
  }
  const curveOid = oid === OID.ec ? toHex(algorithm.value(TAG.objectId)) : ''
  const curve = CURVES.find((known) => known.oid === curveOid)
  if (curve === undefined) throw new KeyError('keyPemType')
  algorithm.end()
  return blobOf(`ecdsa-sha2-${curve.name}`, ascii(curve.name), key)
}

/** @see RFC 8017 appendix A.1.1 */
function readRsaPublicKey(der: DerReader): Uint8Array<ArrayBuffer> {
  const key = der.sequence()
  der.end()
  const modulus = key.value(TAG.integer)
  const exponent = key.value(TAG.integer)
  key.end()
  return blobOf('ssh-rsa', exponent, modulus)
}

function blobOf(type: string, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([ascii(type), ...parts].flatMap((part) => Array.from(wireString(part))))
}

function fromBlob(blob: Uint8Array<ArrayBuffer>, comment: string): KeyLine {
  return { type: new WireReader(blob).name('type'), blob, comment: clean(comment) }
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(base64)
  if (bytes === undefined) throw new KeyError('keyBase64')
  return bytes
}

/**
 * Removes the lines above the first line that is neither empty nor a comment.
 *
 * @see sshd(8), AUTHORIZED_KEYS FILE FORMAT
 */
function withoutCommentLines(text: string): string {
  let start = 0
  while (text[start] === '#') {
    while (start < text.length && !LINE_ENDS.includes(text.charAt(start))) start += 1
    while (start < text.length && BLANKS.includes(text.charAt(start))) start += 1
  }
  // Comments alone are the caller's key, and are refused as such.
  return start === text.length ? text : text.slice(start)
}

/**
 * Trims spaces in a loop, because a regular expression would scan a long run of spaces again from
 * each one.
 */
function trimBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/**
 * Returns the comment of a key.
 *
 * @throws {KeyError} When the comment contains control characters, which would be invisible or
 *   break the line.
 */
function clean(comment: string): string {
  const text = comment.replaceAll('\t', ' ').trim()
  if (/\p{Cc}/u.test(text)) throw new KeyError('keyComment')
  return text
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
