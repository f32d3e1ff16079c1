import { type RefusalName, REFUSALS } from '../../src/core/base/refusals.ts'
import type { Example, Operation } from './operation.ts'

/** Placeholder for the filled part of a message. */
const FILLED = '\0'

/** An answer as a client sees it. */
export interface WrittenAnswer {
  status: number
  type: 'application/json' | 'text/plain' | 'text/html'
  body: unknown
}

/** Returns the answer to an example. It repeats `http/envelope.ts`; a test compares both. */
export function writtenAnswer(path: string, operation: Operation, { answer }: Example) {
  if ('raw' in answer) {
    const type = operation.plain ?? 'application/json'
    const status = answer.status ?? operation.redirects ?? 200
    return { status, type, body: answer.raw } satisfies WrittenAnswer
  }
  if ('data' in answer) return inEnvelope(200, { code: 200, message: 'success', data: answer.data })
  const { code, message } = filled(answer.refusal, answer.fill ?? '')
  const kind = pathKindOf(path)
  if (kind === 'site') return { status: code, type: 'text/plain' as const, body: `${message}\n` }
  return inEnvelope(kind === 'servers' ? code : 200, { code, message, data: null })
}

/** @param words Replace the values in the message. */
function filled(name: RefusalName, words: string): { code: number; message: string } {
  const { code, message } = REFUSALS[name]
  return { code, message: message.replace(/<.+>/, () => words) }
}

/** Tells who calls a path, which decides the form of a refusal. */
export function pathKindOf(path: string): 'site' | 'servers' | 'api' {
  if (/^\/api\/(?:sftp\/|ldap\/|forward_auth$)/.test(path)) return 'servers'
  return path.startsWith('/api/') ? 'api' : 'site'
}

function inEnvelope(status: number, body: object): WrittenAnswer {
  return { status, type: 'application/json', body }
}

/** Returns the schemas of the envelopes of refusals, by code. */
export function refusalSchemas(names: Iterable<RefusalName>): Map<number, object> {
  const messages = new Map<number, Set<string>>()
  for (const name of names) {
    const { code, message } = filled(name, FILLED)
    messages.set(code, (messages.get(code) ?? new Set()).add(message))
  }
  return new Map(
    Array.from(messages)
      .toSorted(([a], [b]) => a - b)
      .map(([code, texts]) => [code, envelopeSchema(code, messageSchema([...texts]), NULL)]),
  )
}

export const NULL = { type: 'null' }

export function envelopeSchema(code: number, message: object, data: object) {
  return {
    title: String(code),
    type: 'object',
    properties: { code: { const: code }, message, data },
    required: ['code', 'message', 'data'],
    additionalProperties: false,
  }
}

function messageSchema(messages: string[]): object {
  if (messages.every((message) => !message.includes(FILLED))) return { enum: messages }
  const patterns = messages.map((message) => message.split(FILLED).map(escapePattern).join('[^]+'))
  return { type: 'string', pattern: `^(${patterns.join('|')})$` }
}

function escapePattern(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)
}
