import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { openBox, type RandomSource, sealBox } from '../../core/crypto/sealed-box.ts'

export const MAIL_SECRET_USE = 'link in a mail'

/** Seals the secret of a link while its mail waits: the table of links has its hash only. */
export function sealSecret(deps: RandomSource, ring: KeyRing, secret: string): Promise<string> {
  return sealBox(deps, ring, new Uint8Array(new TextEncoder().encode(secret)), MAIL_SECRET_USE)
}

/** @throws {Error} As `openBox`. */
export async function openSecret(ring: KeyRing, sealed: string): Promise<string> {
  if (sealed === '') return ''
  return new TextDecoder().decode(
    await openBox(ring, sealed, MAIL_SECRET_USE, 'the link in a mail'),
  )
}
