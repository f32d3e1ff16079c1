import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'
import { aContact } from './checks.ts'
import { findChangedSetting } from './store.ts'

/** RFC 9116 section 2.5.5 wants less than a year; the text is made anew for every reader. */
const EXPIRY_MILLISECONDS = 180 * 24 * 60 * 60 * 1000

/**
 * Where to report a security problem of this site, as the operator has set it.
 *
 * @throws {Refusal} `unknownPath` without a contact, or with one that did not come through the
 *   settings; `unavailable`.
 * @see RFC 9116
 */
export async function readSecurityTxt({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<string> {
  const contact = (await findChangedSetting(db, 'security_contact')) ?? ''
  if (contact === '' || !v.is(aContact, contact)) throw new Refusal('unknownPath')
  const expires = new Date(now() + EXPIRY_MILLISECONDS).toISOString().replace(/\.\d+Z$/, 'Z')
  return `Contact: ${contact}\nExpires: ${expires}\n`
}
