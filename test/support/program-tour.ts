import { createMeter } from '../../src/core/database/database.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import type { CheapSite } from './cheap-site.ts'
import {
  answerIn,
  basic,
  CALLBACK,
  FORM,
  type Registered,
  register,
  requestPath,
  type TokenAnswer,
} from './openid.ts'
import { ADMIN_PASSWORD } from './site.ts'
import type { Cost } from './tour.ts'
import { refreshTo, Visitor } from './visitor.ts'

interface Options {
  /** Puts rows into storage, when the programs are registered and the admin is signed in. */
  fill?: (clientId: string, sessionId: string) => Promise<unknown>
}

const SCOPE = 'openid offline_access'

/** Signs in to programs as the admin, asks everything of the OpenID provider, and signs out. */
export class ProgramTour {
  readonly costs: Cost[] = []
  readonly #site: CheapSite
  readonly #admin: Visitor

  private constructor(site: CheapSite) {
    this.#site = site
    this.#admin = new Visitor(site)
  }

  /** @param site One that has its first users. */
  static async of(site: CheapSite, { fill }: Options = {}): Promise<Cost[]> {
    const tour = new ProgramTour(site)
    const files = await register(site, { name: 'files' })
    const wiki = await register(site, { name: 'wiki', firstParty: false })
    await tour.#admin.signIn('admin', ADMIN_PASSWORD)
    const [, claims = ''] = (tour.#admin.cookies.get('session') ?? '').split('.')
    await fill?.(files.clientId, JSON.parse(atob(claims)).jti)
    await tour.#signIn(files)
    await tour.#useAndRemove(wiki)
    await tour.#operate(wiki)
    await tour.#signOut(files)
    return tour.costs
  }

  /** Notes what an answer has cost, under the path of its request. */
  async #note<Answer extends { status: number }>(
    call: string,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    // A request that is given nothing to work with costs nothing.
    this.#site.meter = createMeter()
    const answer = await ask()
    const { roundTrips, rowsRead, rowsWritten } = this.#site.meter
    this.costs.push({ call, code: answer.status, roundTrips, rowsRead, rowsWritten })
    return answer
  }

  #get(path: string) {
    return this.#note(`GET ${path.replace(/\?.*/s, '')}`, () => this.#admin.get(path))
  }

  #post(path: string, fields: Record<string, string>) {
    return this.#note(`POST ${path}`, () => this.#admin.post(path, fields))
  }

  /** Asks as a program or a server does. */
  #ask(path: string, fields: Record<string, string>, headers: Record<string, string>) {
    const body = new URLSearchParams(fields).toString()
    const call = { body, headers: { ...FORM, ...headers } }
    return this.#note(`POST ${path}`, () => this.#site.fetch('POST', path, call))
  }

  async #exchange(client: Registered, location: string | null): Promise<TokenAnswer> {
    const { code = '' } = answerIn(location)
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
    return (await this.#ask('/oauth/token', form, basic(client))).json()
  }

  async #signIn(client: Registered): Promise<void> {
    for (const path of ['/.well-known/openid-configuration', '/oauth/jwks']) await this.#get(path)
    const { location } = await this.#get(requestPath(client, { scope: SCOPE }))
    const { refresh_token: token = '' } = await this.#exchange(client, location)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    const response = await this.#ask('/oauth/token', form, basic(client))
    const { access_token: access }: TokenAnswer = await response.json()
    for (const shown of [access, `${access.slice(0, -4)}AAAA`])
      await this.#note('GET /oauth/userinfo', () =>
        this.#site.fetch('GET', '/oauth/userinfo', { token: `Bearer ${shown}` }),
      )
    const service = await addServiceToken(this.#site.deps, 'server', 'introspect')
    const bearer = { Authorization: `Bearer ${service ?? ''}` }
    await this.#ask('/oauth/introspect', { token: access }, bearer)
    // The one before it: its second use ends the row.
    await this.#ask('/oauth/token', form, basic(client))
    const other = await this.#get(requestPath(client))
    const { access_token: last } = await this.#exchange(client, other.location)
    await this.#ask('/oauth/revoke', { token: last }, basic(client))
  }

  async #useAndRemove(client: Registered): Promise<void> {
    const path = requestPath(client)
    await this.#get(path)
    const [, request = ''] = path.split('?')
    const form = { request, user: '1', answer: 'allow' }
    const { headers } = await this.#post('/oauth/authorize/consent', form)
    await this.#exchange(client, refreshTo(headers))
    await this.#get('/account/programs')
    await this.#post('/account/programs/remove', { id: client.clientId })
  }

  async #operate({ clientId }: Registered): Promise<void> {
    await this.#get('/account/admin/programs')
    await this.#post('/account/admin/programs/secret', { id: clientId })
    await this.#post('/account/admin/programs/delete', { id: clientId })
  }

  async #signOut(client: Registered): Promise<void> {
    const { location } = await this.#get(requestPath(client))
    const { id_token: hint } = await this.#exchange(client, location)
    await this.#get(`/oauth/end_session?id_token_hint=${hint}`)
  }
}
