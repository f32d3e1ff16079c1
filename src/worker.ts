import { createApp } from './app.ts'
import { createDeps } from './deps.ts'
import { runMaintenance } from './maintenance.ts'

export { PasswordHasher } from './login/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  scheduled: (_, env, context) =>
    runMaintenance(createDeps(env, (work) => context.waitUntil(work))),
} satisfies ExportedHandler<Env>
