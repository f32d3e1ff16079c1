import { bytesToHex } from '@noble/hashes/utils.js'
import * as base64url from 'jose/base64url'

export { bytesToHex as toHex }

/** Encodes bytes as padded base64 in the standard alphabet. @see RFC 4648 section 4 */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Encodes bytes as base64 without padding, as in PHC strings and SSH fingerprints. */
export function toBareBase64(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/=+$/, '')
}

/**
 * Decodes padded base64.
 *
 * @returns `undefined` unless `text` is exactly what `toBase64` writes: `atob` accepts white space
 *   and missing padding.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return text === toBase64(bytes) ? bytes : undefined
}

/** Like `fromBase64`, for text without padding. */
export function fromBareBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.includes('=')
    ? undefined
    : fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='))
}

/**
 * Decodes base64url without padding.
 *
 * @returns `undefined` unless `text` is the only encoding of its bytes.
 * @see RFC 4648 sections 3.5 and 5
 */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/[+/]/.test(text)) return undefined
  return fromBareBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}

/** Compares two byte strings; the time taken does not reveal where they differ. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

export async function sha256Hex(text: string): Promise<string> {
  return bytesToHex(await sha256(text))
}

/** Hashes a text with SHA-256, base64url. @see RFC 7636 section 4.2, whose challenges are this */
export async function sha256Base64Url(text: string): Promise<string> {
  return base64url.encode(await sha256(text))
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
