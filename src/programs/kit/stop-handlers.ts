const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Calls a function when somebody ends the process, instead of ending it.
 *
 * @returns `takeOver` removes the handlers of others: those of Miniflare would end the process at
 *   once. `release` removes ours.
 */
export function handleStop(stop: () => void): { takeOver: () => void; release: () => void } {
  for (const name of SIGNALS) process.on(name, stop)
  return {
    takeOver() {
      // Ours stays meanwhile: with its last handler, a signal that has come is lost.
      for (const name of SIGNALS) {
        for (const handler of process.listeners(name)) {
          if (handler !== stop) process.off(name, handler)
        }
      }
    },
    release() {
      for (const name of SIGNALS) process.off(name, stop)
    },
  }
}
