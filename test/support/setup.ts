import { afterAll, beforeEach, expect } from 'vitest'
import { cleanState } from './clean-state.ts'
import { forgetLog, leakedSecrets } from './log.ts'

// Vitest evaluates this file again for each test file, but not what it imports: the log that
// `site.ts` writes secrets to is the one that is looked through here.
beforeEach(cleanState)

afterAll(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- About every test of the file.
  expect(leakedSecrets()).toEqual([])
  forgetLog()
})
