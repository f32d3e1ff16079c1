import { fromBase64Url, toBareBase64 } from '../../src/core/base/encoding.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** Encodes bytes as `PublicKeyCredential.toJSON()` does. */
export function base64url(bytes: Uint8Array): string {
  return toBareBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}

export function bytesOf(text: string): Bytes {
  const bytes = fromBase64Url(text)
  if (bytes === undefined) throw new Error(`${text} is not base64url`)
  return bytes
}

type CborInput = number | string | Uint8Array | null | boolean | CborInput[] | CborPairs
export type CborPairs = Map<number | string, CborInput>

/** Encodes CBOR as authenticators do: definite lengths, in their shortest form. */
export function cbor(value: CborInput): Bytes {
  if (value === false) return Uint8Array.of(0xf4)
  if (value === true) return Uint8Array.of(0xf5)
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    const text = new TextEncoder().encode(value)
    return concat(head(3, text.length), text)
  }
  if (value instanceof Uint8Array) return concat(head(2, value.length), value)
  if (Array.isArray(value)) return concat(head(4, value.length), ...value.map(cbor))
  const pairs = Array.from(value).flatMap(([key, member]) => [cbor(key), cbor(member)])
  return concat(head(5, value.size), ...pairs)
}

function head(major: number, argument: number): Bytes {
  if (argument < 24) return Uint8Array.of(major * 32 + argument)
  if (argument < 256) return Uint8Array.of(major * 32 + 24, argument)
  if (argument < 65_536) return Uint8Array.of(major * 32 + 25, argument >> 8, argument & 255)
  const bytes = new Uint8Array(5)
  bytes[0] = major * 32 + 26
  new DataView(bytes.buffer).setUint32(1, argument)
  return bytes
}

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** Encodes an ECDSA signature r‖s in DER. */
export function derSignature(raw: Uint8Array): Bytes {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].map((scalar) => {
    const first = scalar.findIndex((byte) => byte !== 0)
    const digits = scalar.subarray(first === -1 ? 31 : first)
    const sign = (digits[0] ?? 0) >= 0x80 ? [0] : []
    return concat(Uint8Array.of(2, digits.length + sign.length, ...sign), digits)
  })
  const body = concat(...integers)
  return concat(Uint8Array.of(0x30, body.length), body)
}

export type KeyType = 'ES256' | 'EdDSA' | 'RS256'

const KEYS = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  },
} as const

/** Those of all passkeys with RS256, because they take 300 ms to make. */
let rsaKeys: CryptoKeyPair | undefined

async function makeKeys(keyType: KeyType): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey(KEYS[keyType], true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('no key pair')
  return pair
}

const FLAG = { up: 1, uv: 4, be: 8, bs: 16, at: 64, ed: 128 }

/** The changes of a test in an answer. */
export interface Tampering {
  type?: string
  challenge?: string
  origin?: string
  /** Further members of `clientDataJSON`. */
  clientData?: Record<string, unknown>
  rpId?: string
  userPresent?: boolean
  userVerified?: boolean
  backupEligible?: boolean
  backedUp?: boolean
  counter?: number
  /** Replaces the COSE key. */
  publicKey?: Uint8Array
  fmt?: string
  attStmt?: CborPairs
  /** Bytes after the authenticator data. */
  trailing?: Uint8Array
  extensions?: CborPairs
  attested?: boolean
  id?: Uint8Array
  userHandle?: Uint8Array | null
  signature?: Uint8Array
  transports?: string[]
}

interface CreationOptions {
  rp: { id: string }
  user: { id: string }
  challenge: string
}

interface RequestOptions {
  rpId: string
  challenge: string
}

/** A passkey in software, as a browser and an authenticator would answer for it. */
export class SoftwarePasskey {
  readonly id: Bytes
  /** COSE_Key. */
  readonly publicKey: Bytes
  readonly keyType: KeyType
  userHandle: Bytes = new Uint8Array()
  counter = 0
  /** A synced passkey: BE and BS are set, and the counter stays 0. */
  isSynced = false
  /** The origin that the browser sends. */
  origin: string
  readonly #key: CryptoKey

  private constructor(
    keyType: KeyType,
    key: CryptoKey,
    publicKey: Bytes,
    id: Bytes,
    origin: string,
  ) {
    this.keyType = keyType
    this.#key = key
    this.publicKey = publicKey
    this.id = id
    this.origin = origin
  }

  static async make(
    keyType: KeyType = 'ES256',
    { id = crypto.getRandomValues(new Uint8Array(32)), origin = 'http://localhost' } = {},
  ): Promise<SoftwarePasskey> {
    const pair =
      keyType === 'RS256' ? (rsaKeys ??= await makeKeys(keyType)) : await makeKeys(keyType)
    const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
    if (jwk instanceof ArrayBuffer) throw new Error('no JWK')
    return new SoftwarePasskey(keyType, pair.privateKey, coseOf(keyType, jwk), id, origin)
  }

  /** The same passkey on a device that knows nothing of what happens to this one from now on. */
  copy(): SoftwarePasskey {
    const { keyType, publicKey, id, origin, userHandle, counter, isSynced } = this
    const copy = new SoftwarePasskey(keyType, this.#key, publicKey, id, origin)
    return Object.assign(copy, { userHandle, counter, isSynced })
  }

  /** The id as lists show it. */
  get listedId(): string {
    return btoa(String.fromCharCode(...this.id))
  }

  /** The answer to `navigator.credentials.create`, as JSON. */
  async create({ rp, user, challenge }: CreationOptions, change: Tampering = {}) {
    this.userHandle = bytesOf(user.id)
    const authData = await this.#authData(rp.id, true, change)
    const object: CborPairs = new Map<string, CborInput>([
      ['fmt', change.fmt ?? 'none'],
      ['attStmt', change.attStmt ?? new Map()],
      ['authData', authData],
    ])
    return {
      id: base64url(this.id),
      rawId: base64url(this.id),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(this.#clientData('webauthn.create', challenge, change)),
        attestationObject: base64url(cbor(object)),
        transports: change.transports ?? ['internal', 'hybrid'],
      },
    }
  }

  /** The answer to `navigator.credentials.get`, as JSON. */
  async get({ rpId, challenge }: RequestOptions, change: Tampering = {}) {
    if (!this.isSynced) this.counter += 1
    const authData = await this.#authData(rpId, false, change)
    const clientData = this.#clientData('webauthn.get', challenge, change)
    const signature = change.signature ?? (await this.sign(authData, clientData))
    const userHandle = change.userHandle === undefined ? this.userHandle : change.userHandle
    return {
      id: base64url(this.id),
      rawId: base64url(this.id),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(userHandle !== null && { userHandle: base64url(userHandle) }),
      },
    }
  }

  async sign(authData: Uint8Array, clientData: Bytes): Promise<Bytes> {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', clientData))
    const { name } = KEYS[this.keyType]
    const algorithm = name === 'ECDSA' ? { name, hash: 'SHA-256' } : name
    const signed = await crypto.subtle.sign(algorithm, this.#key, concat(authData, hash))
    const signature = new Uint8Array(signed)
    return this.keyType === 'ES256' ? derSignature(signature) : signature
  }

  #clientData(type: string, challenge: string, change: Tampering): Bytes {
    const data = {
      type: change.type ?? type,
      challenge: change.challenge ?? challenge,
      origin: change.origin ?? this.origin,
      crossOrigin: false,
      ...change.clientData,
    }
    return Uint8Array.from(new TextEncoder().encode(JSON.stringify(data)))
  }

  async #authData(rpId: string, isNew: boolean, change: Tampering): Promise<Bytes> {
    const rpIdBytes = Uint8Array.from(new TextEncoder().encode(change.rpId ?? rpId))
    const rpIdHash = new Uint8Array(await crypto.subtle.digest('SHA-256', rpIdBytes))
    const isAttested = change.attested ?? isNew
    const set = [
      (change.userPresent ?? true) && FLAG.up,
      (change.userVerified ?? true) && FLAG.uv,
      (change.backupEligible ?? this.isSynced) && FLAG.be,
      (change.backedUp ?? this.isSynced) && FLAG.bs,
      isAttested && FLAG.at,
      change.extensions && FLAG.ed,
    ]
    const flags = set.reduce<number>((sum, flag) => sum + Number(flag ?? 0), 0)
    const counter = new Uint8Array(4)
    new DataView(counter.buffer).setUint32(0, change.counter ?? this.counter)
    const id = change.id ?? this.id
    const attested = isAttested
      ? [
          AAGUID,
          Uint8Array.of(id.length >> 8, id.length & 255),
          id,
          change.publicKey ?? this.publicKey,
        ]
      : []
    return concat(
      rpIdHash,
      Uint8Array.of(flags),
      counter,
      ...attested,
      ...(change.extensions ? [cbor(change.extensions)] : []),
      change.trailing ?? new Uint8Array(),
    )
  }
}

/** The model that every software passkey says it is. */
export const AAGUID = Uint8Array.from({ length: 16 }, (_, i) => 0xa0 + i)

function coseOf(keyType: KeyType, { x = '', y = '', n = '', e = '' }: JsonWebKey): Bytes {
  if (keyType === 'ES256') return ecKey(bytesOf(x), bytesOf(y))
  if (keyType === 'EdDSA')
    return cbor(
      new Map<number, CborInput>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytesOf(x)],
      ]),
    )
  return cbor(
    new Map<number, CborInput>([
      [1, 3],
      [3, -257],
      [-1, bytesOf(n)],
      [-2, bytesOf(e)],
    ]),
  )
}

/** The COSE key of a point of P-256. */
export function ecKey(x: Uint8Array, y: Uint8Array): Bytes {
  return cbor(
    new Map<number, CborInput>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x],
      [-3, y],
    ]),
  )
}
