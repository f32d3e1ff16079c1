import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from '../../src/core/deps.ts'
import { hashPassword, staticDigest } from '../../src/core/passwords/passwords.ts'
import { migrate } from '../support/migrate.ts'
import { temporaryFolder } from './bundles.ts'
import { signInOf, tokenIn, send } from './client.ts'
import { populate } from './population.ts'
import { cpuMilliseconds } from './start-up.ts'
import { BARE, type Side, startMiniflare, workerOf, PASSWORD } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

/** Isolates in one workerd: the start of workerd itself is the same, and spread over all. */
const ISOLATES = 11
const USERNAME = 'user7'
const OPERATOR = 'user8'

/**
 * Stands in for the object that hashes: a hash takes longer than everything else, and in a
 * deployment it is in another isolate.
 */
const HASH = new Uint8Array(32)
const HASHER = {
  name: 'hasher',
  modules: true as const,
  script: `import { DurableObject } from 'cloudflare:workers'
export class PasswordHasher extends DurableObject { hash() { return new Uint8Array(32) } }
export default { fetch: () => new Response() }`,
  compatibilityDate: '2026-08-01',
  durableObjects: { PASSWORD_HASHER: { className: 'PasswordHasher', useSQLite: true } },
}

/** What Cloudflare turns on for a new Worker. */
const BARE_FLAGS = ['nodejs_compat']

const LOGIN = signInOf(USERNAME)

/** What a first visitor asks for. A page takes the session from a cookie. */
const REQUESTS: [name: string, request: (tokens: Tokens) => [path: string, init: RequestInit]][] = [
  ['ping', () => ['/ping', {}]],
  ['settings', () => ['/api/public/settings', {}]],
  ['me', ({ user }) => ['/api/me', { headers: { Authorization: user } }]],
  [
    'sign-in',
    () => [
      LOGIN.path,
      {
        method: 'POST',
        body: JSON.stringify(LOGIN.body),
        headers: { 'Content-Type': 'application/json' },
      },
    ],
  ],
  ['page of the sign-in', () => ['/account/sign-in', {}]],
  [
    'first page of an operator',
    ({ operator }) => ['/account/admin', { headers: { Cookie: `session=${operator}` } }],
  ],
]

interface Tokens {
  user: string
  operator: string
}

/** CPU beyond a bare Worker for each isolate: milliseconds by request and side. */
type FirstFigures = Record<string, Record<string, Figure>>

/** The data of a side, from which each start gets a copy. */
interface Prepared {
  side: Side
  state: string
  tokens: Tokens
}

/**
 * Measures what a first answer of a new isolate takes: eleven isolates of one workerd start and
 * answer one request each.
 *
 * @param sides In turn in each round.
 */
export async function measureFirst(sides: readonly Side[], rounds: number): Promise<FirstFigures> {
  const prepared: Prepared[] = []
  for (const side of sides) prepared.push(await prepare(side))
  const script = join(temporaryFolder(), 'bare.js')
  writeFileSync(script, BARE)
  const values = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++) {
    const floor = await startOnce({ name: 'bare', script, flags: BARE_FLAGS }, temporaryFolder(), [
      '/',
      {},
    ])
    for (const [name, request] of REQUESTS)
      for (const { side, state, tokens } of prepared) {
        const copy = join(temporaryFolder(), 'state')
        cpSync(state, copy, { recursive: true })
        const beyond = (await startOnce(side, copy, request(tokens))) - floor
        const key = keyOf(name, side)
        values.set(key, [...(values.get(key) ?? []), beyond / ISOLATES])
      }
  }
  return Object.fromEntries(
    REQUESTS.map(([name]) => [
      name,
      Object.fromEntries(
        sides.map((side) => [side.name, figureOf(values.get(keyOf(name, side)) ?? [])]),
      ),
    ]),
  )
}

function keyOf(name: string, side: Side): string {
  return `${name} ${side.name}`
}

/** A table in Markdown; with a side `before`, the ratio to it. */
export function toFirstTable(figures: FirstFigures): string {
  const rows = Object.entries(figures).map(([name, { now, before }]) => {
    const cells = [now, before].map((figure) => (figure === undefined ? '' : textOf(figure)))
    const ratio = now && before ? (now.median / before.median).toFixed(2) : ''
    return `| ${name} | ${cells.join(' | ')} | ${ratio} |`
  })
  return [
    '| first answer, ms of CPU beyond a bare Worker | now | before | ratio |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function textOf({ median, least, most }: Figure): string {
  return `${median.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})`
}

function optionsOf(side: Side, state: string, isolates: number) {
  return {
    resourcePersistencePath: state,
    workers: [
      HASHER,
      ...Array.from({ length: isolates }, (_, i) => ({
        ...workerOf({ ...side, name: `first${i}` }),
        d1Databases: { DB: 'first' },
        kvNamespaces: { SETTINGS: 'first' },
        durableObjects: {
          PASSWORD_HASHER: { className: 'PasswordHasher', scriptName: 'hasher', useSQLite: true },
        },
      })),
    ],
  }
}

async function prepare(side: Side): Promise<Prepared> {
  const state = temporaryFolder()
  const { miniflare } = await startMiniflare(optionsOf(side, state, 1))
  try {
    const url = await miniflare.unsafeGetDirectURL('first0')
    const d1 = await miniflare.getD1Database('DB', 'first0')
    const passwordHash = await hashPassword(
      { hashPassword: async () => HASH, randomBytes },
      await staticDigest(PASSWORD),
    )
    await migrate(d1, side.migrations)
    await populate(d1, 100, passwordHash)
    await d1.prepare(`update users set role = 2 where username_key = '${OPERATOR}'`).run()
    const user = tokenIn(await send(url, LOGIN))
    const operator = tokenIn(await send(url, signInOf(OPERATOR)))
    return { side, state, tokens: { user, operator } }
  } finally {
    await miniflare.dispose()
  }
}

/** @returns The CPU that workerd took, milliseconds. */
async function startOnce(
  side: Side,
  state: string,
  [path, init]: [path: string, init: RequestInit],
): Promise<number> {
  const { miniflare, pid } = await startMiniflare(optionsOf(side, state, ISOLATES))
  try {
    for (let i = 0; i < ISOLATES; i++) {
      const url = await miniflare.unsafeGetDirectURL(`first${i}`)
      const response = await fetch(new URL(path, url), { redirect: 'manual', ...init })
      const text = await response.text()
      if (response.status !== 200 || (text.startsWith('{') && !text.startsWith('{"code":200,')))
        throw new Error(`${path}: HTTP ${response.status} ${text.slice(0, 200)}`)
    }
    return cpuMilliseconds(pid) ?? NaN
  } finally {
    await miniflare.dispose()
  }
}
