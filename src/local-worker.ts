import * as v from 'valibot'
import { FRONT_DATA_HEADER, type FrontBindings, readFrontRequest } from './http/front.ts'
import { createDeps } from './deps.ts'
import { sendAfterAnswer } from './notices/after-requests.ts'
import { forgetChannels } from './notices/memory.ts'
import worker from './worker.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

const valueSchema = v.union([v.string(), v.number(), v.boolean(), v.null()])
const dataCallSchema = v.union([
  v.object({
    batch: v.array(v.object({ query: v.string(), values: v.array(valueSchema) })),
  }),
  v.object({ readKey: v.string() }),
  v.object({ writeKey: v.string(), value: v.string(), metadata: v.unknown() }),
])

export type StatementValue = v.InferOutput<typeof valueSchema>

/** What a command asks of the site that is running: a batch of D1, or one key of KV. */
export type DataCall = v.InferOutput<typeof dataCallSchema>

/** The answer to a {@link DataCall}: what D1 or KV answered, or the message of its error. */
export type DataAnswer = { answer: unknown } | { error: string }

/** The Worker of `npm start`: it answers only the front server. */
export default {
  async fetch(request, env, context) {
    const passed = readFrontRequest(request, env.FRONT_SECRET)
    if (passed === undefined) return new Response('Forbidden\n', { status: 403 })
    if (passed.headers.has(FRONT_DATA_HEADER)) {
      const answer = await answerCommand(passed, env)
      // The command may have written an event, or left a test for a channel.
      const deps = createDeps(env, (work) => context.waitUntil(work))
      forgetChannels(deps)
      context.waitUntil(sendAfterAnswer(deps))
      return Response.json(answer)
    }
    return worker.fetch(passed, env, context)
  },
  scheduled: (controller, env, context) => worker.scheduled(controller, env, context),
} satisfies ExportedHandler<Env & FrontBindings>

/** Works for a command of the user who runs the site; the message of an error is for that user. */
async function answerCommand(request: Request, env: Env): Promise<DataAnswer> {
  try {
    return { answer: await runDataCall(v.parse(dataCallSchema, await request.json()), env) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function runDataCall(call: DataCall, env: Env): Promise<unknown> {
  if ('readKey' in call) return env.SETTINGS.getWithMetadata(call.readKey)
  if ('writeKey' in call)
    return env.SETTINGS.put(call.writeKey, call.value, { metadata: call.metadata })
  const statements = call.batch.map(({ query, values }) => env.DB.prepare(query).bind(...values))
  return env.DB.batch(statements)
}
