import type { SsoPlatform } from '../../core/base/sso-platforms.ts'
import type { SsoConfig } from './config.ts'
import { createDingtalk } from './dingtalk.ts'
import { createGithub } from './github.ts'
import { createMicrosoft } from './microsoft.ts'
import { GOOGLE_ISSUER } from '../../core/base/sso-platforms.ts'
import { createOpenId } from './openid.ts'
import type { Asking, Provider } from './provider-types.ts'

export function providerOf(config: SsoConfig, asking: Asking): Provider {
  return CREATORS[config.platform](config, asking)
}

const CREATORS: Record<SsoPlatform, (config: SsoConfig, asking: Asking) => Provider> = {
  OIDC: (config, asking) => createOpenId(config, config.endpoint, asking),
  Casdoor: (config, asking) => createOpenId(config, config.endpoint, asking),
  Google: (config, asking) => createOpenId(config, GOOGLE_ISSUER, asking),
  Microsoft: createMicrosoft,
  Github: createGithub,
  Dingtalk: createDingtalk,
}
