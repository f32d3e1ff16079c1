import * as v from 'valibot'
import { Refusal, refusalIn } from '../../core/base/refusals.ts'
import { FRONT_DATA_HEADER, type FrontBindings, readFrontRequest } from '../../web/http/front.ts'
import { createDeps, loadDatabase } from '../../core/deps.ts'
import { CAPABILITIES } from '../../capabilities.ts'
import {
  type DataAnswer,
  dataCallSchema,
  filesAnswerSchema,
  type keyIdAnswerSchema,
  type MailAnswer,
  runDataCall,
} from './local-data.ts'
import worker from '../../worker.ts'

export { PasswordHasher } from '../../core/crypto/password-hasher.ts'

/**
 * `npm start` also asks for the run of a trigger; commands with what the site mails, and for its
 * file server.
 */
const callSchema = v.union([
  dataCallSchema,
  v.object({ cron: v.string() }),
  v.object({ ask: v.picklist(['mail', 'files', 'key id']) }),
])
export type SiteCall = v.InferOutput<typeof callSchema>

/** The Worker of `npm start`: it answers only the front server. */
const site = {
  async fetch(request, env, context) {
    const passed = readFrontRequest(request, env.FRONT_SECRET)
    if (passed === undefined) return new Response('Forbidden\n', { status: 403 })
    if (passed.headers.has(FRONT_DATA_HEADER)) {
      const answer = await answerCommand(passed, env, context)
      await loadDatabase()
      const deps = createDeps(env, (work) => context.waitUntil(work))
      for (const { afterCommand } of CAPABILITIES) {
        if (afterCommand !== undefined) context.waitUntil(afterCommand().then((run) => run(deps)))
      }
      return Response.json(answer)
    }
    return worker.fetch(passed, env, context)
  },
} satisfies ExportedHandler<Env & FrontBindings>

/**
 * `default` is asked by workerd for what is no file of `.build/assets`. A request to `direct`
 * passes none of the Workers that look for such a file.
 */
export { site as default, site as direct }

/** Works for a command of the user who runs the site; the message of an error is for that user. */
async function answerCommand(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Promise<DataAnswer> {
  try {
    const call = v.parse(callSchema, await request.json())
    if ('ask' in call) return { answer: await tellOf(call.ask, env) }
    const answer = await ('cron' in call
      ? runTrigger(call.cron, env, context)
      : runDataCall(call, env))
    return { answer }
  } catch (error) {
    if (error instanceof Refusal) return { error: error.detail || error.message }
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function tellOf(what: 'mail' | 'files' | 'key id', env: Env): Promise<unknown> {
  if (what === 'mail') return mailOf(env)
  if (what === 'files') return v.parse(filesAnswerSchema, env)
  const ring = await createDeps(env, () => undefined).keyRing()
  return { keyId: ring.current.id } satisfies v.InferOutput<typeof keyIdAnswerSchema>
}

/**
 * Tells a command with what this site mails, and where it answers: only a site that runs knows its
 * port and its environment.
 *
 * @throws {Refusal} `internal` when a variable is invalid.
 */
function mailOf(env: Env): MailAnswer {
  const { sendEmail, mailFrom, siteAddress } = createDeps(env, () => undefined)
  return { from: mailFrom(), address: siteAddress(), canSend: sendEmail !== undefined }
}

function runTrigger(cron: string, env: Env, context: ExecutionContext): Promise<void> {
  const controller = { cron, scheduledTime: Date.now(), noRetry: () => undefined }
  return worker.scheduled(controller, env, context).catch((error: unknown) => {
    const { detail, message } = refusalIn(error)
    // Drizzle's own message holds the parameters of the query.
    throw new Error(detail || message)
  })
}
