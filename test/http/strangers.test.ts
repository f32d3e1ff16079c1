import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createWholeApp } from '../../src/app/app.ts'
import { operations } from '../../scripts/openapi/operations.ts'
import { MailSite } from '../support/mail-site.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { MINUTE } from '../support/site.ts'

/** Rows of D1 that a network may write in a day, and a /48. D1's free plan has 100,000. */
const MOST_OF_NETWORK = 50_000
const MOST_OF_SITE = 100_000

/** More requests than any endpoint serves before its counter is spent. */
const MANY = 150

/** Its checksum is right, but nobody has it. */
const WRONG_APP_PASSWORD = `lk_${'0'.repeat(32)}0dawgh`
const CREDENTIALS = {
  none: '',
  'a wrong app password': WRONG_APP_PASSWORD,
  'a forged token': 'a.forged.token',
}

/** Refuses a wrong app password as all endpoints do that take a token. */
const REFUSING = 'GET /api/me'

/** Users whose names the stranger knows: a refused sign-in of theirs writes the most. */
const KNOWN_USERS = 31

/** What stands for the parameters of a page's path. */
const PARAMETERS: [RegExp, string][] = [
  [/:theme\{.*\}/, 'theme-0123456789.css'],
  [/:id\{.*?\}/, '1'],
  [/:page/, 'site'],
  [/:form/, 'delete'],
]

let site: CheapSite
let kvWrites: number

const kv = new Proxy(env.SETTINGS, {
  get(target, name) {
    if (name === 'put' || name === 'delete') kvWrites += 1
    const value: unknown = Reflect.get(target, name)
    return typeof value === 'function' ? value.bind(target) : value
  },
})

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  for (let i = 0; i < KNOWN_USERS; i++) {
    const email = `user${i}@example.org`
    await arranged.addUser(`user${i}`, { email, emailVerified: true })
  }
})

beforeEach(async () => {
  kvWrites = 0
  site = new MailSite({ SETTINGS: kv })
  await arrange(site)
})

/** Every endpoint that the application has. All can be asked without a credential that is in force. */
const { routes } = await createWholeApp(() => new CheapSite().deps)
const endpoints = Array.from(
  new Set(
    routes
      .filter(({ path }) => !path.endsWith('*') && path !== '/ping')
      .map(({ method, path }) => `${method === 'ALL' ? 'GET' : method} ${path}`),
  ),
)

/**
 * Asks as a stranger does, who tries another name each time. @returns The rows written in D1, and
 * the keys in KV.
 */
async function ask(endpoint: string, credential: string, network: string, turn: number) {
  const [method = '', pattern = ''] = endpoint.split(' ')
  const path = PARAMETERS.reduce((text, [part, value]) => text.replace(part, value), pattern)
  const { query, body } = operations[endpoint]?.examples.success ?? {}
  const before = kvWrites
  const username = `user${turn % KNOWN_USERS}`
  const names = {
    username,
    password: 'wrong-Passw0rd',
    ...(path.endsWith('/forgotten') && { name: username }),
  }
  const isForm = path.startsWith('/account') || path.startsWith('/oauth')
  const sent = isForm
    ? new URLSearchParams(names).toString()
    : JSON.stringify(Array.isArray(body) ? body : { ...body, ...names })
  await site.fetch(method, `${path}?${new URLSearchParams(query).toString()}`, {
    token: credential,
    ...(method !== 'GET' && { body: sent }),
    headers: {
      'CF-Connecting-IP': network,
      Origin: 'http://localhost',
      ...(isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
  })
  await site.settle()
  return site.meter.rowsWritten + kvWrites - before
}

/** Asks until nothing more is written, from the given turn on. */
async function spend(endpoint: string, credential: string, network: string, from = 0) {
  let [rows, turn] = [0, from]
  for (; turn < MANY; turn++) {
    const written = await ask(endpoint, credential, network, turn)
    if (written === 0) break
    rows += written
  }
  return { rows, isBounded: turn < MANY }
}

/** Asks twice, because the first request may also write what all visitors read. */
async function begin(endpoint: string, credential: string, network: string) {
  const first = await ask(endpoint, credential, network, 0)
  const second = first === 0 ? 0 : await ask(endpoint, credential, network, 1)
  return { first, second }
}

/** The rows that each endpoint writes when it refuses the credential, after the first time. */
async function rowsOfRefusal(credential: string): Promise<number> {
  return (await begin(REFUSING, credential, '2001:db8:2:1::1')).second
}

/** The rows of a day, from those of the first window. */
async function rowsOfDay(endpoint: string, credential: string, network: string, rows: number) {
  for (const [wait, times] of [
    [5 * MINUTE, 288],
    [10 * MINUTE, 96],
    [45 * MINUTE, 24],
  ] as const) {
    site.now += wait
    if ((await ask(endpoint, credential, network, MANY)) > 0) return rows * times
  }
  return rows
}

/**
 * Rows of the requests that write, by endpoint and credential. `npm run bench -- --rows` shows
 * them.
 */
const figures: string[] = []

describe('what a stranger causes to be written', () => {
  test.each(endpoints)('is bounded a network, a /48 and a day: %s', async (endpoint) => {
    for (const [shown, credential] of Object.entries(CREDENTIALS)) {
      const network = '2001:db8:1:1::1'
      const { first, second } = await begin(endpoint, credential, network)
      if (first === 0) continue
      const isAsRefused = second > 0 && second === (await rowsOfRefusal(credential))
      // The test below shows that its counter is that of the others.
      if (isAsRefused && endpoint !== REFUSING) continue
      const rest =
        second === 0 ? { rows: 0, isBounded: true } : await spend(endpoint, credential, network, 2)
      expect(rest.isBounded).toBe(true)
      const ownRows = first + second + rest.rows
      expect(await ask(endpoint, credential, network, MANY)).toBe(0)
      let ofSite = ownRows
      for (const place of [2, 3, 4]) {
        const { rows, isBounded } = await spend(endpoint, credential, `2001:db8:1:${place}::1`)
        expect(isBounded).toBe(true)
        ofSite += rows
      }
      expect(await ask(endpoint, credential, '2001:db8:1:5::1', 0)).toBe(0)
      const ofDay = await rowsOfDay(endpoint, credential, network, ownRows)
      const ofSiteInDay = (ofDay / ownRows) * ofSite
      const rows = [ownRows, ofSite, ofDay, ofSiteInDay].join(' | ')
      figures.push(`| \`${endpoint}\` | ${shown} | ${rows} |`)
      expect(ofDay).toBeLessThan(MOST_OF_NETWORK)
      expect(ofSiteInDay).toBeLessThan(MOST_OF_SITE)
    }
  })

  test('is bounded for wrong app passwords by one counter of all endpoints', async () => {
    const shared: string[] = []
    const refusal = await rowsOfRefusal(WRONG_APP_PASSWORD)
    for (const [place, endpoint] of endpoints.entries()) {
      const { second } = await begin(endpoint, WRONG_APP_PASSWORD, `2001:db8:${1000 + place}::1`)
      if (second === refusal) shared.push(endpoint)
    }
    expect(refusal).toBeGreaterThan(0)
    expect(shared.length).toBeGreaterThan(50)
    const writing = async (network: string) => {
      const written: string[] = []
      for (const endpoint of shared)
        if ((await ask(endpoint, WRONG_APP_PASSWORD, network, MANY)) > 0) written.push(endpoint)
      return written
    }
    const networks = [1, 2, 3, 4, 5].map((place) => `2001:db8:1:${place}::1`)
    const [own = '', ...others] = networks
    await spend(REFUSING, WRONG_APP_PASSWORD, own)
    expect(await writing(own)).toEqual([])
    for (const network of others.slice(0, -1)) await spend(REFUSING, WRONG_APP_PASSWORD, network)
    expect(await writing(others.at(-1) ?? '')).toEqual([])
    const count = shared.length - 1
    figures.push(
      `| ${count} others | a wrong app password | in the counter of \`${REFUSING}\` | | | |`,
    )
  })

  test('is what the table says', async () => {
    const head = [
      '| request | credential | rows of a network until it writes nothing more | of a /48 | of a network in a day | of a /48 in a day |',
      '|---|---|---|---|---|---|',
    ]
    await expect([...head, ...figures, ''].join('\n')).toMatchFileSnapshot('strangers.rows.txt')
  })
})
