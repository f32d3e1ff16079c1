import { describe, expect, test } from 'vitest'
import type { Envelope } from '../support/envelope.ts'
import type { Site } from '../support/site.ts'
import { justifications } from './justifications.ts'
import type { Request } from './requests.ts'
import { isAsRecorded, type Outcome, type Row } from './row.ts'
import { setUp } from './setups.ts'
import { table } from './table.ts'

describe('what OpenList was recorded to answer', () => {
  test.each(table.map((row) => [`${row.recording}, ${row.given} → ${nameOf(row)}`, row] as const))(
    '%s',
    async (_, row) => {
      const { site, values } = await setUp(row.given)
      const response = await ask(site, fillRequest(row.request, values))
      const ours = oursOf(row)
      expect(await describeAnswer(response, ours)).toMatchObject(wholly(ours))
      const isJustified = row.because !== undefined && row.because in justifications
      expect(isJustified, 'a line of the deviations if, and only if, we differ').toBe(
        !isAsRecorded(row),
      )
    },
  )

  test('stands in the table once, and every justification is needed', () => {
    const names = table.map(({ recording, given }) => `${recording}, ${given}`)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    const needed = new Set<string | undefined>(table.map(({ because }) => because))
    expect(Object.keys(justifications).filter((name) => !needed.has(name))).toEqual([])
  })
})

function oursOf({ reference, expect: ours = reference }: Row): Outcome {
  return ours
}

function nameOf(row: Row): string {
  const ours = oursOf(row)
  return 'code' in ours ? String(ours.code) : `HTTP ${ours.http}`
}

function ask(site: Site, { method, path, headers = {}, body }: Request): Promise<Response> {
  const json = { 'Content-Type': 'application/json' }
  return site.fetch(method, path, {
    headers: { ...(body !== undefined && json), ...headers },
    body,
  })
}

/** All that an outcome may speak of. */
async function describeAnswer(response: Response, outcome: Outcome): Promise<object> {
  const text = await response.text()
  if ('http' in outcome) return { http: response.status, text }
  const answer: Envelope = JSON.parse(text)
  return {
    status: response.status,
    isJson: /^application\/json\b/.test(response.headers.get('Content-Type') ?? ''),
    envelope: Object.keys(answer),
    saysWhatIsAllowed: response.headers.has('Allow'),
    ...answer,
    messageStart: answer.message.slice(0, outcome.messageStart?.length ?? 0),
    members: Object.keys(answer.data ?? {}).length,
  }
}

/** An outcome, and what every answer of its kind has besides (docs/interface.md, Answers). */
function wholly(outcome: Outcome): object {
  if ('http' in outcome) return outcome
  return {
    status: 200,
    isJson: true,
    envelope: ['code', 'message', 'data'],
    saysWhatIsAllowed: outcome.code === 405,
    ...(outcome.code !== 200 && { data: null }),
    ...outcome,
  }
}

/** Puts the values of a set-up where a request names them. */
function fillRequest(request: Request, values: Record<string, string>): Request {
  const fill = (text: string) =>
    text.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`the set-up has no ${name}`)
      return value
    })
  const { headers = {}, body } = request
  return {
    ...request,
    path: fill(request.path),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)])),
    body: fillBody(body, fill),
  }
}

function fillBody(body: unknown, fill: (text: string) => string): unknown {
  if (body === undefined || body instanceof Uint8Array) return body
  return fill(typeof body === 'string' ? body : JSON.stringify(body))
}
