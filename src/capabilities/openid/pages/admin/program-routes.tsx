import * as v from 'valibot'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { validate } from '../../../../web/http/input.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import {
  clientNameSchema,
  clientSiteSchema,
  clientUriSchema,
  clientUrisSchema,
} from '../../client-fields.ts'
import {
  addClient,
  changeClient,
  deleteClient,
  getClient,
  listClients,
  replaceSecret,
} from '../../clients.ts'
import { presetClient, presetSettings, PRESETS } from '../../presets.ts'
import { listReservedNames, releaseName } from '../../../users/reserved-names.ts'
import type { Fields, Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { undoable } from '../../../../web/kit/undo.ts'
import { goTo, showPage } from '../../../../web/kit/view.ts'
import {
  AdminProgramsPage,
  EditProgramPage,
  NewProgramPage,
  type ProgramForm,
  ProgramSettingsPage,
} from './programs.tsx'
import { action, formsOf } from '../../../../web/kit/action.ts'
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

/** Reads the fields of a new program. @throws {Refusal} `invalidBody`. */
function parseProgram(fields: Fields) {
  const given = validate(programSchema, { logout_uri: '', ...fields })
  const preset = PRESETS.find((known) => known === fields['preset'])
  const site = preset === undefined ? '' : validate(siteSchema, fields).site
  const known = preset && presetClient(preset, site)
  const redirectUris = [...(known?.redirectUris ?? []), ...given.redirect_uris]
  const client = {
    ...clientOf(given, fields),
    redirectUris: atLeastOne(redirectUris),
    postLogoutUris: [...(known?.postLogoutUris ?? []), ...given.post_logout_uris],
    isPublic: 'is_public' in fields,
    emailInIdToken: 'email_in_id_token' in fields || known?.emailInIdToken === true,
  }
  return { preset, site, client }
}

/** Reads the fields of a registered program. @throws {Refusal} `invalidBody`. */
function parseChange(fields: Fields) {
  const { redirect_uris: uris, ...given } = validate(programSchema, { logout_uri: '', ...fields })
  return {
    id: fields['id'] ?? '',
    client: {
      ...clientOf(given, fields),
      redirectUris: atLeastOne(uris),
      postLogoutUris: given.post_logout_uris,
      emailInIdToken: 'email_in_id_token' in fields,
    },
  }
}

function clientOf(given: { name: string; logout_uri: string }, fields: Fields) {
  return {
    name: given.name,
    logoutUri: given.logout_uri,
    firstParty: 'first_party' in fields,
    adminsOnly: 'admins_only' in fields,
  }
}

/** @throws {Refusal} `invalidBody` for a program without a redirect address. */
function atLeastOne(redirectUris: string[]): string[] {
  if (redirectUris.length > 0) return redirectUris
  throw new Refusal('invalidBody', {
    field: 'redirect_uris',
    reason: { code: 'required', values: {} },
  })
}

/** The pages of registered programs, under `/account/admin/programs`. */
export const adminProgramPages = formsOf(PATH, showPrograms, {
  add: action({
    page: showNewProgram,
    reads: parseProgram,
    confirms: true,
    async run(c, { preset, site, client }) {
      const issuer = c.get('deps').issuer(c.req.url)
      const made = await addClient(c.get('deps'), actorOf(c), { ...client, issuer })
      return { name: client.name, preset, site, issuer, ...made }
    },
    async done(c, { name, preset, site, issuer, clientId, secret = '' }) {
      const settings = presetSettings(preset, { issuer, clientId, secret, site })
      const props = { view: await adminView(c), name, preset, settings, hasSecret: secret !== '' }
      return showPage(c, <ProgramSettingsPage {...props} />)
    },
  }),
  edit: action({
    page: showProgram,
    reads: parseChange,
    confirms: true,
    async run(c, { id, client }) {
      const stored = await getClient(c.get('deps'), actorOf(c), id)
      await changeClient(c.get('deps'), actorOf(c), stored, client)
    },
    done: 'program-changed',
  }),
  secret: action({
    confirms: true,
    async run(c, { id = '' }) {
      const client = await getClient(c.get('deps'), actorOf(c), id)
      return { client, secret: await replaceSecret(c.get('deps'), actorOf(c), client) }
    },
    async done(c, { client: { id: clientId, name, issuer: stored }, secret }) {
      const deps = c.get('deps')
      const issuer = (deps.isIssuerSet ? '' : stored) || deps.issuer(c.req.url)
      const settings = presetSettings(undefined, { issuer, clientId, secret, site: '' })
      const props = { view: await adminView(c), name, settings }
      return showPage(c, <ProgramSettingsPage {...props} />)
    },
  }),
  delete: action({
    confirms: true,
    async run(c, { id = '' }) {
      const client = await getClient(c.get('deps'), actorOf(c), id)
      return undoable(c, (slot) => deleteClient(c.get('deps'), slot.session, client, slot))
    },
    done: (c, slot) => goTo(c, PATH, 'program-deleted', slot),
  }),
  release: action({
    confirms: true,
    run: (c, { username = '' }) => releaseName(c.get('deps'), actorOf(c), username),
    done: 'name-released',
  }),
}).get('/', (c) => showPrograms(c))

async function showNewProgram(c: AppContext, refused?: Refused) {
  const kind = refused === undefined ? c.req.query('preset') : (refused.fields['preset'] ?? 'other')
  return showForm(c, NewProgramPage, { view: await adminView(c), kind }, refused)
}

async function showProgram(c: AppContext, refused?: Refused) {
  const view = await adminView(c)
  const id = refused === undefined ? c.req.query('id') : refused.fields['id']
  const client = await getClient(c.get('deps'), actorOf(c), id ?? '')
  return showForm(c, EditProgramPage, { view, client }, refused)
}

async function showPrograms(c: AppContext, refused?: Refused<ProgramForm>) {
  const deps = c.get('deps')
  const view = await adminView(c)
  const [clients, names] = await Promise.all([
    listClients(deps, actorOf(c)),
    listReservedNames(deps, actorOf(c)),
  ])
  return showForm(c, AdminProgramsPage, { view, clients, names }, refused)
}
