import { createApp } from './app.ts'
import { createDeps } from './core/deps.ts'
import { FREQUENT_CRON } from './core/base/crons.ts'
import { runFrequently } from './frequent-run.ts'
import { NIGHTLY_DEADLINE_MILLISECONDS, runNightly } from './nightly-run.ts'

export { PasswordHasher } from './core/crypto/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  async scheduled({ cron }, env, context) {
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    const deps = createDeps(env, defer, undefined, NIGHTLY_DEADLINE_MILLISECONDS)
    await (cron === FREQUENT_CRON ? runFrequently(deps) : runNightly(deps))
  },
} satisfies ExportedHandler<Env>
