import { isoTime, isoTimeOrNull } from '../../core/base/time.ts'
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
    last_sent_at: isoTimeOrNull(channel.lastSentAt),
    last_failed_at: isoTimeOrNull(channel.lastFailedAt),
    failure,
    waiting,
    lost,
  }
}

/** Returns the outcome of a test. */
export function testRecord(failure: string | undefined) {
  return { delivered: failure === undefined, failure: failure ?? '' }
}
