import { CHECK_PATH } from '../../../web/kit/checking.ts'
import { Press } from '../../../web/kit/confirm.tsx'
import { placeName } from '../../../web/kit/country.ts'
import type { Problem } from '../../../web/kit/form.ts'
import { Icon } from '../../../web/kit/icons.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'

/** A row of `selectNewNetworks`. */
export interface NewNetwork {
  network: string
  country: string
  /** Of the first sign-in; Unix time, milliseconds. */
  at: number
}

interface WasItYouProps {
  view: View
  found: NewNetwork
  problem?: Problem | undefined
}

/**
 * Asks about a new network: the answer “yes” ends the warning, so the session must be fresh; “no”
 * leads through the account.
 */
export function WasItYou({ view, found, problem }: WasItYouProps) {
  const t = view.t.sessions
  const place = placeName(view, found.network, found.country)
  return (
    <article class="status warn">
      <Icon name="unprotected" />
      <div>
        <h2>{t.wasItYou}</h2>
        <p>
          <Time view={view} at={found.at} phrase={(when) => t.newSignIn(place, when)} />
        </p>
      </div>
      <div class="decide">
        <a role="button" href={CHECK_PATH}>
          {t.notMe}
        </a>
        <Press
          view={view}
          label={t.wasMe}
          action="/account/sessions/known"
          values={{ network: found.network }}
          named={found.network}
          problem={problem}
          confirmedAs={`known-${found.network}`}
        />
      </div>
    </article>
  )
}
