import { setTimeout as sleep } from 'node:timers/promises'
import type { listSiteEvents } from '../operator-events.ts'
import { messageOf } from '../../../programs/kit/command-error.ts'
import { handleStop } from '../../../programs/kit/stop-handlers.ts'

type Events = Awaited<ReturnType<typeof listSiteEvents>>['events']

/** How often a follower asks; every question to a deployed site goes over the internet. */
const LOCAL_MILLISECONDS = 500
const REMOTE_MILLISECONDS = 5000

/**
 * Shows events as they are written, oldest first, until the process receives SIGINT or SIGTERM or
 * its output is closed. A question that fails is reported and asked again.
 *
 * @param shown The events that are shown first, latest first.
 * @param read Reads the events after an id, latest first.
 * @param show Prints an event.
 */
export async function followEvents(
  shown: Events,
  isRemote: boolean,
  read: (afterId: number) => Promise<Events>,
  show: (event: Events[number]) => void,
): Promise<void> {
  const { signal, end } = untilStopped()
  try {
    let [latest] = shown
    for (const event of shown.toReversed()) show(event)
    while (!signal.aborted) {
      await sleep(isRemote ? REMOTE_MILLISECONDS : LOCAL_MILLISECONDS, undefined, { signal })
      const events = await readOrReport(() => read(latest?.id ?? 0))
      for (const event of events.toReversed()) show(event)
      latest = events[0] ?? latest
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    end()
  }
}

async function readOrReport(read: () => Promise<Events>): Promise<Events> {
  try {
    return await read()
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    console.error(message)
    return []
  }
}

/** Returns a signal that is aborted when somebody ends the process or closes its output. */
function untilStopped(): { signal: AbortSignal; end: () => void } {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const { takeOver, release } = handleStop(abort)
  takeOver()
  process.stdout.on('error', abort)
  return { signal: stop.signal, end: release }
}
