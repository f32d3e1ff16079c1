import { fromBase64Url, toBase64 } from '../../core/base/encoding.ts'
import { isoTime } from '../../core/base/time.ts'
import type { StoredPasskey } from './store.ts'

/** Returns a passkey in the form that the stock client lists (docs/interface.md, Values). */
export function passkeyRecord(passkey: StoredPasskey) {
  const { credentialId, aaguid, name, createdAt, lastUsedAt } = passkey
  return {
    id: toBase64(fromBase64Url(credentialId) ?? new Uint8Array()),
    fingerprint: aaguid.toUpperCase().replaceAll(/..(?=.)/g, '$& '),
    name,
    created_at: isoTime(createdAt),
    ...(lastUsedAt !== null && { last_used_at: isoTime(lastUsedAt) }),
  }
}

/** Like `passkeyRecord`, with everything that operators see. */
export function operatorPasskeyRecord(passkey: StoredPasskey) {
  const { rpId, transports, backupEligible, backedUp } = passkey
  return {
    ...passkeyRecord(passkey),
    rp_id: rpId,
    transports: transports === '' ? [] : transports.split(' '),
    /** Null for an imported passkey that has not been used here. */
    backup_eligible: backupEligible,
    backed_up: backedUp,
  }
}
