import { onTestFinished, vi } from 'vitest'

/**
 * Lets each `AbortSignal.timeout` of this test pass after a fiftieth of its time.
 *
 * @returns The milliseconds that were asked for.
 */
export function hurryTimeouts(): number[] {
  const asked: number[] = []
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    asked.push(milliseconds)
    return timeout(milliseconds / 50)
  })
  onTestFinished(() => spy.mockRestore())
  return asked
}
