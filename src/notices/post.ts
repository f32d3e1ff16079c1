import type { Deps } from '../deps.ts'
import type { ChannelConfig, ChannelKind } from './channels.ts'
import { deliveryTo, textOf } from './formats.ts'
import { messageOf, type Notice } from './message.ts'

/** How long a receiver may take. Three rounds of it fit into the time after an answer (30 s). */
const DEADLINE_MILLISECONDS = 8000

/** Why an attempt failed. A status is that of the receiver. What it answers beside is not kept. */
export type Failure =
  `status ${number}` | 'redirect' | 'no answer in time' | 'no connection' | 'e-mail' | 'no e-mail'

export type PostDeps = Pick<Deps, 'sendOut' | 'sendEmail' | 'now'>

/** @returns Why the receiver did not take the notice; `undefined` when it did. */
export async function post(
  deps: PostDeps,
  kind: ChannelKind,
  config: ChannelConfig,
  notice: Notice,
): Promise<Failure | undefined> {
  const message = messageOf(notice)
  if (kind === 'email') {
    if (deps.sendEmail === undefined) return 'no e-mail'
    const { address: to, sender: from } = config
    return deps.sendEmail({ to, from, subject: message.title, text: textOf(message) }).then(
      () => undefined,
      () => 'e-mail',
    )
  }
  const { url, body, headers } = await deliveryTo(kind, config, notice, message, deps.now())
  const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS)
  const init = { method: 'POST', body, headers, signal }
  try {
    const response = await deps.sendOut(url, init, notice.isOwn ? 'public' : 'any')
    // A body that is never read would keep the connection.
    await response.body?.cancel()
    if (response.ok) return undefined
    return isRedirect(response.status) ? 'redirect' : `status ${response.status}`
  } catch {
    return signal.aborted ? 'no answer in time' : 'no connection'
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
}
