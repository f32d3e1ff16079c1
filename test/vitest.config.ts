import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { tmpdir } from 'node:os'
import { buildAssets } from '../scripts/assets/build.ts'
import { buildPrograms } from '../scripts/assets/programs.ts'
import { memoryFolder } from './support/memory-folder.ts'
import { SECRET_KEYS } from './support/secrets.ts'

/** Far more than any test takes, so that a busy machine makes none fail. */
const TEST_MILLISECONDS = 120_000
const PROCESS_MILLISECONDS = 300_000

/** Files at once, one for each core of a small machine. */
const PROCESSES = 2
/** More, because these files wait for programs: for answers, for a page, for a deadline. */
const PROGRAM_PROCESSES = 5

/** For the programs that tests start: a folder in memory may allow none to run. */
const TMPDIR = tmpdir()
// Where Miniflare puts the databases.
process.env['TMPDIR'] = memoryFolder() ?? TMPDIR

buildAssets()
await buildPrograms('.')

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
          testTimeout: TEST_MILLISECONDS,
          hookTimeout: TEST_MILLISECONDS,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/cli/**', 'test/real/**'],
          setupFiles: ['./test/support/setup.ts'],
          isolate: false,
          maxWorkers: PROCESSES,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'node',
          include: ['test/e2e/**/*.test.ts', 'test/cli/**/*.test.ts'],
          env: { TMPDIR },
          globalSetup: ['./test/support/build-worker.ts'],
          // Most tests start programs, and each of these bundles or loads wrangler.
          testTimeout: PROCESS_MILLISECONDS,
          hookTimeout: PROCESS_MILLISECONDS,
          // Loading Miniflare and Playwright anew for each file would take a minute of CPU.
          isolate: false,
          maxWorkers: PROGRAM_PROCESSES,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
}))
