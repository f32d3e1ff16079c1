import { own } from '../../core/base/own.ts'
import type { Deps, EmailText } from '../../core/deps.ts'

/**
 * Why an e-mail was not taken. `e-mail recipient`: the address is refused for good, so nothing is
 * sent to it again.
 */
export type EmailFailure =
  'e-mail' | 'e-mail sender' | 'e-mail recipient' | 'e-mail limit' | 'no e-mail'

/**
 * @see https://developers.cloudflare.com/email-service/api/send-emails/workers-api/#error-codes
 *   `cli/start/smtp.ts` answers with the same codes.
 */
const FAILURES: Record<string, EmailFailure> = {
  E_SENDER_NOT_VERIFIED: 'e-mail sender',
  E_SENDER_DOMAIN_NOT_AVAILABLE: 'e-mail sender',
  E_RECIPIENT_NOT_ALLOWED: 'e-mail recipient',
  E_RECIPIENT_SUPPRESSED: 'e-mail recipient',
  E_RATE_LIMIT_EXCEEDED: 'e-mail limit',
  E_DAILY_LIMIT_EXCEEDED: 'e-mail limit',
}

/**
 * Sends an e-mail. What answers it goes nowhere: RFC 3834 keeps programs from answering.
 *
 * @param id Random; a repeat has the same one.
 * @returns Why it was not taken; `undefined` when it was.
 */
export async function sendEmail(
  { sendEmail: send }: Pick<Deps, 'sendEmail'>,
  message: Omit<EmailText, 'headers'>,
  id: string,
): Promise<EmailFailure | undefined> {
  if (send === undefined) return 'no e-mail'
  const headers = { 'Auto-Submitted': 'auto-generated', 'X-Notice-Id': id }
  return send({ ...message, headers }).then(
    () => undefined,
    (error: unknown) => failureOf(error),
  )
}

function failureOf(error: unknown): EmailFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return own(FAILURES, code) ?? 'e-mail'
}
