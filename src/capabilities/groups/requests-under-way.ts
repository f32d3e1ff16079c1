import * as base64url from 'jose/base64url'
import { and, eq, gt, lte, sql, type SQLWrapper } from 'drizzle-orm'
import { fileRequests, folderState, users } from '../../../schema/tables.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { logError } from '../../core/database/log.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { changedMeanwhile } from '../files/identity.ts'
import { TOO_SLOW } from '../files/origin.ts'
import { hasBasePathThere } from '../files/store.ts'
import { isOfVersion } from './meta-store.ts'
import { hasStanding, isStillAllowed, selectStanding, standingColumns } from './seen-rules.ts'

const ID_BYTES = 16
/** More of one user are refused. */
const MAX_OF_USER = 20
/** The file server may work on for so long once this site has given up the wait for its answer. */
const LEFT_MILLISECONDS = 10 * 60_000
/** Each wait of a change is twice as long as the one before, up to the longest. */
const FIRST_WAIT_MILLISECONDS = 100
const LONGEST_WAIT_MILLISECONDS = 2000
/** A change waits no longer than this, and a little: 0.1, 0.3, 0.7, 1.5, 3.1, 5.1, 7.1, 9.1 seconds. */
const PATIENCE_MILLISECONDS = 9000
/** A proxy between has given up the wait: Gateway Timeout, and Cloudflare's own. */
const TIMEOUTS: readonly number[] = [504, 524]

/** The version of the rules, and the fields of an account that decide what it may do. JSON. */
function rightsNow(userId: SQLWrapper) {
  const fields = sql.join(Object.values(standingColumns), sql`, `)
  return sql`(${sql`select json_array((${sql`select ${folderState.version} from ${folderState}`}), ${fields})
    from ${users} where ${users.id} = ${userId}`})`
}

/** The dependencies of a request that is waited for. */
type RequestDeps = Pick<Deps, 'db' | 'now' | 'randomBytes' | 'defer'>

/** A request, as it was let through. */
export interface AllowedRequest {
  account: Account
  /** That of the rules. */
  version: string
}

/**
 * Sends a request that the file server works through to its end, whoever waits for the answer. A
 * change of rights waits for it, if it comes later; if it came before, the request is not sent.
 *
 * @param send Sends it, also when its client has gone away.
 * @param cancel Cancels what it may have put into a queue, when its rights were taken meanwhile.
 * @throws {Refusal} Those of `send` and `cancel`; `filesUnavailable` when the rights have changed;
 *   `tooManyRequests` while too many of this user are under way.
 */
export async function sendAwaited(
  deps: RequestDeps,
  files: FileServer,
  request: AllowedRequest,
  send: () => Promise<Response>,
  cancel: () => Promise<void>,
): Promise<Response> {
  const id = await begin(deps, files, request)
  const sending = sendNoted(deps, { ...request, id }, send, cancel)
  // It goes on when the client has gone away.
  deps.defer(sending.catch(() => undefined))
  return sending
}

/**
 * The requests of this isolate that began without rules, and when this site gives up the wait for
 * each answer (Unix time, milliseconds). A site without rules writes no notes of them, so the first
 * rule does not know those of other isolates.
 */
const earlierRequests = remembered(
  'requests to the file server while there are no rules',
  () => new Map<symbol, number>(),
)

/** Sends a request that the first rule of the site waits for, if this isolate stores it. */
export function sendWithoutRules(
  deps: Pick<Deps, 'isolateMemory' | 'now' | 'defer'>,
  { timeoutMilliseconds }: FileServer,
  send: () => Promise<Response>,
): Promise<Response> {
  const earlier = earlierRequests(deps)
  const now = deps.now()
  // The platform may end a request whose client has gone away, and nothing tells of it.
  for (const [id, endsAt] of earlier) if (endsAt <= now) earlier.delete(id)
  const own = Symbol('request')
  earlier.set(own, now + timeoutMilliseconds)
  const sending = send()
  const forget = () => void earlier.delete(own)
  deps.defer(sending.then(forget, forget))
  return sending
}

/** Counts the requests under way that began before the site had rules, as far as is known here. */
export function countEarlier(deps: Pick<Deps, 'isolateMemory' | 'now'>): number {
  const now = deps.now()
  return Array.from(earlierRequests(deps).values()).filter((endsAt) => endsAt > now).length
}

type NotedRequest = AllowedRequest & { id: string }

async function sendNoted(
  deps: RequestDeps,
  request: NotedRequest,
  send: () => Promise<Response>,
  cancel: () => Promise<void>,
): Promise<Response> {
  let answer: Response
  try {
    answer = await send()
  } catch (error) {
    // It does not work on where it can't be reached, or has been restarted.
    if (error instanceof Refusal && error.detail !== TOO_SLOW) await end(deps, request)
    throw error
  }
  // OpenList answers when all is done.
  if (TIMEOUTS.includes(answer.status)) return answer
  if (!(await end(deps, request))) await cancel()
  return answer
}

/**
 * Notes a request, unless the rights that let it through have changed, or its user is just written
 * to the file server. Those that are over without anybody having seen it are forgotten.
 */
async function begin(
  { db, now, randomBytes }: RequestDeps,
  { timeoutMilliseconds }: FileServer,
  request: AllowedRequest,
): Promise<string> {
  const { account, version } = request
  const id = base64url.encode(randomBytes(ID_BYTES))
  const at = now()
  const row = {
    id,
    userId: users.id,
    rights: rightsNow(sql`${account.id}`),
    endsAt: at + timeoutMilliseconds + LEFT_MILLISECONDS,
  }
  const isAllowed = and(eq(users.id, account.id), isOfVersion(version), hasStanding(account))
  const ofUser = eq(fileRequests.userId, account.id)
  const own = sql`(${sql`select count(*) from ${fileRequests} where ${ofUser}`})`
  const { begun, others } = await runBatch(db, {
    forgotten: writing(db, THE_SERVICE).delete(fileRequests, lte(fileRequests.endsAt, at)),
    begun: writing(db, THE_SERVICE)
      .insert(fileRequests, row, {
        from: users,
        where: and(isAllowed, hasBasePathThere(db, at), sql`${own} < ${MAX_OF_USER}`),
      })
      .returning({ id: fileRequests.id }),
    others: db.select({ id: fileRequests.id }).from(fileRequests).where(ofUser),
  })
  if (begun.length > 0) return id
  if (others.length < MAX_OF_USER) throw changedMeanwhile(account)
  throw new Refusal('tooManyRequests', { detail: `requests of user ${account.id} are under way` })
}

/**
 * Forgets a request. A failure is logged: the note of it ends by itself.
 *
 * @returns Whether its user might still make it.
 */
async function end({ db }: RequestDeps, request: NotedRequest): Promise<boolean> {
  const { id, account } = request
  try {
    const { standing } = await runBatch(db, {
      ended: writing(db, THE_SERVICE).delete(fileRequests, eq(fileRequests.id, id)),
      standing: selectStanding(db, account.id),
    })
    return isStillAllowed(request, standing[0])
  } catch (error) {
    logError(error, { during: 'the end of a request to the file server' })
    return true
  }
}

/**
 * Counts the requests under way whose users' rights are others by now.
 *
 * @param now Unix time, milliseconds.
 */
export function selectUnderWay(db: Database, now: number) {
  return db
    .select({
      count: sql<number>`count(*)`,
      /** Those whose answer this site still waits for. */
      awaited: sql<number>`count(*) filter (where ${fileRequests.endsAt} > ${now + LEFT_MILLISECONDS})`,
    })
    .from(fileRequests)
    .where(
      and(
        gt(fileRequests.endsAt, now),
        sql`${fileRequests.rights} is not ${rightsNow(fileRequests.userId)}`,
      ),
    )
}

/**
 * Waits for the requests that began before a change of rights, as long as a change may.
 *
 * @param known How many there were when the change looked at the queues of the file server.
 * @returns Whether one of them has ended since.
 */
export async function waitForRequests(
  deps: Pick<Deps, 'db' | 'now' | 'wait' | 'isolateMemory'>,
  known: number,
): Promise<boolean> {
  if (known === 0) return false
  const found = await waitWhile(deps, () => countUnderWay(deps))
  return found.count < known
}

/**
 * Waits for all requests that are under way now, as long as a change may.
 *
 * @returns Whether all have ended.
 */
export async function waitForAll(deps: Pick<Deps, 'db' | 'now' | 'wait'>): Promise<boolean> {
  const { id, endsAt } = fileRequests
  const isUnderWay = gt(endsAt, deps.now())
  const begun = await deps.db.select({ id }).from(fileRequests).where(isUnderWay)
  const ids = new Set(begun.map((request) => request.id))
  const { awaited } = await waitWhile(deps, async () => {
    const left = await deps.db.select({ id }).from(fileRequests)
    return { awaited: left.filter((request) => ids.has(request.id)).length }
  })
  return awaited === 0
}

/** Waits as long as a change may, while `count` counts requests that are awaited. */
async function waitWhile<Found extends { awaited: number }>(
  deps: Pick<Deps, 'wait'>,
  count: () => Promise<Found>,
): Promise<Found> {
  let [found, next, waited] = [await count(), FIRST_WAIT_MILLISECONDS, 0]
  while (found.awaited > 0 && waited < PATIENCE_MILLISECONDS) {
    await deps.wait(next)
    waited += next
    next = Math.min(2 * next, LONGEST_WAIT_MILLISECONDS)
    found = await count()
  }
  return found
}

async function countUnderWay(deps: Pick<Deps, 'db' | 'now' | 'isolateMemory'>) {
  const { underWay } = await runBatch(deps.db, { underWay: selectUnderWay(deps.db, deps.now()) })
  const { count = 0, awaited = 0 } = underWay[0] ?? {}
  const earlier = countEarlier(deps)
  return { count: count + earlier, awaited: awaited + earlier }
}
