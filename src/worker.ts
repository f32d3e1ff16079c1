import { createApp } from './app.ts'
import { createDeps } from './deps.ts'
import { MAINTENANCE_DEADLINE_MILLISECONDS, runMaintenance } from './maintenance.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  async scheduled(_, env, context) {
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    await runMaintenance(createDeps(env, defer, undefined, MAINTENANCE_DEADLINE_MILLISECONDS))
  },
} satisfies ExportedHandler<Env>
