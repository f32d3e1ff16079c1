import { once } from 'node:events'
import { handleStop } from '../kit/stop-handlers.ts'

const LOOK_MILLISECONDS = 500

/**
 * Aborts at SIGINT, SIGTERM and SIGHUP, from the beginning: the preparation then ends the programs
 * that it has started. It aborts too when npm, which has started this process, is gone: npm does
 * not pass on every signal, and whoever ends npm means the site.
 */
export function stopSignal(): { signal: AbortSignal; takeOver: () => void } {
  const stopping = new AbortController()
  const { takeOver } = handleStop(() => stopping.abort())
  const parent = process.ppid
  if (process.env['npm_lifecycle_event'] !== undefined)
    setInterval(() => {
      if (process.ppid !== parent) stopping.abort()
    }, LOOK_MILLISECONDS).unref()
  return { signal: stopping.signal, takeOver }
}

/** Resolves when the signal aborts, or has aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
