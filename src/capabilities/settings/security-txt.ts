import * as v from 'valibot'
import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { aContact } from './checks.ts'
import { findChangedSetting } from './store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** RFC 9116 section 2.5.5 recommends less than a year. Each request gets a new text. */
const EXPIRY_MILLISECONDS = 180 * DAY_MILLISECONDS

/**
 * Returns the text of `security.txt`, with the contact that the operator has set.
 *
 * @throws {Refusal} `unknownPath` without a valid contact; `unavailable`.
 * @see RFC 9116
 */
export async function readSecurityTxt({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<string> {
  const contact = (await findChangedSetting(db, 'security_contact')) ?? ''
  if (contact === '' || !v.is(aContact, contact)) throw new Refusal('unknownPath')
  const expires = new Date(now() + EXPIRY_MILLISECONDS).toISOString().replace(/\.\d+Z$/, 'Z')
  return `Contact: ${contact}\nExpires: ${expires}\n`
}
