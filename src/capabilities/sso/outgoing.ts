import type { Deps } from '../../core/deps.ts'
import { SsoError } from './reasons.ts'

/** The deadline for everything that one request of a visitor asks of the provider. */
const DEADLINE_MILLISECONDS = 5000
/** Larger than the metadata and keys of any provider. */
const MAX_ANSWER_BYTES = 256 * 1024
/** GitHub refuses requests without a name. */
const USER_AGENT = 'Latchkey'

interface Question {
  method?: string
  headers?: HeadersInit
  body?: BodyInit | null | undefined
}

/** Asks the provider within one deadline. */
export type Ask = (url: string, question: Question) => Promise<Response>

/**
 * Begins the questions to a provider for one request of a visitor. Redirects are not followed, and
 * no answer is read further than `MAX_ANSWER_BYTES`.
 *
 * @returns A function that throws {SsoError} `no answer` and `answer too large`.
 */
export function startAsking({ sendOut }: Pick<Deps, 'sendOut'>): Ask {
  const signal = AbortSignal.timeout(DEADLINE_MILLISECONDS)
  const isLate = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new SsoError('no answer', 'too slow')))
  })
  // Without a question that waits, nobody handles it.
  isLate.catch(() => undefined)
  return (url, { method = 'GET', headers: sent, body = null }) => {
    const headers = new Headers(sent)
    headers.set('User-Agent', USER_AGENT)
    const answer = sendOut(url, { method, headers, body, signal }, 'any')
    return Promise.race([isLate, readWhole(answer)])
  }
}

async function readWhole(answer: Promise<Response>): Promise<Response> {
  const response = await answer.catch(() => {
    throw new SsoError('no answer', 'unreachable')
  })
  const { status, headers } = response
  const bytes = await readBytes(response)
  const hasBody = status !== 204 && status !== 304
  return new Response(hasBody ? bytes : null, { status, headers })
}

async function readBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const part = await reader?.read().catch(() => {
      throw new SsoError('no answer', 'broken off')
    })
    if (part === undefined || part.done) break
    chunks.push(part.value)
    length += part.value.length
    if (length <= MAX_ANSWER_BYTES) continue
    await reader?.cancel().catch(() => undefined)
    throw new SsoError('answer too large')
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
