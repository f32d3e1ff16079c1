import { noticeChannels } from '../../../schema/tables.ts'
import type { Deps } from '../../core/deps.ts'

declare module '../../core/deps.ts' {
  interface IsolateMemory {
    /** Whether any channel exists, and when that was read (Unix time, milliseconds). */
    channels?: { exist: boolean; readAt: number }
  }
}

/**
 * How long an isolate may miss a channel that another one created. The cron sends the notices of
 * that time.
 */
const MEMORY_MILLISECONDS = 5 * 60_000

/** Tells whether any channel exists, from memory when it was read lately. */
export async function haveChannels({
  db,
  isolateMemory,
  now,
}: Pick<Deps, 'db' | 'isolateMemory' | 'now'>): Promise<boolean> {
  const { exist, readAt } = isolateMemory.channels ?? { exist: false, readAt: -Infinity }
  if (now() - readAt < MEMORY_MILLISECONDS) return exist
  const [channel] = await db.select({ id: noticeChannels.id }).from(noticeChannels).limit(1)
  isolateMemory.channels = { exist: channel !== undefined, readAt: now() }
  return channel !== undefined
}

/** Makes the next request look for channels again. */
export function forgetChannels({ isolateMemory }: Pick<Deps, 'isolateMemory'>): void {
  delete isolateMemory.channels
}
