import type { AppContext } from '../http/context.ts'
import { own } from '../base/own.ts'
import { Refusal, refusalIn, type RefusalName } from '../base/refusals.ts'
import { isPrivateKey } from '../ssh-keys/pasted.ts'
import { isSessionOver } from './session-cookie.ts'
import type { Texts } from './texts/en.ts'

/** What a form sent, by field; of several equal names the first counts. */
export type Fields = Readonly<Record<string, string>>

/** What was wrong with a form; without a field, it is about the whole of it. */
export interface Problem {
  field: string | undefined
  message: string
}

const MAX_ECHOED_CHARACTERS = 16 * 1024

/** @throws {Refusal} `requestInvalid` for what no form of ours sends. */
export async function readForm(c: AppContext): Promise<Fields> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new Refusal('requestInvalid')
  const body = new TextDecoder().decode(await c.req.arrayBuffer())
  const fields = Array.from(new URLSearchParams(body))
  return Object.fromEntries(fields.toReversed())
}

/**
 * What a field shows again after a refusal. Passwords are never asked for here; what looks like a
 * private key does not travel a second time.
 */
export function echo(fields: Fields | undefined, name: string): string {
  const value = (fields && own(fields, name)) ?? ''
  return value.length > MAX_ECHOED_CHARACTERS || isPrivateKey(value) ? '' : value
}

/**
 * Does what a form asks for.
 *
 * @returns What that gives, or the refusal that its page shows.
 * @throws What another try of the form would not mend.
 */
export async function attempt<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal.code >= 500 || isSessionOver(refusal)) throw error
    return refusal
  }
}

/** The field that a refusal is about, where it doesn't say so itself. */
const FIELDS: Partial<Record<RefusalName, string>> = {
  keyInvalid: 'key',
  keyTaken: 'key',
  titleTaken: 'title',
  passwordsDiffer: 'repeat',
  wrongCode: 'code',
  wrongEnrolmentCode: 'code',
  wrongOldPassword: 'old_password',
  confirmationNeeded: 'confirm_password',
  wrongPassword: 'confirm_password',
  wrongConfirmationCode: 'confirm_code',
  usernameTaken: 'username',
  nameKept: 'username',
  roleFixed: 'role',
  adminNotDemoted: 'role',
  builtInNotCreated: 'role',
}

/** A refusal in the visitor's language. */
export function problemOf(t: Texts, refusal: Refusal): Problem {
  return { field: refusal.field ?? FIELDS[refusal.refusal], message: messageOf(t, refusal) }
}

function messageOf(t: Texts, { refusal, fill, field, retryAfterSeconds }: Refusal): string {
  if (retryAfterSeconds !== undefined) {
    return retryAfterSeconds < 60
      ? t.problems.tryAgainSeconds(retryAfterSeconds)
      : t.problems.tryAgainMinutes(Math.ceil(retryAfterSeconds / 60))
  }
  // Beside its field, a reason need not name it.
  const isNamed = field !== undefined && fill.startsWith(`${field} `)
  const reason = isNamed ? fill.slice(field.length + 1) : fill
  return t.refusals[refusal].replace(/<(\w+)>/, (_, what) =>
    // The title of a key is no reason, whatever it says.
    what === 'reason' ? (own(t.reasons, reason) ?? fill) : fill,
  )
}
