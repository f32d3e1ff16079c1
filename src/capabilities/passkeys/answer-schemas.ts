import * as v from 'valibot'
import { fromBase64Url } from '../../core/base/encoding.ts'
import { nameText, possiblyEmptyName } from '../../core/base/text.ts'
import { MAX_NAME_CHARACTERS } from './session-text.ts'

/** Bytes as `PublicKeyCredential.toJSON()` writes them. */
const bytes = v.pipe(
  v.string(),
  v.check((encoded) => fromBase64Url(encoded) !== undefined, 'must be base64url without padding'),
  v.transform((encoded) => fromBase64Url(encoded) ?? new Uint8Array()),
)

/** The members that both ceremonies have. `rawId` repeats `id`. */
const credential = { id: bytes, rawId: v.string(), type: v.literal('public-key') }

/** The answer of `navigator.credentials.get`. */
export const assertionSchema = v.object({
  ...credential,
  response: v.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: v.nullish(bytes),
  }),
})

/** The answer of `navigator.credentials.create`. */
export const registrationAnswerSchema = v.object({
  ...credential,
  response: v.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: v.nullish(v.array(v.string()), []),
  }),
})

export type AssertionAnswer = v.InferOutput<typeof assertionSchema>
export type RegistrationAnswer = v.InferOutput<typeof registrationAnswerSchema>

/** The name in a request to add a passkey; empty for the default name. */
export const newNameSchema = v.optional(possiblyEmptyName(MAX_NAME_CHARACTERS), '')

export const nameSchema = nameText(MAX_NAME_CHARACTERS)

/** The transports of Level 3. Others are left out: they are hints that a browser would ignore. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

export function knownTransports(given: readonly string[] | null | undefined): string[] {
  return TRANSPORTS.filter((transport) => given?.includes(transport))
}
