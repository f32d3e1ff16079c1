import { isUnder } from '../../core/base/passkey-site.ts'
import { varsFile } from '../site/dev-vars.ts'
import { failure, type Finding, good, warning } from '../kit/findings.ts'
import type { Facts } from './doctor-facts.ts'

/** Cloudflare's domain of Workers. It is on the public suffix list. */
const WORKERS_DOMAIN = 'workers.dev'

const FIX_WORKERS =
  'before users add passkeys, give the Worker a custom domain, and set PASSKEY_RP_ID in wrangler.toml to it or to its parent'

/** Returns the RP ID of a site; `undefined` when it depends on the host name of each request. */
export function rpIdOf({ passkeySite, host }: Facts): string | undefined {
  return typeof passkeySite === 'string' ? undefined : (passkeySite.rpId ?? host)
}

/** Judges where passkeys work: the RP ID is the domain that browsers keep them for. */
export function checkRpId(facts: Facts): Finding {
  const check = 'RP ID'
  const { passkeySite, host, isRemote } = facts
  const file = varsFile(isRemote)
  if (typeof passkeySite === 'string') return failure(check, passkeySite, `correct it in ${file}`)
  const { rpId } = passkeySite
  if (rpId === WORKERS_DOMAIN)
    return failure(
      check,
      `PASSKEY_RP_ID is ${rpId}, which many sites share: browsers refuse it`,
      `set PASSKEY_RP_ID in ${file} to the host name of the site, or leave it empty`,
    )
  if (rpId !== undefined && host !== undefined && !isUnder(host, rpId))
    return failure(
      check,
      `PASSKEY_RP_ID ${rpId} is not ${host} or a parent domain of it: browsers refuse every passkey`,
      `set PASSKEY_RP_ID in ${file} to the host name of the site or to its parent`,
    )
  const known = rpIdOf(facts)
  if (known !== undefined && isUnder(known, WORKERS_DOMAIN))
    return warning(
      check,
      `${known}: a later move to a domain of your own loses all passkeys`,
      FIX_WORKERS,
    )
  if (known !== undefined) return good(check, known)
  const text = 'the host name of each request'
  if (!isRemote) return good(check, text)
  return warning(
    check,
    `${text}; if that is on workers.dev, a later move to a domain of your own loses all passkeys`,
    FIX_WORKERS,
  )
}
