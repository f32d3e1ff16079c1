import { Hono } from 'hono'
import { countMadeWithPassword } from '../../../../core/access/kept-credentials.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import { listSettings, resetSettings, saveSettings } from '../../manage-settings.ts'
import { SETTINGS } from '../../definitions.ts'
import { settingsElsewhere } from '../../http/elsewhere.ts'
import { confirmWith } from '../../../../web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { actorOf } from '../../../../web/http/guard.ts'
import { type Checked, goTo, type DoneNotice } from '../../../../web/kit/view.ts'
import { hasPermission, permissionIn } from '../../../users/pages/admin/permission-fields.tsx'
import { PERMISSION_SETTINGS } from './setting-field.tsx'
import { isSettingPage, keysOf, type SettingPage } from './setting-pages.ts'
import { withTables } from './setting-table.tsx'
import { SettingsPage } from './settings.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

const PATH = '/account/admin/settings'

/** The pages of settings, under `/account/admin/settings`. */
export const settingPages = new Hono<App>()
  .get('/', (c) => goTo(c, `${PATH}/site`))
  .get('/:page', (c) => showSettings(c, pageOf(c)))
  .post('/:page', async (c) => {
    const page = pageOf(c)
    const fields = withPermissions(await readForm(c))
    const { reset } = fields
    const changed = await attempt(async () => {
      await confirmWith(c, fields)
      const elsewhere = await settingsElsewhere(c)
      if (reset !== undefined) return resetSettings(c.get('deps'), actorOf(c), [reset], elsewhere)
      const values = parseValues(withTables(fields), page, elsewhere?.alone)
      return saveSettings(c.get('deps'), actorOf(c), values, elsewhere)
    })
    if (changed instanceof Refusal) return showSettings(c, page, { fields, refusal: changed })
    // A change of other settings deletes the client secret too.
    const isChanged = changed.includes('sso_client_secret')
    if (reset === undefined) {
      const isDeleted = isChanged && !fields['sso_client_secret']
      return goTo(c, `${PATH}/${page}`, isDeleted ? 'client-secret-deleted' : 'settings-saved')
    }
    const isDeleted = isChanged && reset !== 'sso_client_secret'
    const notice = isDeleted ? 'client-secret-deleted' : 'setting-reset'
    // The page keeps the other inputs of the form without saving them.
    const others = Object.entries(fields).filter(
      ([name]) => name !== reset && !name.startsWith(`${reset}.`),
    )
    return showSettings(c, page, { fields: Object.fromEntries(others), notice })
  })

function pageOf(c: AppContext): SettingPage {
  const page = c.req.param('page') ?? ''
  if (!isSettingPage(page)) throw new Refusal('unknownPath')
  return page
}

/** Puts the numbers of the permissions that were chosen into the fields of their settings. */
function withPermissions(fields: Fields): Fields {
  const asked = PERMISSION_SETTINGS.filter((key) => hasPermission(fields, key))
  const numbers = asked.map((key) => [key, String(permissionIn(fields, key))])
  return { ...fields, ...Object.fromEntries(numbers) }
}

function parseValues(
  fields: Fields,
  page: SettingPage,
  others: readonly string[] = [],
): Record<string, string> {
  const writable = SETTINGS.filter(
    ({ key, isReadOnly }) => !isReadOnly && !others.includes(key),
  ).map(({ key }) => key)
  const keys = keysOf(page).filter((key) => writable.includes(key))
  return Object.fromEntries(
    keys.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])),
  )
}

interface Answer {
  fields?: Fields
  refusal?: Refusal
  notice?: DoneNotice
  checked?: Checked
}

/** Shows a page of settings again, after one of its forms. */
export async function showSettings(c: AppContext, page: SettingPage, answer: Answer = {}) {
  const { fields, refusal, notice, checked } = answer
  const view = await adminView(c)
  const elsewhere = await settingsElsewhere(c)
  const settings = await listSettings(c.get('deps'), actorOf(c))
  const props = {
    madeWithPassword:
      page === 'accounts' ? await countMadeWithPassword(c.get('deps'), actorOf(c)) : undefined,
    view:
      notice === undefined
        ? view
        : { ...view, notice: { text: view.t.notices[notice], isGood: true } },
    page,
    settings: settings.filter(({ key }) => !elsewhere?.alone.includes(key)),
    fields,
    asText: c.req.query('text'),
    checked,
    site: c.req.url,
  }
  return showForm(c, SettingsPage, props, refusal && { form: page, fields: fields ?? {}, refusal })
}
