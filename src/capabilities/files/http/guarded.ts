import type { ReaderDeps } from '../../../core/access/act-as.ts'
import type { AccountColumn } from '../../../core/access/actor-queries.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import type { Deps } from '../../../core/deps.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { loadPart } from '../../../core/base/load-part.ts'
import type {
  FileAsker,
  FileCall,
  GuardedCall,
  SendCall,
  Understood,
} from '../../../web/kit/file-guard.ts'
import { NO_GUARD } from '../store.ts'
import { bodyText, type SentBody, textBody } from './body.ts'
import { targetOf } from './target.ts'

/** A request as the client has sent it, or as a guard has understood it. */
export interface SentRequest {
  headers: Headers
  body: SentBody
  /** With its question mark; `undefined` for that of the client. */
  search: string | undefined
}

/** A request that the guard of the site has read, if the site has one. */
export interface Guarded {
  column: AccountColumn
  /** What reads the account's row. */
  readerOf: (deps: Deps) => ReaderDeps
  admit: (asker: FileAsker, sent: SentRequest) => Promise<SentRequest>
  sendMeta: (meta: SentMeta) => Promise<object>
  send: (asker: FileAsker, send: SendCall) => Promise<Response>
  answer: (asker: FileAsker, answer: Response) => Promise<Response>
}

/** A meta that is sent to the file server. */
type SentMeta = Readonly<Record<string, unknown>>

const UNGUARDED: Guarded = {
  column: NO_GUARD,
  readerOf: (deps) => deps,
  admit: (_, sent) => Promise.resolve(sent),
  sendMeta: (meta) => Promise.resolve(meta),
  send: (_, send) => send(),
  answer: (_, answer) => Promise.resolve(answer),
}

/**
 * Lets the guard of the site read a request.
 *
 * @throws {Refusal} Those of the guard.
 */
export async function readGuarded(
  c: AppContext,
  files: FileServer,
  area: FileCall['area'],
  headers: Headers,
  body: SentBody,
): Promise<Guarded> {
  const load = c.get('capabilities').find(({ fileGuard }) => fileGuard !== undefined)?.fileGuard
  if (load === undefined) return UNGUARDED
  const guardFiles = await loadPart(load)
  const { path, url } = targetOf(c)
  const call = guardFiles(c.get('deps'), files, {
    area,
    method: c.req.method,
    path,
    query: url.searchParams,
    headers,
    body: () => bodyText(body),
    isLarge: body.kept === undefined,
  })
  return guardedBy(call)
}

function guardedBy(call: GuardedCall): Guarded {
  return {
    column: call.column ?? NO_GUARD,
    readerOf: (deps) => (call.isExact === true ? ofPrimary(deps) : deps),
    admit: async (asker, sent) => asUnderstood(sent, await call.admit(asker)),
    sendMeta: (meta) => call.sendMeta?.(meta) ?? Promise.resolve(meta),
    send: (asker, send) => call.send?.(asker, send) ?? send(),
    answer: (asker, answer) => call.answer?.(asker, answer) ?? Promise.resolve(answer),
  }
}

function ofPrimary({ db, now, defer, meter }: Deps): ReaderDeps {
  return { db, now, defer, meter, nearbyDb: () => Promise.resolve(undefined) }
}

function asUnderstood(sent: SentRequest, { body, search, headers }: Understood): SentRequest {
  for (const [name, value] of Object.entries(headers ?? {})) sent.headers.set(name, value)
  return {
    headers: sent.headers,
    body: body === undefined ? sent.body : textBody(body),
    search: search ?? sent.search,
  }
}
