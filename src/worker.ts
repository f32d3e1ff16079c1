import { createApp } from './app.ts'
import { createDeps } from './deps.ts'
import { NIGHTLY_DEADLINE_MILLISECONDS, runNightly } from './nightly-run.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

const app = createApp(createDeps)

export default {
  fetch: app.fetch,
  async scheduled(_, env, context) {
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    await runNightly(createDeps(env, defer, undefined, NIGHTLY_DEADLINE_MILLISECONDS))
  },
} satisfies ExportedHandler<Env>
