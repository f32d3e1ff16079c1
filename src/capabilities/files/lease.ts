import * as base64url from 'jose/base64url'
import { and, eq, gt, lte, sql, type SQLWrapper } from 'drizzle-orm'
import * as v from 'valibot'
import { fileLeases } from '../../../schema/tables.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { Database } from '../../core/database/database.ts'
import { literal } from '../../core/database/literal.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { filesUnavailable, type OriginDeps } from './origin.ts'

export type LeaseDeps = OriginDeps & Pick<Deps, 'db' | 'now' | 'wait'>

/** No user has these ids: the lease of the metas, and that of the move of a folder with its rules. */
export const METAS = 0
export const FOLDER_MOVE = -1
const HOLDER_BYTES = 16
/** A lease outlives the longest call to the file server by so much. */
const MARGIN_MILLISECONDS = 10_000
/**
 * For so long after the end of its lease, a write that was given up may still be done there: a
 * lease that was not given back stays so long, and says so.
 */
const LATE_MILLISECONDS = HOUR_MILLISECONDS
/** A lease is renewed before each call. A call of more than this is taken for one that hangs. */
const HANGING_MILLISECONDS = 2000
/** Each wait is twice as long as the one before, up to the longest. */
const FIRST_WAIT_MILLISECONDS = 100
const LONGEST_WAIT_MILLISECONDS = 2000
const BAD_GATEWAY = 502
/** The detail of the refusal while somebody else holds the lease. */
export const OTHERS_WRITE = 'others write this user'

/**
 * Writes a user to the file server while nobody else does. Of two writes at once, the file server
 * may finish the older one last, and a write that finds the half of another one would take the user
 * for somebody else. A call that was given up may still be under way there: its lease is not given
 * back, and ends by itself. It stays as a note that the call may be done late (`mayLandLate`), also
 * when others have written since.
 *
 * @param write Gets the dependencies whose calls hold the lease: it ends later than each of them.
 * @param options.patienceMilliseconds For how long it waits while others write.
 * @param options.findDone Finds what others have written meanwhile, so that it needs no write: of
 *   many who wait, one takes the lease at a time, and the next one a wait later.
 * @param options.leaseMilliseconds How long others wait when a writer was killed. A lease that is
 *   shorter than a call is renewed while the call takes its time, so `mayLandLate` can't see that
 *   it hangs: for what nobody asks `mayLandLate`. By default it outlives the longest call.
 * @throws {Refusal} `filesUnavailable` when others write for longer, or the lease was lost.
 */
export async function asOnlyWriter<D extends LeaseDeps, T>(
  deps: D,
  { timeoutMilliseconds }: FileServer,
  userId: number,
  write: (leased: D) => Promise<T>,
  {
    patienceMilliseconds = 20_000,
    leaseMilliseconds = timeoutMilliseconds + MARGIN_MILLISECONDS,
    findDone,
  }: {
    patienceMilliseconds?: number | undefined
    leaseMilliseconds?: number
    findDone?: () => Promise<T | undefined>
  } = {},
): Promise<T> {
  const holder = base64url.encode(deps.randomBytes(HOLDER_BYTES))
  const lease = () => ({ userId, holder, endsAt: deps.now() + leaseMilliseconds })
  let [wait, waited] = [FIRST_WAIT_MILLISECONDS, 0]
  let taken = await takeLease(deps.db, lease(), deps.now())
  while (!taken.isOurs) {
    if (waited >= patienceMilliseconds) throw filesUnavailable(OTHERS_WRITE)
    await deps.wait(wait)
    const done = await findDone?.()
    if (done !== undefined) return done
    waited += wait
    wait = Math.min(2 * wait, LONGEST_WAIT_MILLISECONDS)
    taken = await takeLease(deps.db, lease(), deps.now())
  }
  let isUnderWay = false
  const sendOut: Deps['sendOut'] = async (url, init, reach) => {
    const renew = () => renewLease(deps.db, lease())
    if (!(await renew())) throw filesUnavailable('the write took too long')
    const isShort = leaseMilliseconds < timeoutMilliseconds
    // The next call finds out that the lease was lost.
    const beat =
      isShort && setInterval(() => void renew().catch(() => false), leaseMilliseconds / 2)
    const answer = await deps
      .sendOut(url, init, reach)
      .catch((error: unknown) => {
        isUnderWay = init.signal?.aborted === true
        throw error
      })
      .finally(() => beat && clearInterval(beat))
    // A proxy between has given up; the file server itself answers nothing of the kind.
    isUnderWay = answer.status >= BAD_GATEWAY
    return answer
  }
  try {
    return await write({ ...deps, sendOut })
  } finally {
    if (!isUnderWay) await returnLease(deps.db, { userId, holder }, taken.left)
  }
}

type Lease = typeof fileLeases.$inferSelect

/** @returns Whether nobody else has it, and the lease that was not given back before. */
async function takeLease(db: Database, lease: Lease, now: number) {
  const { left, taken } = await runBatch(db, {
    left: db.select().from(fileLeases).where(eq(fileLeases.userId, lease.userId)),
    taken: writing(db, THE_SERVICE)
      .insert(fileLeases, lease)
      .onConflictDoUpdate({
        target: fileLeases.userId,
        set: { holder: lease.holder, endsAt: lease.endsAt },
        setWhere: lte(fileLeases.endsAt, now),
      })
      .returning({ userId: fileLeases.userId }),
  })
  return { isOurs: taken.length > 0, left: left.find(({ endsAt }) => isLate(endsAt, now)) }
}

/** @returns Whether it was still ours. */
async function renewLease(db: Database, { userId, holder, endsAt }: Lease): Promise<boolean> {
  const { renewed } = await runBatch(db, {
    renewed: writing(db, THE_SERVICE)
      .update(fileLeases, { endsAt }, isHeld(userId, holder))
      .returning({ userId: fileLeases.userId }),
  })
  return renewed.length > 0
}

/** @param left Whose write may be done late. It is put back. */
async function returnLease(
  db: Database,
  { userId, holder }: Pick<Lease, 'userId' | 'holder'>,
  left: Lease | undefined,
): Promise<void> {
  const [written, which] = [writing(db, THE_SERVICE), isHeld(userId, holder)]
  await runBatch(db, {
    returned: left ? written.update(fileLeases, left, which) : written.delete(fileLeases, which),
  })
}

/** Deletes the leases of those who ended without giving them back, once nothing can come late. */
export function pruneLeases(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(
    fileLeases,
    lte(fileLeases.endsAt, now - LATE_MILLISECONDS),
  )
}

function isLate(endsAt: number, now: number): boolean {
  return endsAt > now - LATE_MILLISECONDS
}

/**
 * When each lease of a user ends (Unix time, milliseconds), as JSON: those of the writes under way,
 * and of those that were given up.
 */
export const leaseEnds =
  sql<string>`(select json_group_array(${fileLeases.endsAt}) from ${fileLeases} where ${fileLeases.userId} > ${literal(METAS)})`.as(
    'lease_ends',
  )

/** Reads `leaseEnds`. */
export async function readLeaseEnds(db: Database): Promise<string> {
  const [row] = await db.select({ leaseEnds }).from(sql`(select 1)`)
  return row?.leaseEnds ?? '[]'
}

const endsSchema = v.pipe(v.string(), v.parseJson(), v.array(v.number()))

/**
 * Tells whether a write hangs, or was given up and may still be done, so that the file server may
 * not have what was last written.
 *
 * @param ends That of `leaseEnds`.
 */
export function mayLandLate(
  ends: string,
  { timeoutMilliseconds }: FileServer,
  now: number,
): boolean {
  const latest = now + timeoutMilliseconds + MARGIN_MILLISECONDS - HANGING_MILLISECONDS
  return v.parse(endsSchema, ends).some((endsAt) => isLate(endsAt, now) && endsAt <= latest)
}

/**
 * Selects the lease of a user, `METAS` or `FOLDER_MOVE` while somebody has it.
 *
 * @param userId Or the column with the id.
 * @param now Unix time, milliseconds.
 */
export function selectHeld(db: Database, userId: number | SQLWrapper, now: number) {
  return db
    .select({ userId: fileLeases.userId })
    .from(fileLeases)
    .where(and(eq(fileLeases.userId, userId), gt(fileLeases.endsAt, now)))
}

function isHeld(userId: number, holder: string) {
  return and(eq(fileLeases.userId, userId), eq(fileLeases.holder, holder))
}
