import { once } from 'node:events'

/**
 * Aborts at SIGINT and SIGTERM, from the beginning: the preparation then ends the programs that it
 * has started.
 */
export function stopSignal(): { signal: AbortSignal; takeOver: () => void } {
  const stopping = new AbortController()
  const takeOver = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      // Miniflare's handlers would end the process at once, while requests are running.
      process.removeAllListeners(name)
      process.on(name, () => stopping.abort())
    }
  }
  takeOver()
  return { signal: stopping.signal, takeOver }
}

/** Resolves when the signal aborts, or has aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
