import { count } from 'drizzle-orm'
import { passkeys } from '../../../../schema/tables.ts'
import { isUnder, type PasskeySite, parsePasskeySite } from '../../../core/base/passkey-site.ts'
import { failure, type Finding, good, warning } from '../../../programs/kit/findings.ts'
import { varsFile } from '../../../programs/site/dev-vars.ts'
import type { Checks, Setup } from '../../../programs/site/in-programs.ts'

/** Where passkeys work. */
export interface PasskeyFacts extends Pick<Setup, 'isRemote' | 'host'> {
  /** The settings in the variables, or the error in them. */
  passkeySite: PasskeySite | string
}

/** The number of passkeys of an RP ID. */
export interface PasskeyCount {
  rpId: string
  total: number
}

export const checks: Checks = {
  ofSetup: async (_, setup) => [judgeRpId(factsOf(setup))],
  async ofData({ db }, setup) {
    const counts = await db
      .select({ rpId: passkeys.rpId, total: count() })
      .from(passkeys)
      .groupBy(passkeys.rpId)
      .orderBy(passkeys.rpId)
    return [judgePasskeys(factsOf(setup), counts)]
  },
}

function factsOf({ isRemote, host, variable }: Setup): PasskeyFacts {
  const passkeySite = parsePasskeySite(variable('PASSKEY_RP_ID'), variable('PASSKEY_ORIGINS'))
  return { isRemote, host, passkeySite }
}

/** Cloudflare's domain of Workers. It is on the public suffix list. */
const WORKERS_DOMAIN = 'workers.dev'

const FIX_WORKERS =
  'before users add passkeys, give the Worker a custom domain, and set PASSKEY_RP_ID in wrangler.toml to it or to its parent'

/** Returns the RP ID of a site; `undefined` when it depends on the host name of each request. */
function rpIdOf({ passkeySite, host }: PasskeyFacts): string | undefined {
  return typeof passkeySite === 'string' ? undefined : (passkeySite.rpId ?? host)
}

/** Judges where passkeys work: the RP ID is the domain that browsers keep them for. */
export function judgeRpId(facts: PasskeyFacts): Finding {
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

/** Passkeys of another RP ID can't sign in; browsers don't offer them. */
export function judgePasskeys(facts: PasskeyFacts, counts: readonly PasskeyCount[]): Finding {
  const check = 'passkeys'
  const rpId = rpIdOf(facts)
  const lost = counts.filter((found) => rpId !== undefined && found.rpId !== rpId)
  if (lost.length === 0) {
    const text = counts.length === 0 ? 'there are none' : `for ${countsOf(counts)}`
    return good(check, text)
  }
  return warning(
    check,
    `the RP ID is ${rpId}, so these can't sign in: for ${countsOf(lost)}`,
    'answer under the old host name again, or ask their owners to add new ones',
  )
}

function countsOf(counts: readonly PasskeyCount[]): string {
  return counts.map(({ rpId, total }) => `${rpId}: ${total}`).join(', ')
}
