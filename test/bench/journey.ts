import * as v from 'valibot'
import { phoneCode } from '../support/authenticator.ts'
import { send, signInOf, type Step, tokenIn } from './client.ts'
import { newKey } from '../support/new-key.ts'
import type { Sites } from './sites.ts'
import { figureOf } from './statistics.ts'

const keysSchema = v.object({ content: v.array(v.object({ id: v.number(), title: v.string() })) })
const secretSchema = v.object({ secret: v.string() })

/** What the steps of a user's visit are called in tables, and what each took. */
type Journey = Map<string, Step>

/** One user's visit: every endpoint that people wait for, once. */
async function travel(url: URL, username: string): Promise<Journey> {
  const journey: Journey = new Map()
  const step = async (name: string, request: Parameters<typeof send>[1]) => {
    const taken = await send(url, request)
    journey.set(name, taken)
    return taken
  }
  await step('ping', { method: 'GET', path: '/ping' })
  await step('settings', { method: 'GET', path: '/api/public/settings' })
  const token = tokenIn(await step('sign-in', signInOf(username)))
  await step('me', { method: 'GET', path: '/api/me', token })
  const body = { title: 'bench', key: newKey().line }
  await step('key add', { method: 'POST', path: '/api/me/sshkey/add', token, body })
  const list = await step('key list', { method: 'GET', path: '/api/me/sshkey/list', token })
  const added = v.parse(keysSchema, list.data).content.find(({ title }) => title === 'bench')
  const path = `/api/me/sshkey/delete?id=${added?.id}`
  await step('key delete', { method: 'POST', path, token })
  const shown = await step('2fa generate', {
    method: 'POST',
    path: '/api/auth/2fa/generate',
    token,
  })
  const { secret } = v.parse(secretSchema, shown.data)
  await step('2fa verify', {
    method: 'POST',
    path: '/api/auth/2fa/verify',
    token,
    body: { secret, code: phoneCode(secret) },
  })
  await step('logout', { method: 'GET', path: '/api/auth/logout', token })
  return journey
}

/** What a step cost at the median visit. */
export interface StepFigure {
  p50Milliseconds: number
  d1Trips: number
  rowsRead: number
  rowsWritten: number
  kvReads: number
  objectCalls: number
}

/**
 * Sends a user per round to each side in turn.
 *
 * @returns By step, then by side.
 */
export async function compareJourneys(
  sites: Sites,
  names: string[],
  rounds: number,
): Promise<Map<string, Map<string, StepFigure>>> {
  // The first visit to a side fills its memory; it doesn't count.
  for (const name of names) await travel(sites.url(name), 'user1')
  const journeys = new Map(names.map((name) => [name, [] as Journey[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, taken] of journeys)
      taken.push(await travel(sites.url(name), `user${round + 2}`))
  }
  const steps = new Map<string, Map<string, StepFigure>>()
  for (const [name, taken] of journeys) {
    for (const step of taken[0]?.keys() ?? []) {
      const bySide = steps.get(step) ?? new Map<string, StepFigure>()
      steps.set(
        step,
        bySide.set(name, stepFigure(taken.flatMap((figure) => figure.get(step) ?? []))),
      )
    }
  }
  return steps
}

function stepFigure(steps: Step[]): StepFigure {
  const median = (of: (step: Step) => number | undefined) =>
    figureOf(steps.map((step) => of(step) ?? NaN)).median
  return {
    p50Milliseconds: median(({ milliseconds }) => milliseconds),
    d1Trips: median(({ cost }) => cost?.d1Trips),
    rowsRead: median(({ cost }) => cost?.rowsRead),
    rowsWritten: median(({ cost }) => cost?.rowsWritten),
    kvReads: median(({ cost }) => cost?.kvReads),
    objectCalls: median(({ cost }) => cost?.objectCalls),
  }
}
