import { describe, expect, test } from 'vitest'
import { growthOf, isFlat } from './growth.ts'

const MEBIBYTE = 1024 * 1024

/** A run of fifteen samples, a thousand requests apart. */
function run(bytesAt: (requests: number) => number) {
  return Array.from({ length: 15 }, (_, i) => {
    const requests = (i + 1) * 1000
    return { requests, bytes: bytesAt(requests) }
  })
}

describe('the judgement on memory', () => {
  test('passes what stays, and what wavers', () => {
    expect(isFlat(growthOf(run(() => 5 * MEBIBYTE)))).toBe(true)
    const wavers = growthOf(run((requests) => 5 * MEBIBYTE + (requests % 2000) * 50))
    expect(isFlat(wavers)).toBe(true)
  })

  test('passes what grows in the first third and then no more', () => {
    const warmed = growthOf(run((requests) => Math.min(requests, 5000) * 1000))
    expect(warmed.grownBytes).toBeCloseTo(0)
    expect(isFlat(warmed)).toBe(true)
  })

  test('fails what keeps a small object of every request', () => {
    const leak = growthOf(run((requests) => 5 * MEBIBYTE + requests * 60))
    expect(leak).toMatchObject({ requests: 9000, allowedBytes: 256 * 1024 + 9000 * 16 })
    expect(leak.bytesPerRequest).toBeCloseTo(60)
    expect(leak.grownBytes).toBeCloseTo(540_000)
    expect(isFlat(leak)).toBe(false)
  })

  test('fails what grows by more than the noise hides', () => {
    const leak = growthOf(run((requests) => requests * 60 + (requests % 2000) * 20))
    expect(isFlat(leak)).toBe(false)
  })

  test('fails where there is too little to tell', () => {
    expect(isFlat(growthOf([]))).toBe(false)
    expect(isFlat(growthOf([{ requests: 1, bytes: 1 }]))).toBe(false)
  })
})
