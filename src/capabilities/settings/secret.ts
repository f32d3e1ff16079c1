import type { Deps } from '../../core/deps.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'
import type { SettingKey } from './defaults.ts'

/** Seals the value of a secret setting. A box of one setting does not open for another. */
export async function sealSetting(
  deps: Pick<Deps, 'keyRing' | 'randomBytes'>,
  key: SettingKey,
  value: string,
): Promise<string> {
  const bytes = new Uint8Array(new TextEncoder().encode(value))
  return sealBox(deps, await deps.keyRing(), bytes, settingUse(key))
}

/** Opens what `sealSetting` wrote. @throws {Error} When no entry of `SECRET_KEYS` opens it. */
export async function openSetting(ring: KeyRing, key: SettingKey, sealed: string): Promise<string> {
  return new TextDecoder().decode(
    await openBox(ring, sealed, settingUse(key), `the setting ${key}`),
  )
}

export function settingUse(key: string): string {
  return `setting ${key}`
}
