import { LANGUAGE_TAGS } from './language.ts'
import type { View } from './view.ts'

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/**
 * A time relative to now (“3 days ago”), with the exact time as its tooltip. The script converts
 * the exact time to the visitor's time zone, which the server does not know.
 *
 * @param at Unix time, milliseconds.
 * @param exact Shows the exact time, with the relative one as the tooltip.
 * @param isClock The same, without the day: it is the heading.
 * @param phrase Puts the relative time into a sentence, such as “Added 3 days ago”.
 */
export function Time({ view, at, phrase = (when) => when, ...shown }: TimeProps) {
  const { isClock = false, exact = isClock } = shown
  const iso = new Date(at).toISOString()
  const utc = `${iso.slice(0, 16).replace('T', ' ')} +00:00`
  const distance = phrase(distanceOf(view, at))
  return (
    <time
      datetime={iso}
      title={exact ? distance : utc}
      data-exact={exact ? (isClock ? 'clock' : '') : undefined}
    >
      {isClock ? `${utc.slice(11, 16)} UTC` : exact ? utc : distance}
    </time>
  )
}

interface TimeProps {
  view: View
  at: number
  exact?: boolean
  isClock?: boolean
  phrase?: (when: string) => string
}

/** A time among the facts of a row, in a phrase; `none` stands there when there is no time. */
export function TimeFact({ view, at, phrase, none = '', isMinor = false }: TimeFactProps) {
  return (
    <span class={isMinor ? 'minor' : undefined}>
      {at === null ? none : <Time view={view} at={at} phrase={phrase} />}
    </span>
  )
}

interface TimeFactProps {
  view: View
  /** Unix time, milliseconds. */
  at: number | null
  phrase: (when: string) => string
  none?: string
  /** Left out on phones, where a row has room for what counts. */
  isMinor?: boolean
}

/** A time relative to now, such as “3 days ago”. */
function distanceOf({ t, language, now }: View, at: number): string {
  const seconds = Math.round((at - now) / 1000)
  const { numeric, written, justNow, soon } = t.distance
  const format = new Intl.RelativeTimeFormat(LANGUAGE_TAGS[language], { numeric })
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return written(format.format(Math.round(seconds / size), unit))
  }
  return seconds > 0 ? soon : justNow
}
