import type { Deps } from '../../core/deps.ts'
import { type EmailFailure, sendEmail } from '../mail/send-email.ts'
import type { ChannelConfig, ChannelKind } from './channels.ts'
import { deliveryTo, plainText } from './formats.ts'
import { writeNotice, type Notice } from './message.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** How long a receiver may take. Three rounds of it fit into the time after an answer (30 s). */
const DEADLINE_MILLISECONDS = 8000

/** A receiver may ask for no longer a pause: notices are kept for so long. */
const MAX_WAIT_MILLISECONDS = DAY_MILLISECONDS

/**
 * Why an attempt failed. A status is that of the receiver; what else it answers is not kept.
 * `sealed`: no key of `SECRET_KEYS` opens the channel. `no address`: the user has no confirmed
 * one.
 */
export type Failure =
  | 'sealed'
  | 'no address'
  | `status ${number}`
  | 'redirect'
  | 'no answer in time'
  | 'no connection'
  | EmailFailure

/** An attempt that failed. */
export interface Failed {
  failure: Failure
  /** When the receiver wants the next attempt. Unix time, milliseconds. */
  retryAt?: number
}

export type PostDeps = Pick<Deps, 'sendOut' | 'sendEmail' | 'now'>

/** @returns Why the receiver did not take the notice; `undefined` when it did. */
export async function post(
  deps: PostDeps,
  kind: ChannelKind,
  config: ChannelConfig,
  notice: Notice,
): Promise<Failed | undefined> {
  const message = writeNotice(notice)
  if (kind === 'email') {
    const { address: to, sender: from } = config
    const mail = { to, from, subject: message.title, text: plainText(message) }
    const failure = await sendEmail(deps, mail, notice.id)
    return failure && { failure }
  }
  const { url, body, headers } = await deliveryTo(kind, config, notice, message, deps.now())
  const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS)
  const init = { method: 'POST', body, headers, signal }
  try {
    const response = await deps.sendOut(url, init, notice.isOwn ? 'public' : 'any')
    // A body that is never read would keep the connection.
    await response.body?.cancel()
    if (response.ok) return undefined
    if (isRedirect(response.status)) return { failure: 'redirect' }
    return { failure: `status ${response.status}`, ...retryOf(response, deps.now()) }
  } catch {
    return { failure: signal.aborted ? 'no answer in time' : 'no connection' }
  }
}

/** Reads when a receiver that is too busy wants to be asked again. @see RFC 9110 section 10.2.3 */
function retryOf({ status, headers }: Response, now: number): Pick<Failed, 'retryAt'> {
  const header = headers.get('Retry-After')
  if (header === null || (status !== 429 && status !== 503)) return {}
  const retryAt = /^\d+$/.test(header) ? now + Number(header) * 1000 : Date.parse(header)
  return Number.isNaN(retryAt) ? {} : { retryAt: Math.min(retryAt, now + MAX_WAIT_MILLISECONDS) }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
