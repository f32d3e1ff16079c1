import { hash, hkdfSync, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/*
 * The encryption that OpenList-Worker's DB_CIPHER chooses. A value is `enc:v<version>:` and parts in
 * hex, separated by colons.
 */

const ENCRYPTED = /^enc:v(\d+):(.*)$/s
const GCM_KEY_BYTES = 32
const PBKDF2_ITERATIONS = 100_000
/** Version 3 writes the length of the text before the text. */
const LENGTH_BYTES = 4

const derivePbkdf2 = promisify(pbkdf2)

export function isEncrypted(value: unknown): value is string {
  return typeof value === 'string' && ENCRYPTED.test(value)
}

/**
 * Opens a value that OpenList-Worker has encrypted.
 *
 * @param secret Its `JWT_SECRET`.
 * @returns `undefined` when the secret is another, or the value was altered.
 */
export async function openWorkerValue(value: string, secret: string): Promise<string | undefined> {
  const [, version = '', body = ''] = ENCRYPTED.exec(value) ?? []
  const parts = body.split(':').map((part) => Buffer.from(part, 'hex'))
  try {
    const bytes = await open(version, parts, secret)
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function open(
  version: string,
  [first = Buffer.of(), second = Buffer.of(), third = Buffer.of()]: Buffer[],
  secret: string,
): Promise<Buffer | undefined> {
  // Salt, nonce, ciphertext.
  if (version === '1') return openGcm(await passwordKey(secret, first), second, third)
  // Nonce, ciphertext.
  if (version === '2') return openGcm(configKey(secret), first, second)
  // Initialisation vector, ciphertext, authentication code.
  return version === '3' ? openCbc(secret, first, second, third) : undefined
}

function passwordKey(secret: string, salt: Buffer): Promise<Buffer> {
  return derivePbkdf2(secret, salt, PBKDF2_ITERATIONS, GCM_KEY_BYTES, 'sha256')
}

function configKey(secret: string): Buffer {
  const salt = 'openlist-config-encryption-v2'
  return Buffer.from(hkdfSync('sha256', secret, salt, 'AES-256-GCM', GCM_KEY_BYTES))
}

async function openGcm(key: Buffer, iv: Buffer, box: Buffer): Promise<Buffer> {
  const gcm = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
  return Buffer.from(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, gcm, box))
}

async function openCbc(
  secret: string,
  iv: Buffer,
  box: Buffer,
  code: Buffer,
): Promise<Buffer | undefined> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const mac = await crypto.subtle.importKey('raw', keyFor('mac', secret), algorithm, false, [
    'sign',
  ])
  const expected = Buffer.from(await crypto.subtle.sign('HMAC', mac, Buffer.concat([iv, box])))
  if (expected.length !== code.length || !timingSafeEqual(expected, code)) return undefined
  const cbc = await crypto.subtle.importKey('raw', keyFor('enc', secret), 'AES-CBC', false, [
    'decrypt',
  ])
  const plain = Buffer.from(await crypto.subtle.decrypt({ name: 'AES-CBC', iv }, cbc, box))
  return plain.subarray(LENGTH_BYTES, LENGTH_BYTES + plain.readUInt32BE(0))
}

function keyFor(use: 'enc' | 'mac', secret: string): Buffer {
  return hash('sha256', `openlist-db-cipher-v3-${use}|${secret}`, 'buffer')
}
