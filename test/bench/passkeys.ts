import * as v from 'valibot'
import { SoftwarePasskey } from '../support/passkey.ts'
import { send, signInOf, tokenIn } from './client.ts'
import type { Effort } from './compare.ts'
import { cpuTicks, headersOf, isGood, load, type Request, TICK_MICROSECONDS } from './load.ts'
import type { Sites } from './sites.ts'
import { type Figure, figureOf } from './statistics.ts'

/** A sign-in with a passkey beside one with a password, on the same side. */
export interface PasskeyFigure {
  /** Sign-ins a second. */
  passkey: Figure
  password: Figure
  /** Passkey over password, in the same round. */
  ratio: Figure
  /** Of workerd, with its simulated D1, for the finish of one sign-in. */
  cpuMicroseconds: number | undefined
}

/** As many as for passwords. */
const CONNECTIONS = 2
/** Answers that are signed before a round, outside its time. */
const ANSWERS_A_SECOND = 1200
const USERNAME = 'user97'

const begunSchema = v.object({
  options: v.object({ publicKey: v.looseObject({ challenge: v.string() }) }),
  session: v.string(),
})
const creationSchema = v.object({
  rp: v.object({ id: v.string() }),
  user: v.object({ id: v.string() }),
  challenge: v.string(),
})
const requestSchema = v.object({ rpId: v.string(), challenge: v.string() })

/** Signs the same user in with a passkey and with a password, in turn. */
export async function comparePasskeys(
  sites: Sites,
  name: string,
  { rounds, seconds }: Effort,
): Promise<PasskeyFigure> {
  const d1 = await sites.database(name)
  await d1.batch([
    d1.prepare(`insert or replace into settings values ('webauthn_login_enabled', 'true')`),
  ])
  const url = new URL(sites.url(name))
  // Browsers have no passkeys under an IP address.
  url.hostname = 'localhost'
  const passkey = await register(url)
  const taken = []
  for (let round = -1; round < rounds; round++) {
    const withPasskey = await finishMany(
      url,
      passkey,
      Math.ceil(seconds * ANSWERS_A_SECOND),
      sites.pid,
    )
    const withPassword = await load(sites.url(name), signInOf(USERNAME), {
      seconds: seconds * 3,
      connections: CONNECTIONS,
      pid: sites.pid,
    })
    // The first round warms up.
    if (round >= 0) taken.push({ withPasskey, withPassword })
  }
  const cpu = taken.flatMap(({ withPasskey }) => withPasskey.cpuMicroseconds ?? [])
  return {
    passkey: figureOf(taken.map(({ withPasskey }) => withPasskey.perSecond)),
    password: figureOf(taken.map(({ withPassword }) => withPassword.perSecond)),
    ratio: figureOf(
      taken.map(({ withPasskey, withPassword }) => withPasskey.perSecond / withPassword.perSecond),
    ),
    cpuMicroseconds: cpu.length === 0 ? undefined : figureOf(cpu).median,
  }
}

async function register(url: URL): Promise<SoftwarePasskey> {
  const token = tokenIn(await send(url, signInOf(USERNAME)))
  const passkey = await SoftwarePasskey.make('ES256', { origin: url.origin })
  passkey.isSynced = true
  const path = '/api/authn/webauthn_begin_registration'
  const { data } = await send(url, { method: 'GET', path, token })
  const { options, session } = v.parse(begunSchema, data)
  const body = await passkey.create(v.parse(creationSchema, options.publicKey))
  await post(url, '/api/authn/webauthn_finish_registration', body, {
    session,
    Authorization: token,
  })
  return passkey
}

/** Sends answers that were signed before, each once. */
async function finishMany(url: URL, passkey: SoftwarePasskey, count: number, pid?: number) {
  const begin: Request = { method: 'GET', path: '/api/authn/webauthn_begin_login' }
  const answers: { body: object; session: string }[] = []
  for (let i = 0; i < count; i++) {
    const { options, session } = v.parse(begunSchema, (await send(url, begin)).data)
    answers.push({ body: await passkey.get(v.parse(requestSchema, options.publicKey)), session })
  }
  const before = cpuTicks(pid)
  const start = performance.now()
  const queue = answers.values()
  const finish = async () => {
    for (const { body, session } of queue)
      await post(url, '/api/authn/webauthn_finish_login', body, { session })
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, finish))
  const elapsed = (performance.now() - start) / 1000
  const after = cpuTicks(pid)
  const cpuMicroseconds =
    before === undefined || after === undefined
      ? undefined
      : ((after - before) * TICK_MICROSECONDS) / count
  return { perSecond: count / elapsed, cpuMicroseconds }
}

/** @throws When the answer is not success. */
async function post(url: URL, path: string, body: object, headers: Record<string, string>) {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { ...headersOf({}), ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!isGood(text)) throw new Error(`POST ${path}: ${text.slice(0, 200)}`)
}
