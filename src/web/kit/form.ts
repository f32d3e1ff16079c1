import type { AppContext } from '../http/context.ts'
import { own } from '../../core/base/own.ts'
import { fillText, isKeyPart, type Reason } from '../../core/base/reasons.ts'
import { Refusal, refusalIn, type RefusalName } from '../../core/base/refusals.ts'
import { isPrivateKey } from '../../core/crypto/private-key.ts'
import { isSessionOver } from './session-over.ts'
import type { Texts } from './texts.ts'

/** The values of a form by field name; of several equal names the first counts. */
export type Fields = Readonly<Record<string, string>>

/** Why a form was refused. `field` is `undefined` when no single field is wrong. */
export interface Problem {
  field: string | undefined
  message: string
}

/** A form that was refused, by its name on its page. */
export interface Refused<Name extends string = string> {
  form: Name
  fields: Fields
  refusal: Refusal
}

/** A refused form, as its page shows it. */
export type ShownRefused<Name extends string = string> = Omit<Refused<Name>, 'refusal'> & {
  problem: Problem
}

/**
 * Returns the problem of a form; `undefined` when another form was refused, or none.
 *
 * @param values What the form sends of its row, where every row of a list has such a form.
 */
export function problemIn<Name extends string>(
  refused: ShownRefused<Name> | undefined,
  form: NoInfer<Name>,
  values: Fields = {},
): Problem | undefined {
  return refused?.form === form && isOfRow(refused, values) ? refused.problem : undefined
}

/** Tells whether a refused form is one of the row that has these values. */
export function isOfRow(refused: ShownRefused | undefined, values: Fields): boolean {
  return Object.entries(values).every(([name, value]) => refused?.fields[name] === value)
}

const MAX_ECHOED_CHARACTERS = 16 * 1024

/** @throws {Refusal} `requestInvalid` when the body is not URL-encoded. */
export async function readForm(c: AppContext): Promise<Fields> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new Refusal('requestInvalid')
  const body = new TextDecoder().decode(await c.req.arrayBuffer())
  const fields = Array.from(new URLSearchParams(body))
  return Object.fromEntries(fields.toReversed())
}

/**
 * Returns the value that a field shows again after a refusal; empty for private keys and for very
 * long values. Never called for passwords.
 */
export function echo(fields: Fields | undefined, name: string): string {
  const value = (fields && own(fields, name)) ?? ''
  return value.length > MAX_ECHOED_CHARACTERS || isPrivateKey(value) ? '' : value
}

/**
 * Runs the decision of a form.
 *
 * @returns Its result, or the refusal that the form's page shows.
 * @throws Failures of the service, and refusals that need a new sign-in.
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

/** The field that shows a refusal, for refusals that carry no field. */
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
  nameFixed: 'username',
  nameReserved: 'username',
  tooManyNames: 'username',
  clientNameTaken: 'name',
  roleFixed: 'role',
  adminNotDemoted: 'role',
  builtInNotCreated: 'role',
  tokenNameTaken: 'name',
  groupNameMissing: 'name',
  groupNameTooLong: 'name',
  groupNameCharacters: 'name',
  groupNameReserved: 'name',
  groupNameTaken: 'name',
  groupNoteTooLong: 'note',
  guestInNoGroup: 'username',
  tooManyGroupsOfUser: 'username',
  folderMissing: 'path',
  folderInvalid: 'path',
  folderIsFile: 'path',
  folderHasOwnUsers: 'path',
  fileHasOwnUsers: 'path',
  tooManyRuleFolders: 'path',
  ruleNeedsWhose: 'who',
  adminsHaveEveryRight: 'who',
  folderRuleTaken: 'who',
  accessInvalid: 'access',
  wrongConfirmationPasskey: 'confirm_password',
}

/** Translates a refusal into the visitor's language. */
export function problemOf(t: Texts, refusal: Refusal): Problem {
  return { field: refusal.field ?? FIELDS[refusal.refusal], message: refusalText(t, refusal) }
}

function refusalText(t: Texts, { refusal, reason, values, retryAfterSeconds }: Refusal): string {
  if (refusal === 'tooManyAttempts' && retryAfterSeconds !== undefined) {
    return retryAfterSeconds < 60
      ? t.problems.tryAgainSeconds(retryAfterSeconds)
      : t.problems.tryAgainMinutes(Math.ceil(retryAfterSeconds / 60))
  }
  // Other values, such as a key's title, are never translated.
  const named = reason === undefined ? values : { ...values, reason: sayReason(t, reason) }
  return fillText(t.refusals[refusal], named)
}

function sayReason(t: Texts, { code, values }: Reason): string {
  const { part } = values
  return fillText(t.reasons[code], {
    ...values,
    ...(isKeyPart(part) && { part: t.keyParts[part] }),
  })
}

/**
 * The script removes the field where the password can be shown.
 *
 * @throws {Refusal} `passwordsDiffer`.
 */
export function refuseOtherRepeat({ password, repeat }: Fields): void {
  if (repeat !== undefined && password !== repeat) throw new Refusal('passwordsDiffer')
}
