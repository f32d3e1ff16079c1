import * as base64url from 'jose/base64url'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Makes the secret of a webhook, as the libraries of Standard Webhooks read it. */
export function makeWebhookSecret(randomBytes: (length: number) => Uint8Array): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES))
}

/**
 * Signs a webhook: HMAC-SHA-256 over id, time and body, separated by dots.
 *
 * @param secret As `makeWebhookSecret` returns it.
 * @param timestampSeconds Of this attempt; receivers refuse an old one.
 * @returns The three headers.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signatureHeaders(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: string,
): Promise<Record<string, string>> {
  const bytes = new Uint8Array(base64url.decode(toBase64url(secret.slice(PREFIX.length))))
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign'])
  const signed = new TextEncoder().encode(`${id}.${timestampSeconds}.${body}`)
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${toBase64(signature)}`,
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function toBase64url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
