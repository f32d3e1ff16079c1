import { remembered } from '../../core/base/isolate-memory.ts'
import { runTexts } from '../../core/database/query-text.ts'
import type { Deps } from '../../core/deps.ts'

/** A text, because it is asked after the first sign-in of an isolate, which needs no Drizzle. */
const ANY_CHANNEL = { sql: 'select "id" from "notice_channels" limit 1', parameters: [] }

/** Whether any channel exists, and when that was read (Unix time, milliseconds). */
const channelMemory = remembered('whether channels for notices exist', () => ({
  exist: false,
  readAt: -Infinity,
}))

/**
 * How long an isolate may miss a channel that another one created. The cron sends the notices of
 * that time.
 */
const MEMORY_MILLISECONDS = 5 * 60_000

/** Tells whether any channel exists, from memory when it was read lately. */
export async function haveChannels(
  deps: Pick<Deps, 'db' | 'isolateMemory' | 'now'>,
): Promise<boolean> {
  const memory = channelMemory(deps)
  if (deps.now() - memory.readAt < MEMORY_MILLISECONDS) return memory.exist
  const { channels } = await runTexts(deps.db, { channels: ANY_CHANNEL }, {})
  memory.exist = channels.length > 0
  memory.readAt = deps.now()
  return memory.exist
}

/** Makes the next request look for channels again. */
export function forgetChannels(deps: Pick<Deps, 'isolateMemory'>): void {
  channelMemory(deps).readAt = -Infinity
}
