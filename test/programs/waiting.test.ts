import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWaiting } from '../../src/programs/kit/waiting.ts'

let written: string[]

beforeEach(() => {
  written = []
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const terminal = (isTTY: boolean) => ({
  isTTY,
  write: (text: string | Uint8Array) => written.push(String(text)) > 0,
})

test('a terminal shows what is waited for after two seconds, and nothing of it stays', () => {
  const stop = startWaiting('Building the Worker', terminal(true))
  vi.advanceTimersByTime(1900)
  expect(written).toEqual([])
  vi.advanceTimersByTime(3200)
  expect(written.at(-1)?.startsWith('\r\u001b[K')).toBe(true)
  expect(written.at(-1)?.slice('\r\u001b[K'.length)).toMatch(/^\S Building the Worker, 5 s$/)
  stop()
  expect(written.at(-1)).toBe('\r\u001b[K')
  const { length } = written
  vi.advanceTimersByTime(5000)
  expect(written).toHaveLength(length)
})

test('quick work shows nothing, nor does a log', () => {
  startWaiting('Quick', terminal(true))()
  const stop = startWaiting('Slow', terminal(false))
  vi.advanceTimersByTime(10_000)
  stop()
  expect(written).toEqual([])
})
