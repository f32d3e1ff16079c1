import { own } from '../../base/own.ts'
import type { Texts } from '../texts/en.ts'

/** Returns the name of an identity provider as pages show it. */
export function providerName(t: Texts, platform: string): string {
  return own(t.sso.platforms, platform) ?? platform
}
