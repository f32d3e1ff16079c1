import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { type Finding, good, warning } from '../../../programs/kit/findings.ts'
import { latchkeyOn } from '../../../programs/kit/printed-command.ts'
import type { Checks } from '../../../programs/site/in-programs.ts'
import { listStaleAppPasswords, UNUSED_DAYS } from '../app-passwords.ts'

export const checks: Checks = {
  async ofData(site, setup) {
    const stale = await listStaleAppPasswords(site, COMMAND_LINE)
    const endless = stale.filter(({ expiresAt }) => expiresAt === null).length
    return [judgeAppPasswords(setup, { endless, unused: stale.length - endless })]
  },
}

/** The number of app passwords that never expire, and of the others that nobody has used for long. */
export interface StaleCounts {
  endless: number
  unused: number
}

export function judgeAppPasswords(
  site: { isRemote: boolean },
  { endless, unused }: StaleCounts,
): Finding {
  const check = 'app passwords'
  const problems = [
    ...(endless > 0 ? [`${endless} never expire`] : []),
    ...(unused > 0 ? [`${unused} were not used for ${UNUSED_DAYS} days`] : []),
  ]
  if (problems.length === 0) return good(check, 'all expire, and all are in use')
  return warning(
    check,
    problems.join('; '),
    `${latchkeyOn(site, 'token', 'list', '--stale')}, then token delete, or ask their owners`,
  )
}
