import { type FrontBindings, readFrontRequest } from './http/front.ts'
import worker from './worker.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

/** The Worker of `npm start`: it answers only the front server. */
export default {
  async fetch(request, env, context) {
    const passed = readFrontRequest(request, env.FRONT_SECRET)
    if (passed === undefined) return new Response('Forbidden\n', { status: 403 })
    return worker.fetch(passed, env, context)
  },
  scheduled: (controller, env, context) => worker.scheduled(controller, env, context),
} satisfies ExportedHandler<Env & FrontBindings>
