import { equalBytes, fromBase64Url } from '../../core/base/encoding.ts'
import { PasskeyError } from './reasons.ts'

/** The values that the client must have signed. */
interface ExpectedClientData {
  type: 'webauthn.create' | 'webauthn.get'
  challenge: Uint8Array
  /** Origins, exactly as browsers write them. */
  origins: readonly string[]
}

/**
 * Checks `clientDataJSON`. Other members are ignored, because browsers add some.
 *
 * @throws {PasskeyError}
 * @see https://www.w3.org/TR/webauthn-3/#dictionary-client-data
 */
export function checkClientData(bytes: Uint8Array, expected: ExpectedClientData): void {
  const data = parseClientData(bytes)
  if (data['type'] !== expected.type) throw new PasskeyError('type')
  const { challenge, origin, crossOrigin, topOrigin } = data
  const shown = typeof challenge === 'string' ? fromBase64Url(challenge) : undefined
  if (shown === undefined || !equalBytes(shown, expected.challenge))
    throw new PasskeyError('challenge')
  if (typeof origin !== 'string' || !expected.origins.includes(origin))
    throw new PasskeyError('origin')
  const isSameOrigin = crossOrigin === undefined || crossOrigin === false
  if (!isSameOrigin || topOrigin !== undefined) throw new PasskeyError('cross origin')
}

/** The checked members. Their types are those that the client has sent. */
interface ClientData {
  type?: unknown
  challenge?: unknown
  origin?: unknown
  crossOrigin?: unknown
  topOrigin?: unknown
}

function parseClientData(bytes: Uint8Array): ClientData {
  try {
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const data: unknown = JSON.parse(json)
    if (typeof data === 'object' && data !== null) return data
  } catch {
    // The parser's message is dropped: it quotes the client.
  }
  throw new PasskeyError('client data')
}
