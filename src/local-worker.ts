import * as v from 'valibot'
import { refusalIn } from './base/refusals.ts'
import { FRONT_DATA_HEADER, type FrontBindings, readFrontRequest } from './http/front.ts'
import { createDeps } from './deps.ts'
import { sendAfterAnswer } from './notices/after-requests.ts'
import { forgetChannels } from './notices/memory.ts'
import { forgetKeySet } from './openid/keys.ts'
import worker from './worker.ts'

export { PasswordHasher } from './crypto/password-hasher.ts'

const keyOptionsSchema = v.strictObject({
  metadata: v.exactOptional(v.unknown()),
  expirationTtl: v.exactOptional(v.number()),
})
/** What KV is told with a value. */
export type KeyOptions = v.InferOutput<typeof keyOptionsSchema>

const valueSchema = v.union([v.string(), v.number(), v.boolean(), v.null()])
const dataCallSchema = v.union([
  v.object({
    batch: v.array(v.object({ query: v.string(), values: v.array(valueSchema) })),
  }),
  v.object({ readKey: v.string() }),
  v.object({ writeKey: v.string(), value: v.string(), options: keyOptionsSchema }),
  v.object({ cron: v.string() }),
])

export type StatementValue = v.InferOutput<typeof valueSchema>

/**
 * What a command asks of the site that is running: a batch of D1, or one key of KV. `npm start`
 * asks for the run of a trigger.
 */
export type DataCall = v.InferOutput<typeof dataCallSchema>

/** The answer to a {@link DataCall}: what D1 or KV answered, or the message of its error. */
export type DataAnswer = { answer: unknown } | { error: string }

/** The Worker of `npm start`: it answers only the front server. */
export default {
  async fetch(request, env, context) {
    const passed = readFrontRequest(request, env.FRONT_SECRET)
    if (passed === undefined) return new Response('Forbidden\n', { status: 403 })
    if (passed.headers.has(FRONT_DATA_HEADER)) {
      const answer = await answerCommand(passed, env, context)
      // The command may have written an event, left a test for a channel, or made a signing key.
      const deps = createDeps(env, (work) => context.waitUntil(work))
      forgetChannels(deps)
      forgetKeySet(deps)
      context.waitUntil(sendAfterAnswer(deps))
      return Response.json(answer)
    }
    return worker.fetch(passed, env, context)
  },
} satisfies ExportedHandler<Env & FrontBindings>

/** Works for a command of the user who runs the site; the message of an error is for that user. */
async function answerCommand(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Promise<DataAnswer> {
  try {
    const call = v.parse(dataCallSchema, await request.json())
    return { answer: await runDataCall(call, env, context) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function runDataCall(call: DataCall, env: Env, context: ExecutionContext): Promise<unknown> {
  if ('cron' in call) {
    const controller = { cron: call.cron, scheduledTime: Date.now(), noRetry: () => undefined }
    return worker.scheduled(controller, env, context).catch((error: unknown) => {
      const { detail, message } = refusalIn(error)
      // Drizzle's own message holds the parameters of the query.
      throw new Error(detail || message)
    })
  }
  if ('readKey' in call) return env.SETTINGS.getWithMetadata(call.readKey)
  if ('writeKey' in call) return env.SETTINGS.put(call.writeKey, call.value, call.options)
  const statements = call.batch.map(({ query, values }) => env.DB.prepare(query).bind(...values))
  return env.DB.batch(statements)
}
