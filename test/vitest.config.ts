import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { SECRET_KEYS } from './support/secrets.ts'

/** Far more than any test takes, so that a busy machine makes none fail. */
const PROCESS_MILLISECONDS = 300_000

export default defineConfig(async () => ({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              d1Databases: { REPLICA: 'replica' },
              bindings: {
                SECRET_KEYS,
                ALLOW_HTTP: 'true',
                TEST_MIGRATIONS: await readD1Migrations('./schema/migrations'),
              },
            },
          }),
        ],
        test: {
          name: 'worker',
          testTimeout: 30_000,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/cli/**', 'test/real/**'],
          setupFiles: ['./test/support/clean-state.ts', './test/support/log.ts'],
          isolate: false,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/e2e/**/*.test.ts', 'test/cli/**/*.test.ts'],
          globalSetup: ['./test/support/build-worker.ts'],
          // Most tests start programs, and each of these bundles or loads wrangler.
          testTimeout: PROCESS_MILLISECONDS,
          hookTimeout: PROCESS_MILLISECONDS,
          // After the other project, which wants one core and half the memory for itself.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
        },
      },
    ],
  },
}))
