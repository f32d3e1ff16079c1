import { type FrontBindings, readFrontRequest } from './http/front.ts'
import worker from './worker.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

/** The Worker as `npm start` runs it: it answers the front server and nobody else. */
export default {
  async fetch(request, env, context) {
    const passed = readFrontRequest(request, env.FRONT_SECRET)
    if (passed === undefined) return new Response('Forbidden\n', { status: 403 })
    return worker.fetch(passed, env, context)
  },
  scheduled: (controller, env, context) => worker.scheduled(controller, env, context),
} satisfies ExportedHandler<Env & FrontBindings>
