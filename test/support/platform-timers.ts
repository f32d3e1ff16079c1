const { setTimeout: setNoted } = globalThis
const platform: typeof globalThis = Object.getPrototypeOf(globalThis)

/**
 * Gives timers with a delay to the platform at once. Cloudflare's plugin for Vitest reads the stack
 * of each `setTimeout`, to find those of Vitest without a delay. That takes as long as building a
 * statement does, and every trip to D1 has a deadline.
 */
export function usePlatformTimers(): void {
  Object.assign(globalThis, { setTimeout: setTimer })
}

function setTimer(callback: () => void, milliseconds = 0, ...given: unknown[]): unknown {
  const set = milliseconds === 0 ? setNoted : platform.setTimeout
  return Reflect.apply(set, globalThis, [callback, milliseconds, ...given])
}
