import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { THE_SERVICE } from '../../src/core/database/statements.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { insertClient } from '../../src/capabilities/openid/client-store.ts'
import { hashSecret, newSecret } from '../../src/capabilities/openid/handles.ts'
import { costOf, send, signInOf, tokenIn } from './client.ts'
import type { Effort } from './compare.ts'
import { cpuTicks, headersOf, type Load, load, type Request, TICK_MICROSECONDS } from './load.ts'
import type { Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

const CONNECTIONS = 8
/** Each code is good for one exchange, so that a round is a number of sign-ins. */
const SIGN_INS_A_SECOND = 600

/** So many unused codes a session has at most; more end the oldest. */
const UNUSED_CODES = 20
const USERNAME = 'user11'
const CALLBACK = 'https://files.example.org/callback'

/** One endpoint of the OpenID provider. */
export interface OpenidFigure {
  name: string
  perSecond: Figure
  cpuMicroseconds: number | undefined
  /** Over the settings, in the same round; only where the same program makes the load. */
  ratio: Figure | undefined
  d1Trips: number | undefined
}

/** A program, and a user who is signed in. */
interface Visit {
  url: URL
  clientId: string
  secret: string
  session: string
}

/** Loads what a sign-in to a program of the site asks for. */
export async function measureOpenid(
  sites: Sites,
  name: string,
  metered: string,
  { rounds, seconds }: Effort,
): Promise<OpenidFigure[]> {
  const visit = await beginVisit(sites, name)
  const trips = await countTrips(await beginVisit(sites, metered))
  const loads = new Map<string, Load[]>()
  const access = await exchange(visit, await askForCode(visit))
  const pressure = { seconds, connections: CONNECTIONS, pid: sites.pid }
  for (let round = -1; round < rounds; round++) {
    const taken: [name: string, load: Load][] = []
    for (const [path, request] of Object.entries(staticRequests(access.token)))
      taken.push([path, await load(visit.url, request, pressure)])
    const batches = Math.ceil((seconds * SIGN_INS_A_SECOND) / UNUSED_CODES)
    for (let batch = 0; batch < batches; batch++) {
      const codes: string[] = []
      const authorize = async () => codes.push((await askForCode(visit)).code)
      taken.push(['authorize', await timed(UNUSED_CODES, sites.pid, authorize)])
      const queue = codes.values()
      const token = async () => exchange(visit, { code: queue.next().value ?? '' })
      taken.push(['token', await timed(UNUSED_CODES, sites.pid, token)])
    }
    // The first round warms up.
    if (round < 0) continue
    for (const [endpoint, one] of taken) loads.set(endpoint, [...(loads.get(endpoint) ?? []), one])
  }
  const settings = loads.get('settings') ?? []
  return Array.from(loads, ([endpoint, taken]) => {
    const cpu = taken.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? [])
    const isLoad = endpoint !== 'authorize' && endpoint !== 'token'
    return {
      name: endpoint,
      perSecond: figureOf(taken.map(({ perSecond }) => perSecond)),
      cpuMicroseconds: cpu.length === 0 ? undefined : figureOf(cpu).median,
      ratio: isLoad
        ? figureOf(taken.map((figure, i) => figure.perSecond / (settings[i]?.perSecond ?? NaN)))
        : undefined,
      d1Trips: trips.get(endpoint),
    }
  })
}

function startsWith(start: string) {
  return (body: string) => body.startsWith(start)
}

/** The requests that can be sent over and over. */
function staticRequests(accessToken: string): Record<string, Request> {
  const discovery = '/.well-known/openid-configuration'
  return {
    settings: { method: 'GET', path: '/api/public/settings' },
    discovery: { method: 'GET', path: discovery, isGood: startsWith('{"issuer":') },
    jwks: { method: 'GET', path: '/oauth/jwks', isGood: startsWith('{"keys":[{') },
    userinfo: {
      method: 'GET',
      path: '/oauth/userinfo',
      token: `Bearer ${accessToken}`,
      isGood: startsWith('{"sub":'),
    },
  }
}

async function beginVisit(sites: Sites, name: string): Promise<Visit> {
  const url = sites.url(name)
  const db = openDatabase(await sites.database(name), createMeter())
  const secret = newSecret({ randomBytes })
  // The Worker makes the signing key at the first exchange.
  await insertClient(db, THE_SERVICE, {
    id: 'bench',
    name: 'bench',
    secretHash: await hashSecret(secret),
    redirectUris: [CALLBACK],
    postLogoutUris: [],
    logoutUri: '',
    issuer: '',
    firstParty: true,
    adminsOnly: false,
    emailInIdToken: false,
    createdAt: Date.now(),
  })
  return { url, clientId: 'bench', secret, session: tokenIn(await send(url, signInOf(USERNAME))) }
}

async function countTrips(visit: Visit): Promise<Map<string, number | undefined>> {
  // The first sign-in reads the keys and the settings.
  await exchange(visit, await askForCode(visit))
  const authorized = await askForCode(visit)
  const exchanged = await exchange(visit, authorized)
  const trips = new Map([
    ['authorize', costOf(authorized.response)?.d1Trips],
    ['token', costOf(exchanged.response)?.d1Trips],
  ])
  for (const [name, { path, token }] of Object.entries(staticRequests(exchanged.token))) {
    const ask = () =>
      fetch(new URL(path, visit.url), { headers: headersOf(token === undefined ? {} : { token }) })
    await ask()
    trips.set(name, costOf(await ask())?.d1Trips)
  }
  return trips
}

/** @throws When the answer has no code. */
async function askForCode({ url, clientId, session }: Visit) {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'openid profile',
    state: 'bench',
  })
  const response = await fetch(new URL(`/oauth/authorize?${query.toString()}`, url), {
    redirect: 'manual',
    headers: { ...headersOf({}), Cookie: `session=${session}` },
  })
  await response.arrayBuffer()
  const code = new URL(response.headers.get('Location') ?? '/', url).searchParams.get('code')
  if (code === null) throw new Error(`authorize: ${response.status}, no code`)
  return { response, code }
}

/** @throws When the answer has no access token. */
async function exchange({ url, clientId, secret }: Visit, { code }: { code: string }) {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const response = await fetch(new URL('/oauth/token', url), {
    method: 'POST',
    headers: { ...headersOf({}), Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams(form),
  })
  const text = await response.text()
  const [, token] = /"access_token":"([^"]+)"/.exec(text) ?? []
  if (token === undefined) throw new Error(`token: ${text.slice(0, 200)}`)
  return { response, token }
}

/** Does something so often, on as many connections as a load has. */
async function timed(
  count: number,
  pid: number | undefined,
  act: () => Promise<unknown>,
): Promise<Load> {
  const before = cpuTicks(pid)
  const start = performance.now()
  let left = count
  const connection = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  const elapsed = (performance.now() - start) / 1000
  const after = cpuTicks(pid)
  const ticks = before === undefined || after === undefined ? undefined : after - before
  return {
    perSecond: count / elapsed,
    cpuMicroseconds: ticks === undefined ? undefined : (ticks * TICK_MICROSECONDS) / count,
  }
}

export function toOpenidTable(figures: OpenidFigure[]): string {
  return [
    '| endpoint | per second | of the settings | CPU µs | D1 trips |',
    '|---|---|---|---|---|',
    ...figures.map(({ name, perSecond, ratio, cpuMicroseconds, d1Trips }) => {
      const cells = [
        name,
        perSecond.median.toFixed(0),
        ratio?.median.toFixed(2) ?? '',
        cpuMicroseconds?.toFixed(0) ?? '',
        String(d1Trips ?? ''),
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}
