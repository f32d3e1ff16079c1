import { hasMailSite } from './capabilities/mail/mail-site.ts'
import { confirmWithForm, proveAgainWithForm } from './capabilities/me/pages/confirm.ts'
import { beginOnPage } from './capabilities/passkeys/pages/passkey.ts'
import { readSiteFacts } from './capabilities/settings/pages/site-facts.ts'
import { CAPABILITIES } from './capabilities.ts'
import { showFailure } from './pages.tsx'
import { TEXTS } from './texts.ts'
import type { PageSource } from './web/kit/view.ts'

/** What pages show and ask of capabilities. */
export const pageSource: PageSource = {
  texts: TEXTS,
  navigation: {
    own: CAPABILITIES.flatMap(({ navigation = [] }) => navigation),
    operators: CAPABILITIES.flatMap(({ operatorNavigation = [] }) => operatorNavigation),
  },
  showFailure,
  readSite: async (c) => ({ ...(await readSiteFacts(c)), hasMail: hasMailSite(c.get('deps')) }),
  beginCeremony: beginOnPage,
  confirm: confirmWithForm,
  proveAgain: proveAgainWithForm,
}
