import { Hono } from 'hono'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { App } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { attempt, readForm } from '../../../../web/kit/form.ts'
import type { Texts } from '../../../../web/kit/texts.ts'
import { textsFor } from '../../../../web/kit/language.ts'
import { backTo, type Checked } from '../../../../web/kit/view.ts'
import { listSettings } from '../../../settings/manage-settings.ts'
import { showSettings } from '../../../settings/pages/admin/setting-routes.tsx'
import { checkProvider, type SsoCheck } from '../../check.ts'

/** The test of the saved settings, under `/account/admin/settings/sso/check`. */
export const ssoCheckPages = new Hono<App>()
  .post('/', async (c) => {
    await readForm(c)
    // Also decides whether the visitor is an admin.
    await listSettings(c.get('deps'), actorOf(c))
    const checked = await attempt(() => checkProvider(c.get('deps')))
    if (checked instanceof Refusal) return showSettings(c, 'sso', { refusal: checked })
    return showSettings(c, 'sso', { checked: findingOf(textsFor(c).sso, checked) })
  })
  .get('/', backTo('/account/admin/settings/sso'))

function findingOf(t: Texts['sso'], checked: SsoCheck): Checked {
  if ('problem' in checked) return { text: t.checkProblems[checked.problem], isGood: false }
  const { host, isClientAccepted } = checked
  return {
    text: isClientAccepted ? t.checkGood(host) : t.checkUnsure(host),
    isGood: isClientAccepted,
  }
}
