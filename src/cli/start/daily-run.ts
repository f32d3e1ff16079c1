const DAY_MILLISECONDS = 24 * 60 * 60 * 1000
const HOUR_MILLISECONDS = 60 * 60 * 1000

/** Says when a day has passed since the last run; the first time at once. */
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
 * Runs this now and once a day from now on. It looks every hour, because a timer of a day stands
 * still while the machine sleeps, and because a run that failed is tried again an hour later.
 *
 * @returns What ends it; a run that is under way may then fail without a word.
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
