const platform: typeof globalThis = Object.getPrototypeOf(globalThis)

/**
 * Gives timers to the platform at once. Cloudflare's plugin for Vitest reads the stack of each
 * `setTimeout`, to find those of Vitest, which keeps its own from before. That takes as long as
 * building a statement does, and every trip to D1 has a deadline.
 */
export function usePlatformTimers(): void {
  globalThis.setTimeout = platform.setTimeout
}
