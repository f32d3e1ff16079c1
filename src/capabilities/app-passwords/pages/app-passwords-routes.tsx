import { Hono } from 'hono'
import * as v from 'valibot'
import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswordsWithClosed,
} from '../app-passwords.ts'
import { appPasswordNameSchema } from '../fields.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { idQuery, validate } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { own, read } from '../../../core/access/subject.ts'
import { parseSftpAddress } from '../../settings/sftp-address.ts'
import { selectSettings, withAllDefaults } from '../../settings/store.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import type { Fields, Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { readView, showPage } from '../../../web/kit/view.ts'
import {
  AppPasswordsPage,
  CreatedAppPasswordPage,
  findLifetime,
  findUse,
  LIFETIME_DAYS,
  NewAppPasswordPage,
  scopesOfUse,
} from './app-passwords.tsx'
import { DAY_MILLISECONDS } from '../../../core/base/time.ts'

const PATH = '/account/app-passwords'

type Created = Pick<Parameters<typeof CreatedAppPasswordPage>[0], 'name' | 'use' | 'token'>

const nameForm = v.object({ name: appPasswordNameSchema })

/** The pages of the user's app passwords. */
export const appPasswordPages = new Hono<App>()
  .get('/', (c) => showAppPasswords(c))
  .get('/add', (c) => showNewAppPassword(c))
  .route(
    '/',
    formsOf(PATH, showAppPasswords, {
      create: action({
        refused: showNewAppPassword,
        reads: parseNewAppPassword,
        confirms: true,
        async run(c, { name, use, days }) {
          const deps = c.get('deps')
          const expiresAt = days === null ? null : deps.now() + days * DAY_MILLISECONDS
          const request = { name, scopes: scopesOfUse(use), expiresAt }
          const { token } = await createAppPassword(deps, own(sessionOf(c)), request)
          return { name, use, token }
        },
        done: showCreated,
      }),
      delete: action({
        reads: idQuery,
        run: (c, { id }) => deleteAppPassword(c.get('deps'), own(sessionOf(c)), id),
        done: 'app-password-deleted',
      }),
    }),
  )

/** @throws {Refusal} `invalidBody`; `requestInvalid` for a choice that the page does not offer. */
function parseNewAppPassword(fields: Fields) {
  const { name } = validate(nameForm, fields)
  const use = findUse(fields['use'] ?? '')
  const lifetime = findLifetime(fields['lifetime'] ?? '')
  if (use === undefined || lifetime === undefined) throw new Refusal('requestInvalid')
  return { name, use, days: LIFETIME_DAYS[lifetime] }
}

async function showCreated(c: AppContext, created: Created) {
  const deps = c.get('deps')
  const { account, changed } = await read(deps, own(sessionOf(c)), {
    changed: selectSettings(deps.db, ['sftp_address']),
  })
  const sftp = parseSftpAddress(withAllDefaults(changed).sftp_address)
  const { origin } = new URL(c.req.url)
  const webdav = webdavAddress(deps.fileServer(), new URL(c.req.url))
  const props = { view: await readView(c, account), ...created, origin, sftp, webdav }
  return showPage(c, <CreatedAppPasswordPage {...props} />)
}

async function showNewAppPassword(c: AppContext, refused?: Refused) {
  const view = await readView(c, await readAccountAs(c.get('deps'), sessionOf(c)))
  return showForm(c, NewAppPasswordPage, { view }, refused)
}

async function showAppPasswords(c: AppContext, refused?: Refused) {
  const { account, ...listed } = await listAppPasswordsWithClosed(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  return showForm(c, AppPasswordsPage, { view, ...listed }, refused)
}

function webdavAddress(files: FileServer | undefined, here: URL): string | undefined {
  return files && `${here.protocol}//${files.host ?? here.host}/dav`
}
