import { isoTime } from '../base/time.ts'
import type { ListedChannel } from './store.ts'

/** Returns a channel in the form that every list shows. */
export function channelRecord(channel: ListedChannel) {
  const { id, kind, name, target, topics, language, failure, lost, waiting } = channel
  return {
    id,
    kind,
    name,
    target,
    topics,
    language,
    created_at: isoTime(channel.createdAt),
    last_sent_at: timeOrNull(channel.lastSentAt),
    last_failed_at: timeOrNull(channel.lastFailedAt),
    failure,
    waiting,
    lost,
  }
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}

/** Returns the outcome of a test. */
export function testRecord(failure: string | undefined) {
  return { delivered: failure === undefined, failure: failure ?? '' }
}
