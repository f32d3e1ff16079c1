import * as v from 'valibot'

const keyOptionsSchema = v.strictObject({
  metadata: v.exactOptional(v.unknown()),
  expirationTtl: v.exactOptional(v.number()),
})
/** The options of a value in KV. */
export type KeyOptions = v.InferOutput<typeof keyOptionsSchema>

const valueSchema = v.union([v.string(), v.number(), v.boolean(), v.null()])
export type StatementValue = v.InferOutput<typeof valueSchema>

/** A call of a command to the local data: a batch of D1, or one key of KV. */
export const dataCallSchema = v.union([
  v.object({
    batch: v.array(v.object({ query: v.string(), values: v.array(valueSchema) })),
  }),
  v.object({ readKey: v.string() }),
  v.object({ writeKey: v.string(), value: v.string(), options: keyOptionsSchema }),
])
type DataCall = v.InferOutput<typeof dataCallSchema>

/** The answer to a {@link DataCall}: what D1 or KV answered, or the message of its error. */
export const dataAnswerSchema = v.union([
  v.object({ error: v.string() }),
  v.object({ answer: v.optional(v.unknown()) }),
])
export type DataAnswer = v.InferOutput<typeof dataAnswerSchema>

/** The sender of the mails of a running site, its address, and whether it can send any. */
export const mailAnswerSchema = v.object({
  from: v.optional(v.string()),
  address: v.optional(v.string()),
  canSend: v.boolean(),
})
export type MailAnswer = v.InferOutput<typeof mailAnswerSchema>

/** The id of the first entry of `SECRET_KEYS` that a running site uses. */
export const keyIdAnswerSchema = v.object({ keyId: v.string() })

/** The bindings of a running site that describe its file server (`FileServerBindings`). */
export const filesAnswerSchema = v.object({
  FILES_ORIGIN: v.optional(v.string()),
  FILES_TOKEN: v.optional(v.string()),
  FILES_HEADERS: v.optional(v.string()),
  FILES_HOST: v.optional(v.string()),
  FILES_TIMEOUT_SECONDS: v.optional(v.string()),
  FILES_PAGE_POLICY: v.optional(v.string()),
  FILES_OPEN_LINKS: v.optional(v.string()),
})

/** The database and the namespace of a site. */
export type SiteBindings = Pick<Env, 'DB' | 'SETTINGS'>

/**
 * Does in a Worker what a command asks. It uses nothing but its arguments, because its text is also
 * the Worker of a command that works on a site that is not served (`cli/site/local-site.ts`).
 */
export async function runDataCall(call: DataCall, { DB, SETTINGS }: SiteBindings) {
  if ('readKey' in call) return SETTINGS.getWithMetadata(call.readKey)
  if ('writeKey' in call) return SETTINGS.put(call.writeKey, call.value, call.options)
  return DB.batch(call.batch.map(({ query, values }) => DB.prepare(query).bind(...values)))
}
