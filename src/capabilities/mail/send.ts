import { logError } from '../../core/database/log.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps, MakeMails } from '../../core/deps.ts'
import { readSettings, type SettingsDeps } from '../settings/copy.ts'
import { type MailSite, type MailSiteDeps, mailSiteOf } from './mail-site.ts'
import { writeMail } from './message.ts'
import {
  deleteExpiredMails,
  deleteMails,
  type DueMail,
  MAILS_AT_ONCE,
  takeDueMails,
} from './outbox.ts'
import { openSecret } from './sealed-secret.ts'
import { type EmailFailure, sendEmail } from './send-email.ts'

export type MailDeps = MailSiteDeps &
  SettingsDeps &
  Pick<Deps, 'db' | 'keyRing' | 'now' | 'randomBytes'>

/** Rounds of one run. The time after an answer ends after 30 seconds. */
const MAX_ROUNDS = 3

/** Why a mail was not sent; `sealed` when no key of `SECRET_KEYS` opens its link. */
type Outcome = EmailFailure | 'sealed' | undefined

/** Returns the statements that take the mails to send now, as parts of a batch. */
export function dueMailParts({ db }: Pick<Deps, 'db'>, now: number) {
  return { expiredMails: deleteExpiredMails(db, now), dueMails: takeDueMails(db, now) }
}

/**
 * Sends the mails that are due.
 *
 * @param makers Make mails of requests.
 */
export async function sendMails(deps: MailDeps, makers: readonly MakeMails[]): Promise<void> {
  const { expiredMails, dueMails } = await runBatch(deps.db, dueMailParts(deps, deps.now()))
  await sendTaken(deps, expiredMails, dueMails, makers)
}

/**
 * Sends mails that `dueMailParts` has taken, and those that come due meanwhile. Two runs at the
 * same time send no mail twice.
 */
export async function sendTaken(
  deps: MailDeps,
  expired: readonly { id: string; kind: string }[],
  taken: readonly DueMail[],
  makers: readonly MakeMails[],
): Promise<void> {
  for (const { id, kind } of expired)
    console.warn(JSON.stringify({ event: 'mail given up', id, kind, failure: 'too late' }))
  if (taken.length === 0) return
  const site = mailSiteOf(deps)
  // Mail was switched off meanwhile: the mails wait until their links end.
  if (site === undefined) return
  const { values } = await readSettings(deps)
  let due = taken
  for (let round = 1; due.length > 0; round++) {
    const finished = await sendAll({ ...deps, makers }, site, values['site_title'], due)
    // A request for a new password may just have become mails.
    const mayBeMore = due.length === MAILS_AT_ONCE || due.some(({ kind }) => kind === 'forgotten')
    const isLast = round === MAX_ROUNDS || !mayBeMore
    const { next } = await runBatch(deps.db, {
      deleted: finished.length === 0 ? undefined : deleteMails(deps.db, finished),
      next: isLast ? undefined : takeDueMails(deps.db, deps.now()),
    })
    due = next ?? []
  }
}

/** @returns The ids of the mails that are not tried again. */
async function sendAll(
  deps: MailDeps & { makers: readonly MakeMails[] },
  site: MailSite,
  title: string,
  due: readonly DueMail[],
): Promise<string[]> {
  const outcomes = due.map(async (mail) => ({
    mail,
    failure: await sendOne(deps, site, title, mail),
  }))
  const finished: string[] = []
  for (const { mail, failure } of await Promise.all(outcomes)) {
    const { id, kind } = mail
    // A server that refuses an address for good would take a repeat for spam.
    const isFinal = failure === undefined || failure === 'e-mail recipient' || failure === 'sealed'
    if (isFinal) finished.push(id)
    if (failure === undefined) continue
    const event = isFinal ? 'mail given up' : 'mail not sent'
    // Neither the address nor the answer of the server: logs are read by many.
    console.warn(JSON.stringify({ event, id, kind, failure }))
  }
  return finished
}

/** Where no capability mails links for new passwords, the mail is tried again, and then given up. */
async function nobodyMakes(): Promise<never> {
  throw new Error('no capability makes this mail')
}

async function sendOne(
  deps: MailDeps & { makers: readonly MakeMails[] },
  site: MailSite,
  title: string,
  mail: DueMail,
): Promise<Outcome> {
  const secret = await openSecret(await deps.keyRing(), mail.sealed).catch(() => undefined)
  if (secret === undefined) return 'sealed'
  const { kind } = mail
  if (kind === 'forgotten') {
    const [makeMails = nobodyMakes] = deps.makers
    return makeMails(deps, secret, mail.language).then(
      () => undefined,
      (error: unknown) => {
        logError(error, { during: 'forgotten password' })
        return 'e-mail'
      },
    )
  }
  const message = writeMail(
    { ...mail, kind, username: mail.username ?? '', inviter: mail.inviter ?? '', secret },
    site,
    title,
  )
  return sendEmail(deps, message, mail.id)
}
