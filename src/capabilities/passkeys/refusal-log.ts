import type { Client } from '../../core/base/network.ts'
import { PasskeyError } from './reasons.ts'

/**
 * Logs why a passkey was refused. The client gets one message for all reasons.
 *
 * @returns The reason.
 * @throws Any other error, unchanged.
 */
export function logPasskeyRefusal(error: unknown, { network }: Client, userId?: number) {
  if (!(error instanceof PasskeyError)) throw error
  const { reason } = error
  console.log(JSON.stringify({ event: 'passkey_refused', reason, user: userId, network }))
  return reason
}
