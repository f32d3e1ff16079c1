import { CAPABILITIES } from '../capabilities.ts'
import type { RunPart } from '../core/deps.ts'

/** Loads what the capabilities do in a run in time, in their order. It never rejects. */
export function loadParts(kind: 'nightly' | 'frequent'): Promise<PromiseSettledResult<RunPart>[]> {
  return Promise.allSettled(CAPABILITIES.flatMap(({ [kind]: load }) => load?.(CAPABILITIES) ?? []))
}

/** Starts all at once. A part that could not be loaded fails, and keeps no other one from its work. */
export function startParts(
  parts: readonly PromiseSettledResult<RunPart>[],
  run: Parameters<RunPart>[0],
): Promise<unknown>[] {
  return parts.map(async (part) => {
    if (part.status === 'rejected') throw part.reason
    return part.value(run)
  })
}
