import type { Stop } from '../../../../core/throttle/stops.ts'
import { Press } from '../../../../web/kit/confirm.tsx'
import type { Problem } from '../../../../web/kit/form.ts'
import { Time } from '../../../../web/kit/time.tsx'
import type { View } from '../../../../web/kit/view.ts'

/** The blocks of a user after too many wrong attempts, and their ends. */
export function StopFacts({ view, stops }: { view: View; stops: readonly Stop[] }) {
  const t = view.t.adminUsers
  return (
    <p class="facts">
      {stops.map(({ kind, network, until }) => (
        <span>
          <Time
            view={view}
            at={until}
            phrase={(when) => t.stopEnds(t.stops[kind](network), when)}
          />
        </span>
      ))}
    </p>
  )
}

interface UnlockProps {
  view: View
  user: { id: number; username: string }
  action: string
  problem?: Problem | undefined
}

/** The form that ends what `StopFacts` tells. */
export function Unlock({ view, user, action, problem }: UnlockProps) {
  const t = view.t.adminUsers
  return (
    <Press
      view={view}
      label={t.unlock}
      action={action}
      problem={problem}
      named={user.username}
      confirmedAs={`unlock-${user.id}`}
      isPrimary
    />
  )
}
