import * as v from 'valibot'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
const TIMEOUT_MILLISECONDS = 5000

const answerSchema = v.object({ success: v.boolean() })

/**
 * Asks Turnstile whether a visitor is human. Only `success: true` lets anybody pass.
 *
 * @param response What the widget has put into the form.
 * @throws {Refusal} `humanCheckFailed`; `humanCheckUnavailable` when there is no answer in time, or
 *   none that can be read.
 * @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
export async function checkHuman(
  deps: Pick<Deps, 'sendOut' | 'turnstileUrl'>,
  secret: string,
  response: string,
  network: string,
): Promise<void> {
  if (response === '') throw new Refusal('humanCheckFailed')
  const body = new URLSearchParams({ secret, response, ...addressIn(network) })
  const answer = await ask(deps, body)
  if (!answer.success) throw new Refusal('humanCheckFailed')
}

/** Turnstile takes an address. Of IPv6 only the network is known here, so it is told nothing. */
function addressIn(network: string): { remoteip?: string } {
  return /^[\d.]+$/.test(network) ? { remoteip: network } : {}
}

async function ask(deps: Pick<Deps, 'sendOut' | 'turnstileUrl'>, body: URLSearchParams) {
  try {
    const answer = await deps.sendOut(
      deps.turnstileUrl ?? VERIFY_URL,
      {
        method: 'POST',
        body: String(body),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      },
      'any',
    )
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
    return v.parse(answerSchema, await answer.json())
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Refusal('humanCheckUnavailable', { detail })
  }
}
