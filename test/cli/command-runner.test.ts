import { expect, inject, onTestFinished, test } from 'vitest'
import { Clone } from '../support/clone.ts'
import { workerdsOf } from '../support/listeners.ts'

// Else each of some five hundred commands of the tests would start its own.
test('the commands of a test share one Workers runtime', async () => {
  const clone = new Clone(inject('startedSite'))
  onTestFinished(() => clone.remove())
  const runtimes: number[][] = []
  for (const group of ['user', 'setting', 'user']) {
    expect(await clone.command([group, 'list'])).toMatchObject({ code: 0 })
    runtimes.push(workerdsOf(process.pid))
  }
  const [first = []] = runtimes
  expect(first).not.toEqual([])
  expect(runtimes).toEqual([first, first, first])
})
