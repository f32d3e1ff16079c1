import { sql } from 'drizzle-orm'
import { BEGUN_WITH_PASSWORD } from '../../core/access/begun-with-names.ts'
import { selectForSignIn, signInColumns } from '../../core/accounts/store.ts'
import { namedTexts } from '../../core/database/named-text.ts'
import { asAuthority, THE_SERVICE } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { selectSignInBlocks } from '../../core/throttle/blocks.ts'
import { chargeSignIn } from '../../core/throttle/charges.ts'
import { signInCounters, type SignInCounters } from '../../core/throttle/counters.ts'
import { noteSignInStop } from '../../core/throttle/stops.ts'
import { partsOfSession } from './complete-sign-in.ts'
import { chargeValues, type PasswordSession, sessionValues, signInEvent } from './sign-in-values.ts'
import { isUnchanged } from './store.ts'

/** The statements that charge an attempt and find its user. */
export function chargeStatements(db: Database, signIn: SignInCounters, now: number) {
  return {
    // Stands before the charge, which can spend a counter itself.
    blocks: selectSignInBlocks(db, signIn, now),
    charged: chargeSignIn(db, THE_SERVICE, signIn, now),
    noted: noteSignInStop(db, THE_SERVICE, signIn, now),
    found: selectForSignIn(db, signIn.username),
  }
}

/** Values that differ from each other and from every constant of the statements. */
const SAMPLES: [Sample, Sample] = [
  { number: 1_700_000_000_000, text: 'First-Sample', network: '2001:db8:1:1::/64' },
  { number: 1_600_000_000_000, text: 'Second-Sample', network: '2001:db8:2:2::/64' },
]

interface Sample {
  number: number
  text: string
  network: string
}

/**
 * Returns the text of the statements of a sign-in with a password alone
 * (`scripts/assets/queries.ts`).
 */
export function textsOfSignIn(db: Database) {
  return {
    userFields: Object.keys(signInColumns),
    charge: namedTexts(
      SAMPLES,
      (sample) => chargeStatements(db, countersOf(sample), sample.number),
      (sample) => chargeValues(countersOf(sample), sample.number),
    ),
    begin: namedTexts(
      SAMPLES,
      (sample) => beginStatements(db, sessionOf(sample)),
      (sample) => sessionValues(sessionOf(sample)),
    ),
  }
}

export function beginStatements(
  db: Database,
  { event, passwordChangedAt, session, signIn }: PasswordSession,
) {
  const user = { id: event.userId, totpSeed: null, passwordChangedAt }
  const by = asAuthority(sql`(${isUnchanged(db, user, event.at)})`)
  const methods = ['pwd'] as const
  const checked = { user, signIn, methods, begunWith: BEGUN_WITH_PASSWORD, now: event.at }
  return partsOfSession(db, by, checked, session, event)
}

function countersOf({ text, network }: Sample): SignInCounters {
  return signInCounters(text, `hash of ${text}`, network)
}

function sessionOf(sample: Sample): PasswordSession {
  const { number, text, network } = sample
  const userId = number + 1
  const at = number + 2
  return {
    event: signInEvent(
      { network, userAgent: `program of ${text}`, country: `country of ${text}` },
      userId,
      at,
    ),
    passwordChangedAt: number + 3,
    session: {
      sessionId: `session of ${text}`,
      userId,
      issuedAtSeconds: number + 4,
      expiresAtSeconds: number + 5,
    },
    signIn: countersOf(sample),
  }
}
