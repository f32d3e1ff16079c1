import { drizzle } from 'drizzle-orm/d1'
import { createApp } from './app.ts'
import { createDeps } from './deps.ts'
import { pruneSessions } from './tokens/sessions.ts'

export { PasswordHasher } from './login/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  async scheduled(controller, env) {
    await pruneSessions(drizzle(env.DB), controller.scheduledTime)
  },
} satisfies ExportedHandler<Env>
