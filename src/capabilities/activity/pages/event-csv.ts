import { isoTime } from '../../../core/base/time.ts'
import { toCsv } from '../../../core/base/csv.ts'
import type { AppContext } from '../../../web/http/context.ts'
import {
  eventSentence,
  type ListedEvent,
  otherActorOf,
  type Reader,
  sentenceText,
  subjectPerson,
} from './event-text.ts'
import type { Texts } from '../../../web/kit/texts.ts'

/** Number of events in a file, so that it takes about the CPU time that a free plan allows (10 ms). */
export const MAX_EVENTS_IN_FILE = 1000

/** The columns of an operator's file; the owner of an account is the user of every event. */
const USER_COLUMNS = ['user', 'user_id']
const COLUMNS = ['time', 'event', 'what', ...USER_COLUMNS, 'by', 'by_id', 'detail', 'network']

/** Answers with a file of events, one row each. */
export function sendEvents(
  c: AppContext,
  t: Texts,
  events: readonly ListedEvent[],
  reader: Reader,
): Response {
  const columns = [...COLUMNS, 'times', 'user_agent']
  const rows = events.map((event) => rowOf(t, event, reader))
  const day = isoTime(c.get('deps').now()).slice(0, 10)
  return c.body(toCsv([columns, ...rows]), 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="events-${day}.csv"`,
  })
}

function rowOf(t: Texts, event: ListedEvent, reader: Reader): (string | number)[] {
  const actor = otherActorOf(t, event)
  return [
    isoTime(event.at),
    event.kind,
    sentenceText(eventSentence(t, event, reader)),
    reader === 'owner' ? '' : (subjectPerson(t, event)?.name ?? ''),
    event.userId ?? '',
    actor?.name ?? '',
    actor?.userId ?? '',
    event.detail,
    event.network,
    event.times ?? 1,
    event.userAgent,
  ]
}
