import { createCipheriv, createHmac, hash, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEncrypted, openWorkerValue } from '../../src/programs/import/worker-cipher.ts'

const SECRET = 'a secret of OpenList-Worker'

const parts = (version: number, ...bytes: Buffer[]) =>
  `enc:v${version}:${bytes.map((part) => part.toString('hex')).join(':')}`

function gcm(text: string, key: Buffer): [iv: Buffer, box: Buffer] {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return [iv, Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])]
}

/** The three forms, made with other functions than those that open them. */
const seal: Record<string, (text: string, secret: string) => string> = {
  'aes-256-gcm-pbkdf2'(text, secret) {
    const salt = randomBytes(16)
    return parts(1, salt, ...gcm(text, pbkdf2Sync(secret, salt, 100_000, 32, 'sha256')))
  },
  'aes-256-gcm'(text, secret) {
    const key = hkdfSync('sha256', secret, 'openlist-config-encryption-v2', 'AES-256-GCM', 32)
    return parts(2, ...gcm(text, Buffer.from(key)))
  },
  'aes-256-cbc-hmac'(text, secret) {
    const key = (use: string) => hash('sha256', `openlist-db-cipher-v3-${use}|${secret}`, 'buffer')
    const iv = randomBytes(16)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(text))
    const cipher = createCipheriv('aes-256-cbc', key('enc'), iv)
    const box = Buffer.concat([cipher.update(length), cipher.update(text), cipher.final()])
    return parts(3, iv, box, createHmac('sha256', key('mac')).update(iv).update(box).digest())
  },
}

describe.each(Object.keys(seal))('a value under %s', (cipher) => {
  const sealed = (text: string, secret = SECRET) => seal[cipher]?.(text, secret) ?? ''

  test('is opened with its secret, and with no other', async () => {
    for (const text of ['', 'JBSWY3DPEHPK3PXP', '密码 🔑', 'x'.repeat(1000)]) {
      expect(await openWorkerValue(sealed(text), SECRET)).toBe(text)
      expect(await openWorkerValue(sealed(text, 'another'), SECRET)).toBeUndefined()
    }
  })

  test('is not opened when it was altered', async () => {
    const value = sealed('JBSWY3DPEHPK3PXP')
    const end = value.endsWith('0') ? '1' : '0'
    expect(await openWorkerValue(value.slice(0, -1) + end, SECRET)).toBeUndefined()
    expect(await openWorkerValue(value.slice(0, -2), SECRET)).toBeUndefined()
  })
})

test('any other text is opened to nothing', async () => {
  const body = fc.stringMatching(/^[0-9a-f:]{0,80}$/)
  const text = fc
    .tuple(fc.constantFrom('2', '3', '4'), body)
    .map((item) => `enc:v${item.join(':')}`)
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      expect(await openWorkerValue(value, SECRET)).toBeUndefined()
    }),
  )
  for (const plain of ['', 'enc:', 'enc:v2', 'JBSWY3DP', null, 7])
    expect(isEncrypted(plain)).toBe(false)
})
