import { once } from 'node:events'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LOOK_MILLISECONDS = 500

/**
 * Aborts at SIGINT, SIGTERM and SIGHUP, from the beginning: the preparation then ends the programs
 * that it has started. It aborts too when npm, which has started this process, is gone: npm does
 * not pass on every signal, and whoever ends npm means the site.
 *
 * @returns `takeOver` removes the handlers of others: those of Miniflare would end the process at
 *   once.
 */
export function stopSignal(): { signal: AbortSignal; takeOver: () => void } {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const name of SIGNALS) process.on(name, stop)
  const parent = process.ppid
  if (process.env['npm_lifecycle_event'] !== undefined)
    setInterval(() => {
      if (process.ppid !== parent) stopping.abort()
    }, LOOK_MILLISECONDS).unref()
  // Those of the launcher end the process at once.
  removeOtherHandlers(stop)
  return { signal: stopping.signal, takeOver: () => removeOtherHandlers(stop) }
}

/** Keeps one handler throughout: when the last handler goes, a signal that has come is lost. */
function removeOtherHandlers(kept: () => void): void {
  for (const name of SIGNALS)
    for (const handler of process.listeners(name)) if (handler !== kept) process.off(name, handler)
}

/** Resolves when the signal aborts, or has aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
