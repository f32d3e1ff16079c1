import * as base64url from 'jose/base64url'
import { and, eq, lte } from 'drizzle-orm'
import { fileLeases } from '../../../schema/tables.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import type { Database } from '../../core/database/database.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { filesUnavailable, type OriginDeps } from './origin.ts'

export type LeaseDeps = OriginDeps & Pick<Deps, 'db' | 'now' | 'wait'>

const HOLDER_BYTES = 16
/** A lease outlives the longest call to the file server by so much. */
const MARGIN_MILLISECONDS = 10_000
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
 * back, and ends by itself.
 *
 * @param write Gets the dependencies whose calls hold the lease: it ends later than each of them.
 * @param patienceMilliseconds For how long it waits while others write.
 * @throws {Refusal} `filesUnavailable` when others write for longer, or the lease was lost.
 */
export async function asOnlyWriter<D extends LeaseDeps, T>(
  deps: D,
  { timeoutMilliseconds }: FileServer,
  userId: number,
  write: (leased: D) => Promise<T>,
  patienceMilliseconds = 20_000,
): Promise<T> {
  const holder = base64url.encode(deps.randomBytes(HOLDER_BYTES))
  const lease = () => ({
    userId,
    holder,
    endsAt: deps.now() + timeoutMilliseconds + MARGIN_MILLISECONDS,
  })
  let [wait, waited] = [FIRST_WAIT_MILLISECONDS, 0]
  while (!(await takeLease(deps.db, lease(), deps.now()))) {
    if (waited >= patienceMilliseconds) throw filesUnavailable(OTHERS_WRITE)
    await deps.wait(wait)
    waited += wait
    wait = Math.min(2 * wait, LONGEST_WAIT_MILLISECONDS)
  }
  let isUnderWay = false
  const sendOut: Deps['sendOut'] = async (url, init, reach) => {
    if (!(await renewLease(deps.db, lease()))) throw filesUnavailable('the write took too long')
    const answer = await deps.sendOut(url, init, reach).catch((error: unknown) => {
      isUnderWay = init.signal?.aborted === true
      throw error
    })
    // A proxy between has given up; the file server itself answers nothing of the kind.
    isUnderWay = answer.status >= BAD_GATEWAY
    return answer
  }
  try {
    return await write({ ...deps, sendOut })
  } finally {
    if (!isUnderWay) await returnLease(deps.db, userId, holder)
  }
}

type Lease = typeof fileLeases.$inferSelect

/** @returns Whether nobody else has it. */
async function takeLease(db: Database, lease: Lease, now: number): Promise<boolean> {
  const { taken } = await runBatch(db, {
    taken: writing(db, THE_SERVICE)
      .insert(fileLeases, lease)
      .onConflictDoUpdate({
        target: fileLeases.userId,
        set: { holder: lease.holder, endsAt: lease.endsAt },
        setWhere: lte(fileLeases.endsAt, now),
      })
      .returning({ userId: fileLeases.userId }),
  })
  return taken.length > 0
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

async function returnLease(db: Database, userId: number, holder: string): Promise<void> {
  await runBatch(db, {
    returned: writing(db, THE_SERVICE).delete(fileLeases, isHeld(userId, holder)),
  })
}

/** Deletes the leases of those who ended without giving them back. */
export function pruneLeases(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(fileLeases, lte(fileLeases.endsAt, now))
}

function isHeld(userId: number, holder: string) {
  return and(eq(fileLeases.userId, userId), eq(fileLeases.holder, holder))
}
