import { createApp } from './app/app.ts'
import { createDeps, loadDatabase } from './core/deps.ts'
import { FREQUENT_CRON, RUN_DEADLINE_MILLISECONDS } from './core/base/crons.ts'

export { PasswordHasher } from './core/crypto/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  async scheduled({ cron }, env, context) {
    await loadDatabase()
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    const deps = createDeps(env, defer, undefined, RUN_DEADLINE_MILLISECONDS)
    if (cron === FREQUENT_CRON) {
      const { runFrequently } = await import('./app/frequent-run.ts')
      return runFrequently(deps)
    }
    const { runNightly } = await import('./app/nightly-run.ts')
    return runNightly(deps)
  },
} satisfies ExportedHandler<Env>
