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
import { readAccountAs, readAs } from '../../../core/access/act-as.ts'
import { own } from '../../../core/access/subject.ts'
import { parseSftpAddress } from '../../settings/sftp-address.ts'
import { selectSettings, withAllDefaults } from '../../settings/store.ts'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { backTo, goTo, readView, showPage } from '../../../web/kit/view.ts'
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

const nameForm = v.object({ name: appPasswordNameSchema })

/** The pages of the user's app passwords. */
export const appPasswordPages = new Hono<App>()
  .get('/', (c) => showAppPasswords(c))
  .get('/add', (c) => showNewAppPassword(c))
  .post('/create', async (c) => {
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const { name } = validate(nameForm, fields)
      const use = findUse(fields['use'] ?? '')
      const lifetime = findLifetime(fields['lifetime'] ?? '')
      if (use === undefined || lifetime === undefined) throw new Refusal('requestInvalid')
      await confirmWith(c, fields)
      const deps = c.get('deps')
      const days = LIFETIME_DAYS[lifetime]
      const request = {
        name,
        scopes: scopesOfUse(use),
        expiresAt: days === null ? null : deps.now() + days * DAY_MILLISECONDS,
      }
      return { name, use, ...(await createAppPassword(deps, own(sessionOf(c)), request)) }
    })
    if (made instanceof Refusal) return showNewAppPassword(c, fields, made)
    const { name, use, token } = made
    const deps = c.get('deps')
    const { account, changed } = await readAs(deps, sessionOf(c), {
      changed: selectSettings(deps.db, ['sftp_address']),
    })
    const sftp = parseSftpAddress(withAllDefaults(changed).sftp_address)
    const { origin } = new URL(c.req.url)
    const webdav = webdavAddress(deps.fileServer(), new URL(c.req.url))
    const props = { view: await readView(c, account), name, use, token, origin, sftp, webdav }
    return showPage(c, <CreatedAppPasswordPage {...props} />)
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () =>
      deleteAppPassword(c.get('deps'), own(sessionOf(c)), validate(idQuery, fields).id),
    )
    if (refusal instanceof Refusal) return showAppPasswords(c, refusal)
    return goTo(c, PATH, 'app-password-deleted')
  })
  .get('/:form', backTo(PATH))

async function showNewAppPassword(c: AppContext, fields?: Fields, refusal?: Refusal) {
  const view = await readView(c, await readAccountAs(c.get('deps'), sessionOf(c)))
  return showForm(c, NewAppPasswordPage, { view, fields }, refusal)
}

async function showAppPasswords(c: AppContext, refusal?: Refusal) {
  const { account, ...listed } = await listAppPasswordsWithClosed(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  return showForm(c, AppPasswordsPage, { view, ...listed }, refusal)
}

function webdavAddress(files: FileServer | undefined, here: URL): string | undefined {
  return files && `${here.protocol}//${files.host ?? here.host}/dav`
}
