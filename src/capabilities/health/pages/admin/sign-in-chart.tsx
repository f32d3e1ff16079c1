import { dayOf } from '../../../../web/kit/day-field.ts'
import { LANGUAGE_TAGS } from '../../../../web/kit/language.ts'
import type { View } from '../../../../web/kit/view.ts'

const EVENTS = '/account/admin/events'
/** The height of the picture, in units of its own. */
const HEIGHT = 40

interface Day {
  /** When it begins, Unix time in milliseconds. */
  at: number
  signIns: number
  refused: number
}

/** Sign-ins and refused ones of each day of UTC. A bar leads to the events of its day. */
export function SignInChart({ view, days }: { view: View; days: readonly Day[] }) {
  const t = view.t.adminSite
  const most = Math.max(...days.map(({ signIns, refused }) => signIns + refused))
  if (most === 0) return <></>
  const format = new Intl.DateTimeFormat(LANGUAGE_TAGS[view.language], {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const month = new Intl.DateTimeFormat(LANGUAGE_TAGS[view.language], {
    month: 'short',
    timeZone: 'UTC',
  })
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(1, Math.round((count / most) * HEIGHT))
  return (
    <article class="chart">
      <header>
        <h2>{t.signInsByDay}</h2>
        <p class="hint">
          <span>{t.signIns}</span>
          <span class="refused">{t.refused}</span>
        </p>
      </header>
      <ol>
        {days.map(({ at, signIns, refused }, place) => {
          const [low, high] = [heightOf(signIns), heightOf(refused)]
          const day = dayOf(at)
          const date = new Date(at).getUTCDate()
          const namesMonth = date === 1 || place === 0
          return (
            <li>
              <a
                href={`${EVENTS}?from=${day}&to=${day}`}
                title={t.ofDay(format.format(at), signIns, refused)}
              >
                <svg viewBox={`0 0 1 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                  <path d={bar(HEIGHT, low)} />
                  <path class="refused" d={bar(HEIGHT - low, high)} />
                </svg>
                <span aria-hidden="true">
                  {date}
                  {namesMonth && <b>{month.format(at)}</b>}
                </span>
              </a>
            </li>
          )
        })}
      </ol>
    </article>
  )
}

function bar(bottom: number, height: number): string {
  return height === 0 ? '' : `M0 ${bottom}v-${height}h1v${height}z`
}
