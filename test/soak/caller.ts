import * as v from 'valibot'
import { headersOf, type Request } from '../bench/load.ts'
import { Violation } from './model.ts'

const envelopeSchema = v.strictObject({ code: v.number(), message: v.string(), data: v.unknown() })

type Envelope = v.InferOutput<typeof envelopeSchema>

/** Counts an answer: what was asked, and the code. */
export type Count = (what: string, code: number) => void

/** Asks as one client does, and sees to it that every answer has the form it must have. */
export class Caller {
  readonly #url: URL
  readonly #network: () => string
  readonly #count: Count

  /** @param network Where each request comes from. */
  constructor(url: URL, network: () => string, count: Count) {
    this.#url = url
    this.#network = network
    this.#count = count
  }

  /** @throws {Violation} For an answer that no request may get. */
  async ask(what: string, request: Request): Promise<Envelope> {
    const answer = await fetch(new URL(request.path, this.#url), {
      method: request.method,
      headers: { ...headersOf(request), 'CF-Connecting-IP': this.#network() },
      ...(request.body && { body: JSON.stringify(request.body) }),
    })
    if (answer.status !== 200) throw new Violation(`${what}: HTTP ${answer.status}`)
    const parsed = v.safeParse(envelopeSchema, await answer.json())
    if (!parsed.success) throw new Violation(`${what}: no envelope`)
    const { code, data } = parsed.output
    this.#count(what, code)
    if (code === 500) throw new Violation(`${what}: 500`)
    if (code !== 200 && data !== null) throw new Violation(`${what}: ${code} with data`)
    return parsed.output
  }

  async ping(): Promise<void> {
    const answer = await fetch(new URL('/ping', this.#url))
    this.#count('ping', answer.status)
    if ((await answer.text()) !== 'pong') throw new Violation('no pong')
  }
}
