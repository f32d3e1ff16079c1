import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { tmpdir } from 'node:os'
import { buildAssets } from '../scripts/assets/build.ts'
import { buildPrograms } from '../scripts/assets/programs.ts'
import { LongFilesFirst } from './support/long-files-first.ts'
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

/** Loading Miniflare and Playwright anew for each file would take a minute of CPU. */
const IN_NODE = {
  env: { TMPDIR },
  testTimeout: PROCESS_MILLISECONDS,
  hookTimeout: PROCESS_MILLISECONDS,
  isolate: false,
  maxWorkers: PROCESSES,
  sequence: { groupOrder: 0 },
}
/** Most of their tests start programs, and each of these bundles or loads wrangler. */
const WITH_PROGRAMS = {
  ...IN_NODE,
  globalSetup: ['./test/support/build-worker.ts'],
  setupFiles: ['./test/support/load-esbuild.ts'],
}

buildAssets()
await buildPrograms('.')

export default defineConfig(async () => ({
  test: {
    sequence: { sequencer: LongFilesFirst },
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
          exclude: ['test/{e2e,cli,smoke,programs,real}/**'],
          setupFiles: ['./test/support/setup.ts'],
          isolate: false,
          maxWorkers: PROCESSES,
          sequence: { groupOrder: 1 },
        },
      },
      // Decisions and parsers of programs, which start none.
      { test: { ...IN_NODE, name: 'programs', include: ['test/programs/**/*.test.ts'] } },
      // Each process once.
      { test: { ...WITH_PROGRAMS, name: 'smoke', include: ['test/smoke/**/*.test.ts'] } },
      {
        test: {
          ...WITH_PROGRAMS,
          name: 'processes',
          include: ['test/{e2e,cli}/**/*.test.ts'],
          maxWorkers: PROGRAM_PROCESSES,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
}))
