import type { IconName } from '../../../web/kit/icons.tsx'
import { describeUserAgent } from '../../../web/kit/user-agent.ts'
import type { View } from '../../../web/kit/view.ts'

/** The icon of the device that a User-Agent describes. */
export function deviceIcon(userAgent: string): IconName {
  const { program, system } = describeUserAgent(userAgent)
  if (['iPhone', 'iPad', 'Android'].includes(system ?? '')) return 'phone'
  return system === undefined && program !== undefined ? 'terminal' : 'laptop'
}

/** Describes a User-Agent, as in “Firefox on Linux”. */
export function browserOf({ t }: View, userAgent: string): string {
  const { program, system } = describeUserAgent(userAgent)
  if (program === undefined) return system ?? t.sessions.unknownBrowser
  return system === undefined ? program : t.sessions.browserOn(program, system)
}
