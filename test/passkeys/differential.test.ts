import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  verifyAssertion,
  verifyRegistration,
} from '../../src/capabilities/passkeys/verification.ts'
import { PasskeyError, type PasskeyReason } from '../../src/capabilities/passkeys/reasons.ts'
import {
  base64url,
  bytesOf,
  type KeyType,
  SoftwarePasskey,
  type Tampering,
} from '../support/passkey.ts'

// Two implementations verify two thousand signatures each, which takes a few seconds.
const MILLISECONDS = 120_000

const ORIGIN = 'https://example.org'
const RP_ID = 'example.org'
const KEY_TYPES: KeyType[] = ['ES256', 'EdDSA', 'RS256']
/** Answers of each kind and key type: 2 × 3 × 350 = 2,100. */
const ANSWERS = 350

/**
 * Why ours refuses what SimpleWebAuthn accepts:
 *
 * - It does not compare the id of the answer with that in the authenticator data.
 * - It does not compare the backup eligibility with that at registration.
 * - It checks points, RSA keys and the parameters of a key only when it verifies a signature.
 * - It reads CBOR with repeated keys, and ignores what follows an attestation object.
 * - It reads DER that is not strict.
 * - It allows frames of other sites when they name no top origin, and at registration always.
 * - Its text decoder takes client data that is not UTF-8.
 * - It takes an empty text or array as the empty attestation statement.
 */
const STRICTER: readonly PasskeyReason[] = [
  'credential id',
  'backup eligibility',
  'public key',
  'cbor',
  'signature',
  'cross origin',
  'client data',
  'attestation',
]

type Verdict = 'accepted' | PasskeyReason

async function ours(verifying: Promise<unknown>): Promise<Verdict> {
  return verifying.then(
    () => 'accepted' as const,
    (error: unknown) => {
      if (error instanceof PasskeyError) return error.reason
      throw error
    },
  )
}

async function theirs(verifying: Promise<{ verified: boolean }>): Promise<boolean> {
  return verifying.then(
    ({ verified }) => verified,
    () => false,
  )
}

/** Changes that a test makes before the answer is signed: each breaks a clause, or none. */
const tampering: fc.Arbitrary<Tampering> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc
    .record(
      {
        type: fc.constantFrom('webauthn.get', 'webauthn.create', 'payment.get'),
        origin: fc.constantFrom(ORIGIN, `${ORIGIN}/`, 'http://example.org', 'https://evil.example'),
        rpId: fc.constantFrom(RP_ID, 'evil.example', 'www.example.org'),
        challenge: fc.constantFrom('A'.repeat(43), ''),
        userPresent: fc.boolean(),
        userVerified: fc.boolean(),
        backupEligible: fc.boolean(),
        backedUp: fc.boolean(),
        counter: fc.integer({ min: 0, max: 20 }),
        extensions: fc.constantFrom(new Map([['credProtect', 2]]), new Map([['uvm', [[1, 2, 3]]]])),
        trailing: fc.uint8Array({ minLength: 1, maxLength: 3 }),
        clientData: fc.constantFrom(
          { crossOrigin: true },
          { crossOrigin: undefined },
          { topOrigin: ORIGIN },
          { other: [1] },
        ),
      },
      { requiredKeys: [] },
    )
    .map((change) => {
      // A record with all its keys breaks a clause almost always, so most keep one or two.
      const names = Object.keys(change).slice(0, 2)
      return Object.fromEntries(Object.entries(change).filter(([name]) => names.includes(name)))
    }),
)

/** What happens to a member of an answer after it was signed. */
const damage = fc.record({
  member: fc.nat(),
  how: fc.constantFrom('none', 'none', 'flip', 'flip', 'cut', 'append', 'random'),
  at: fc.nat(),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 80 }),
})

function damaged(text: string, { how, at, bytes }: { how: string; at: number; bytes: Uint8Array }) {
  const before = bytesOf(text)
  const index = before.length === 0 ? 0 : at % before.length
  if (how === 'cut') return base64url(before.slice(0, index))
  if (how === 'append') return base64url(Uint8Array.from([...before, ...bytes.slice(0, 2)]))
  if (how === 'random') return base64url(bytes)
  if (how === 'none') return text
  const flipped = Uint8Array.from(before)
  flipped[index] = (flipped[index] ?? 0) ^ (1 << (at & 7))
  return base64url(flipped)
}

function withDamage<Response extends object>(
  response: Response,
  names: readonly (keyof Response & string)[],
  change: { member: number; how: string; at: number; bytes: Uint8Array },
): Response {
  const name = names[change.member % names.length]
  const text: unknown = name && response[name]
  if (name === undefined || typeof text !== 'string') return response
  return { ...response, [name]: damaged(text, change) }
}

/** Equal verdicts, or ours is stricter in a way that is listed. */
function compare(
  mine: Verdict,
  isTheirs: boolean,
  about: unknown,
  tally: Map<string, number>,
): void {
  const isEqual = (mine === 'accepted') === isTheirs
  const key = isEqual ? (isTheirs ? 'both accept' : 'both refuse') : `ours refuses: ${mine}`
  tally.set(key, (tally.get(key) ?? 0) + 1)
  if (isEqual) return
  expect(mine, `only theirs refuses ${JSON.stringify(about)}`).not.toBe('accepted')
  expect(STRICTER, JSON.stringify(about)).toContain(mine)
}

const challenge = crypto.getRandomValues(new Uint8Array(32))
const challengeText = base64url(challenge)
const expected = { challenge, origins: [ORIGIN], rpId: RP_ID }
const theirExpectation = {
  expectedChallenge: challengeText,
  expectedOrigin: ORIGIN,
  expectedRPID: RP_ID,
  requireUserVerification: true,
}

describe('the verdicts of SimpleWebAuthn and ours', () => {
  test.each(KEY_TYPES)(
    'agree on registrations with %s',
    async (keyType) => {
      const passkey = await SoftwarePasskey.make(keyType, { origin: ORIGIN })
      const options = { rp: { id: RP_ID }, user: { id: 'AwAAAAAAAAA' }, challenge: challengeText }
      const tally = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(tampering, damage, async (change, harm) => {
          const whole = await passkey.create(options, change)
          const response = withDamage(whole.response, ['attestationObject', 'clientDataJSON'], harm)
          if (!hasFormatNone(response.attestationObject)) return
          const answer: RegistrationResponseJSON = {
            id: whole.id,
            rawId: whole.rawId,
            type: 'public-key',
            clientExtensionResults: {},
            response: {
              clientDataJSON: response.clientDataJSON,
              attestationObject: response.attestationObject,
            },
          }
          const mine = await ours(
            verifyRegistration(expected, {
              id: passkey.id,
              clientDataJson: bytesOf(response.clientDataJSON),
              attestationObject: bytesOf(response.attestationObject),
            }),
          )
          const verdict = await theirs(
            verifyRegistrationResponse({
              ...theirExpectation,
              response: answer,
              supportedAlgorithmIDs: [-7, -8, -257],
            }),
          )
          compare(mine, verdict, { change, harm }, tally)
        }),
        { numRuns: ANSWERS },
      )
      expect(tally.get('both accept')).toBeGreaterThan(ANSWERS / 20)
      expect(tally.get('both refuse')).toBeGreaterThan(ANSWERS / 20)
    },
    MILLISECONDS,
  )

  test.each(KEY_TYPES)(
    'agree on assertions with %s',
    async (keyType) => {
      const passkey = await SoftwarePasskey.make(keyType, { origin: ORIGIN })
      const tally = new Map<string, number>()
      const signCount = 10
      await fc.assert(
        fc.asyncProperty(tampering, damage, async (change, harm) => {
          passkey.counter = signCount
          const whole = await passkey.get({ rpId: RP_ID, challenge: challengeText }, change)
          const response = withDamage(
            whole.response,
            ['signature', 'authenticatorData', 'clientDataJSON'],
            harm,
          )
          const answer: AuthenticationResponseJSON = {
            id: whole.id,
            rawId: whole.rawId,
            type: 'public-key',
            clientExtensionResults: {},
            response,
          }
          const mine = await ours(
            verifyAssertion(
              expected,
              { publicKey: passkey.publicKey, signCount, isBackupEligible: false },
              {
                clientDataJson: bytesOf(response.clientDataJSON),
                authenticatorData: bytesOf(response.authenticatorData),
                signature: bytesOf(response.signature),
              },
            ),
          )
          const verdict = await theirs(
            verifyAuthenticationResponse({
              ...theirExpectation,
              response: answer,
              credential: { id: whole.id, publicKey: passkey.publicKey, counter: signCount },
            }),
          )
          compare(mine, verdict, { change, harm }, tally)
        }),
        { numRuns: ANSWERS },
      )
      expect(tally.get('both accept')).toBeGreaterThan(ANSWERS / 20)
      expect(tally.get('both refuse')).toBeGreaterThan(ANSWERS / 20)
    },
    MILLISECONDS,
  )
})

/** `a3 "fmt" "none" "attStmt" {}`, as the software passkey writes it. */
function hasFormatNone(attestationObject: string): boolean {
  const bytes = bytesOf(attestationObject)
  return base64url(bytes.slice(0, 10)) === 'o2NmbXRkbm9uZQ'.slice(0, 14)
}
