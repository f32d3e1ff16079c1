import { tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Far more than any test takes, so that a busy machine makes none fail. */
const PROCESS_MILLISECONDS = 300_000

/** `npm run test:real`: the service together with the real servers that it works for. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    // The set-up reads it, and writes it back.
    env: { TMPDIR: tmpdir() },
    globalSetup: ['./test/support/build-worker.ts'],
    testTimeout: PROCESS_MILLISECONDS,
    hookTimeout: PROCESS_MILLISECONDS,
    fileParallelism: false,
  },
})
