import { eq } from 'drizzle-orm'
import { settings } from '../../../../schema/tables.ts'
import { reasonIn } from '../../../programs/kit/command-error.ts'
import { failure, type Finding, good } from '../../../programs/kit/findings.ts'
import { latchkeyOn } from '../../../programs/kit/printed-command.ts'
import type { Checks } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { checkProvider, PROBLEM_TEXTS } from '../check.ts'

export const checks: Checks = {
  /** Nothing is checked while single sign-on is off. */
  async ofData(site, setup) {
    const [isOn] = await site.db
      .select({ value: settings.value })
      .from(settings)
      .where(eq(settings.key, 'sso_login_enabled'))
    return isOn?.value === 'true' ? [judgeSso(setup, await askProvider(site))] : []
  },
}

/** The host of the identity provider, or what is wrong with it. */
export type SsoFacts = { host: string } | { problem: string }

async function askProvider(site: Site): Promise<SsoFacts> {
  try {
    const checked = await checkProvider(site)
    return 'host' in checked ? checked : { problem: PROBLEM_TEXTS[checked.problem] }
  } catch (error) {
    return { problem: reasonIn(error) }
  }
}

export function judgeSso(site: { isRemote: boolean }, facts: SsoFacts): Finding {
  const check = 'sso'
  if ('host' in facts) return good(check, `users are sent to ${facts.host}`)
  const fix = `${latchkeyOn(site, 'sso', 'test')}; the settings are at /account/admin/settings/sso`
  return failure(check, facts.problem, fix)
}
