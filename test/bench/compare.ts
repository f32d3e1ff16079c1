import { createHmac } from 'node:crypto'
import { SECRET_KEYS } from '../support/secrets.ts'
import { send, signInOf, tokenIn } from './client.ts'
import { load, type Load, type Request } from './load.ts'
import type { Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

/** What `--rounds` and `--seconds` say. */
export interface Effort {
  rounds: number
  seconds: number
}

/** Connections; a sign-in keeps a core busy, and more than four at once would count as a guess. */
const CONNECTIONS = 8
const SIGN_IN_CONNECTIONS = 2
/** And so few fit into a round that a round of them is longer. */
const SIGN_IN_PATIENCE = 3

/** What takes a millisecond has more noise than a hash. */
const TURNS_OF_SHORT_ANSWERS = 2

const USERNAME = 'user7'
const SESSION_ID = 'session-7'
/** What the limit verifies its tokens with: any key will do. */
export const TOKEN_KEY = SECRET_KEYS.slice(0, 43)

/** One endpoint on one side. */
interface SideFigure {
  perSecond: Figure
  cpuMicroseconds: number | undefined
}

export interface EndpointFigure {
  name: string
  sides: Record<string, SideFigure>
  /** Of today's throughput over that of the others in the same round. */
  ratios: Record<string, Figure>
}

/** Loads each endpoint on every side in turn, round after round. */
export async function compareEndpoints(
  sites: Sites,
  names: string[],
  { rounds, seconds }: Effort,
): Promise<EndpointFigure[]> {
  const tokens = new Map<string, string>()
  for (const name of names) tokens.set(name, await tokenOf(sites, name))
  const endpoints: [name: string, connections: number, request: (token: string) => Request][] = [
    ['ping', CONNECTIONS, () => ({ method: 'GET', path: '/ping' })],
    ['settings', CONNECTIONS, () => ({ method: 'GET', path: '/api/public/settings' })],
    ['me', CONNECTIONS, (token) => ({ method: 'GET', path: '/api/me', token })],
    ['key list', CONNECTIONS, (token) => ({ method: 'GET', path: '/api/me/sshkey/list', token })],
    ['sign-in', SIGN_IN_CONNECTIONS, () => signInOf(USERNAME)],
  ]
  const figures: EndpointFigure[] = []
  for (const [name, connections, request] of endpoints) {
    const loads = new Map(names.map((side) => [side, [] as Load[]]))
    // The first round warms up.
    const turns = name === 'sign-in' ? rounds : rounds * TURNS_OF_SHORT_ANSWERS
    for (let round = -1; round < turns; round++) {
      for (const side of turnOf(names)) {
        const asked = request(tokens.get(side) ?? '')
        const patience = name === 'sign-in' ? SIGN_IN_PATIENCE : 1
        const effort = {
          seconds: (round < 0 ? seconds / 2 : seconds) * patience,
          connections,
          pid: sites.pid,
        }
        const taken = await load(sites.url(side), asked, effort)
        if (round >= 0) loads.get(side)?.push(taken)
      }
    }
    figures.push(endpointFigure(name, loads))
  }
  return figures
}

/**
 * In a random order each round: a side takes longer after one that left garbage or heat behind, and
 * none is to come always after the same.
 */
function turnOf(names: string[]): string[] {
  return names
    .map((name) => ({ name, lot: Math.random() }))
    .toSorted((a, b) => a.lot - b.lot)
    .map(({ name }) => name)
}

function endpointFigure(name: string, loads: Map<string, Load[]>): EndpointFigure {
  const now = loads.get('now') ?? []
  const sides: EndpointFigure['sides'] = {}
  const ratios: EndpointFigure['ratios'] = {}
  for (const [side, taken] of loads) {
    const cpu = taken.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? [])
    sides[side] = {
      perSecond: figureOf(taken.map(({ perSecond }) => perSecond)),
      cpuMicroseconds: cpu.length === 0 ? undefined : figureOf(cpu).median,
    }
    if (side === 'now') continue
    ratios[side] = figureOf(taken.map((figure, i) => (now[i]?.perSecond ?? NaN) / figure.perSecond))
  }
  return { name, sides, ratios }
}

/** A token that is good on a side. */
export async function tokenOf(sites: Sites, side: string): Promise<string> {
  if (side !== 'limit') return tokenIn(await send(sites.url(side), signInOf(USERNAME)))
  const database = await sites.database(side)
  const user = await database
    .prepare('select id from users where username_key = ?')
    .bind(USERNAME)
    .first<{ id: number }>()
  return signedToken(user?.id ?? 0)
}

/** The token of a session that `populate` made. */
function signedToken(userId: number): string {
  const text = `${encode({ alg: 'HS256' })}.${encode({ sub: String(userId), jti: SESSION_ID })}`
  const key = Buffer.from(TOKEN_KEY, 'base64url')
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
