import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** Creates a schedule: a run is due at once, and then a day after the last successful run. */
export function createDailySchedule(now: () => number): { isDue: () => boolean; done: () => void } {
  let last = -Infinity
  return {
    isDue: () => now() - last >= DAY_MILLISECONDS,
    done: () => {
      last = now()
    },
  }
}

/**
 * Runs a function at once, and then once a day. It checks every hour, because a timer of a day
 * stops while the machine sleeps, and because a failed run is repeated an hour later.
 *
 * @returns A function that stops the schedule. A failure of a run in progress is then not reported.
 */
export function runDaily(run: () => Promise<void>, onError: (error: unknown) => void): () => void {
  const schedule = createDailySchedule(Date.now)
  const stopping = new AbortController()
  const look = () => {
    if (!schedule.isDue()) return
    run().then(schedule.done, (error: unknown) => {
      if (!stopping.signal.aborted) onError(error)
    })
  }
  look()
  const timer = setInterval(look, HOUR_MILLISECONDS)
  return () => {
    clearInterval(timer)
    stopping.abort()
  }
}
