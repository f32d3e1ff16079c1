import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { validate } from '../../../../web/http/input.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import {
  clientNameSchema,
  clientSiteSchema,
  clientUriSchema,
  clientUrisSchema,
} from '../../client-fields.ts'
import { addClient, deleteClient, getClient, listClients, replaceSecret } from '../../clients.ts'
import { presetClient, presetSettings, PRESETS } from '../../presets.ts'
import { listReservedNames, releaseName } from '../../../users/reserved-names.ts'
import { confirmWith } from '../../../../web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { backTo, goTo, showPage } from '../../../../web/kit/view.ts'
import { AdminProgramsPage, NewProgramPage, ProgramSettingsPage } from './programs.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

const PATH = '/account/admin/programs'

const lines = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split(/\s+/).filter((line) => line !== '')),
  clientUrisSchema,
)

const programSchema = v.object({
  name: clientNameSchema,
  redirect_uris: lines,
  post_logout_uris: lines,
  logout_uri: v.union([v.literal(''), clientUriSchema]),
})
const siteSchema = v.object({ site: clientSiteSchema })

/** The pages of registered programs, under `/account/admin/programs`. */
export const adminProgramPages = new Hono<App>()
  .get('/', (c) => showPrograms(c))
  .get('/add', (c) => showNewProgram(c, c.req.query('preset')))
  .post('/add', async (c) => {
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const given = validate(programSchema, { logout_uri: '', ...fields })
      const preset = PRESETS.find((one) => one === fields['preset'])
      const site = preset === undefined ? '' : validate(siteSchema, fields).site
      const known = preset && presetClient(preset, site)
      const redirectUris = [...(known?.redirectUris ?? []), ...given.redirect_uris]
      if (redirectUris.length === 0)
        throw new Refusal('invalidBody', {
          field: 'redirect_uris',
          reason: { code: 'required', values: {} },
        })
      await confirmWith(c, fields)
      const { name, logout_uri: logoutUri } = given
      const issuer = c.get('deps').issuer(c.req.url)
      const client = await addClient(c.get('deps'), actorOf(c), {
        name,
        redirectUris,
        postLogoutUris: [...(known?.postLogoutUris ?? []), ...given.post_logout_uris],
        logoutUri,
        issuer,
        isPublic: 'is_public' in fields,
        firstParty: 'first_party' in fields,
        adminsOnly: 'admins_only' in fields,
        emailInIdToken: 'email_in_id_token' in fields || known?.emailInIdToken === true,
      })
      return { name, preset, site, issuer, ...client }
    })
    if (made instanceof Refusal) return showNewProgram(c, fields['preset'] ?? 'other', fields, made)
    const { name, preset, site, issuer, clientId, secret = '' } = made
    const settings = presetSettings(preset, { issuer, clientId, secret, site })
    const view = await adminView(c)
    const props = { view, name, preset, settings, hasSecret: secret !== '' }
    return showPage(c, <ProgramSettingsPage {...props} />)
  })
  .post('/secret', async (c) => {
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const client = await getClient(c.get('deps'), actorOf(c), fields['id'] ?? '')
      await confirmWith(c, fields)
      return { client, secret: await replaceSecret(c.get('deps'), actorOf(c), client) }
    })
    if (made instanceof Refusal) return showPrograms(c, made)
    const { client, secret } = made
    const { id: clientId, name } = client
    const deps = c.get('deps')
    const issuer = (deps.isIssuerSet ? '' : client.issuer) || deps.issuer(c.req.url)
    const settings = presetSettings(undefined, { issuer, clientId, secret, site: '' })
    const view = await adminView(c)
    return showPage(c, <ProgramSettingsPage view={view} name={name} settings={settings} />)
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const client = await getClient(c.get('deps'), actorOf(c), fields['id'] ?? '')
      await confirmWith(c, fields)
      await deleteClient(c.get('deps'), actorOf(c), client)
    })
    if (refusal instanceof Refusal) return showPrograms(c, refusal)
    return goTo(c, PATH, 'program-deleted')
  })
  .post('/release', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      await releaseName(c.get('deps'), actorOf(c), fields['username'] ?? '')
    })
    if (refusal instanceof Refusal) return showPrograms(c, refusal, fields['username'])
    return goTo(c, PATH, 'name-released')
  })
  .get('/:form', backTo(PATH))

async function showNewProgram(
  c: AppContext,
  kind: string | undefined,
  fields?: Fields,
  refusal?: Refusal,
) {
  return showForm(c, NewProgramPage, { view: await adminView(c), kind, fields }, refusal)
}

async function showPrograms(c: AppContext, refusal?: Refusal, kept?: string) {
  const deps = c.get('deps')
  const view = await adminView(c)
  const [clients, names] = await Promise.all([
    listClients(deps, actorOf(c)),
    listReservedNames(deps, actorOf(c)),
  ])
  return showForm(c, AdminProgramsPage, { view, clients, names, kept }, refusal)
}
