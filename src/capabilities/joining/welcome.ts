import { and, count, eq, gt, isNull, or } from 'drizzle-orm'
import { appPasswords, sshKeys } from '../../../schema/tables.ts'
import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { selectDetails } from '../users/details-store.ts'

/** Reads what a user who has just joined has done already, in one round trip. */
export async function readWelcome(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  const { userId } = actor
  const isLasting = or(isNull(appPasswords.expiresAt), gt(appPasswords.expiresAt, deps.now()))
  const { account, details, keys, programs } = await read(deps, own(actor), {
    details: selectDetails(db, userId),
    keys: db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.userId, userId)),
    programs: db
      .select({ total: count() })
      .from(appPasswords)
      .where(and(eq(appPasswords.userId, userId), isLasting)),
  })
  return {
    account,
    hasAddress: details[0]?.emailVerified ?? false,
    hasKey: (keys[0]?.total ?? 0) > 0,
    hasAppPassword: (programs[0]?.total ?? 0) > 0,
  }
}
