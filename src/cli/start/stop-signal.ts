import { once } from 'node:events'
import { handleStop } from '../stop-handlers.ts'

/**
 * Aborts at SIGINT and SIGTERM, from the beginning: the preparation then ends the programs that it
 * has started.
 */
export function stopSignal(): { signal: AbortSignal; takeOver: () => void } {
  const stopping = new AbortController()
  const { takeOver } = handleStop(() => stopping.abort())
  return { signal: stopping.signal, takeOver }
}

/** Resolves when the signal aborts, or has aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
