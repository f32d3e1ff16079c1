import { inBatchOf, type SharedParts } from '../../../core/database/shared-batch.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { loadPartsOfUser } from '../../../web/kit/capability.ts'
import { RemainingKind } from '../../../web/kit/remaining-rows.tsx'
import { CHECK_PATH } from '../../../web/kit/checking.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import type { Remaining } from '../../../web/kit/part-of-user.ts'
import type { View } from '../../../web/kit/view.ts'
import { signInPath } from '../../sign-in/pages/next.ts'

/**
 * Finds what still gives access to an account or its files after a new password, or is told of it.
 *
 * @param runParts Runs the statements with its own, which check who reads.
 * @returns What it answers, and what remains, without empty kinds.
 */
export async function findRemaining<Ran extends Record<string, unknown>>(
  c: AppContext,
  userId: number,
  runParts: (parts: SharedParts) => Promise<Ran>,
): Promise<{ ran: Ran; remaining: Remaining[] }> {
  const parts = await loadPartsOfUser(c.get('capabilities'))
  const kinds = parts.flatMap(({ remaining = [] }) => remaining)
  const { ran, works } = await inBatchOf(runParts, (batch) =>
    kinds.map((read) => read(c.get('deps'), userId, batch)),
  )
  return { ran, remaining: listed(works) }
}

/** The kinds of which there are any; those that give access only by mail stand last. */
export function listed(kinds: readonly Remaining[]): Remaining[] {
  return kinds
    .filter(({ rows }) => rows.length > 0)
    .toSorted((a, b) => Number(a.isByMail ?? false) - Number(b.isByMail ?? false))
}

interface RemainingAccessProps {
  view: View
  remaining: readonly Remaining[]
  /** For an operator: the account is another user's. */
  ofOther?: boolean
}

/**
 * Lists what still gives access after a new password. The change has ended every session, so the
 * user can delete it only after the next sign-in.
 */
export function RemainingAccessPage({ view, remaining }: RemainingAccessProps) {
  const t = view.t.remaining
  return (
    <CardPage view={view} icon="done" tone="green" title={t.title} lead={t.lead}>
      <RemainingAccessLists view={view} remaining={remaining} />
      <p>{t.hint}</p>
      <a role="button" href={signInPath(CHECK_PATH)}>
        {t.signIn}
      </a>
    </CardPage>
  )
}

/** Lists what remains, by kind. */
export function RemainingAccessLists({ view, remaining, ofOther = false }: RemainingAccessProps) {
  return (
    <>
      {remaining.map((kind) => (
        <RemainingKind view={view} kind={kind} ofOther={ofOther} />
      ))}
    </>
  )
}
