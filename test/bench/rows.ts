import * as v from 'valibot'
import { newKey } from '../support/new-key.ts'
import { phoneCode } from '../support/authenticator.ts'
import { costOf } from './client.ts'
import { PASSWORD, type Sites } from './sites.ts'

/** What one request wrote, indexes included, as D1 counts it. */
export interface RowFigure {
  /** The endpoint, and what befell the request. */
  request: string
  code: number
  rows: number
}

const answerSchema = v.object({
  code: v.number(),
  data: v.nullish(
    v.object({
      token: v.optional(v.string()),
      secret: v.optional(v.string()),
      recovery_codes: v.optional(v.array(v.string())),
    }),
  ),
})

type Data = NonNullable<v.InferOutput<typeof answerSchema>['data']>

/** Users whom no other measurement signs in: it may have switched their codes on. */
const [ALICE, KNOWN, DISABLED] = ['user98', 'user99', 'user100']
const HOME = '192.0.2.1'
const FAMILIES = [
  ['IPv4', '198.51.100.'],
  ['IPv6', '2001:db8:1:'],
] as const

/** Asks a site that is metered for everything that writes, accepted and refused. */
export async function measureRows(sites: Sites, name: string): Promise<RowFigure[]> {
  const visit = new Visit(sites.url(name))
  const d1 = await sites.database(name)
  await d1.batch([d1.prepare(`update users set disabled = 1 where username = '${DISABLED}'`)])
  await visit.signIns()
  await visit.refusedSignIns()
  return visit.figures
}

class Visit {
  readonly figures: RowFigure[] = []
  readonly #url: URL

  constructor(url: URL) {
    this.#url = url
  }

  async signIns(): Promise<void> {
    await this.#signIn('from a new network', ALICE)
    const { token } = await this.#signIn('from a known one', ALICE)
    const key = { title: 'bench', key: newKey().line }
    await this.#ask('POST /api/me/sshkey/add', { token, body: key })
    await this.#ask('POST /api/me/sshkey/add, again', { token, body: key })
    const { secret = '' } = await this.#ask('POST /api/auth/2fa/generate', { token })
    const verify = { secret, code: phoneCode(secret) }
    await this.#ask('POST /api/auth/2fa/verify', { token, body: verify })
    const proof = { otp_code: phoneCode(secret) }
    const path = 'POST /api/auth/2fa/recovery_codes'
    const { recovery_codes: codes } = await this.#ask(path, { token, body: proof })
    await this.#ask(`${path}, used code`, { token, body: proof })
    await this.#signIn('without its code', ALICE)
    await this.#signIn('with a wrong code', ALICE, { otp_code: '000000' })
    await this.#signIn('with a code, after a wrong one', ALICE, {
      otp_code: phoneCode(secret, Date.now(), 1),
    })
    await this.#signIn('with a recovery code', ALICE, { otp_code: codes?.[0] })
    await this.#ask('GET /api/auth/logout', { token })
  }

  async refusedSignIns(): Promise<void> {
    for (const [family, network] of FAMILIES) {
      const wrong = { password: 'wrong-Passw0rd' }
      const last = family === 'IPv6' ? '::1' : ''
      for (const [place, username] of [KNOWN, DISABLED, 'nobody'].entries()) {
        const who = ['known name', 'disabled', 'unknown name'][place]
        const from = `${network}${place}${last}`
        for (const when of ['first', 'second', 'third', 'fourth', 'at the limit', 'blocked']) {
          await this.#signIn(`refused, ${who}, ${when}, ${family}`, username, wrong, from)
        }
      }
    }
  }

  #signIn(what: string, username: string, others: object = {}, from = HOME): Promise<Data> {
    const body = { username, password: PASSWORD, ...others }
    return this.#ask(`POST /api/auth/login, ${what}`, { body, from })
  }

  /** @param request Method and path, and after a comma what is special about it. */
  async #ask(
    request: string,
    { token, body, from = HOME }: { token?: string | undefined; body?: object; from?: string },
  ): Promise<Data> {
    const [endpoint = ''] = request.split(',')
    const [method = '', path = ''] = endpoint.split(' ')
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: { 'CF-Connecting-IP': from, ...(token !== undefined && { Authorization: token }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { code, data } = v.parse(answerSchema, await response.json())
    this.figures.push({ request, code, rows: costOf(response)?.rowsWritten ?? NaN })
    return data ?? {}
  }
}
