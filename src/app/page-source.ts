import { hasMailSite } from '../capabilities/mail/mail-site.ts'
import { readSiteFacts } from '../capabilities/settings/pages/site-facts.ts'
import { CAPABILITIES } from '../capabilities.ts'
import { showFailure } from './pages.tsx'
import { TEXTS } from './texts.ts'
import type { AppContext } from '../web/http/context.ts'
import { loadPart } from '../core/base/load-part.ts'
import { loadAll } from '../web/kit/capability.ts'
import { languageOf } from '../web/kit/language.ts'
import type { PageSource } from '../web/kit/view.ts'

const SOURCE: Omit<PageSource, 'parts'> = {
  navigation: {
    own: CAPABILITIES.flatMap(({ navigation = [] }) => navigation),
    operators: CAPABILITIES.flatMap(({ operatorNavigation = [] }) => operatorNavigation),
  },
  showFailure,
  readSite: async (c) => ({ ...(await readSiteFacts(c)), hasMail: hasMailSite(c.get('deps')) }),
  async beginCeremony(...of) {
    const { beginOnPage } = await import('../capabilities/passkeys/pages/begin-on-page.ts')
    return beginOnPage(...of)
  },
  async confirm(...of) {
    const { confirmWithForm } = await import('../capabilities/me/pages/confirm.ts')
    return confirmWithForm(...of)
  },
  async proveAgain(...of) {
    const { proveAgainWithForm } = await import('../capabilities/me/pages/confirm.ts')
    return proveAgainWithForm(...of)
  },
}

/** Gives a request what pages show and ask of capabilities, in the language of the visitor. */
export async function providePages(c: AppContext): Promise<void> {
  const [texts, parts] = await Promise.all([
    loadPart(TEXTS[languageOf(c)]),
    loadAll(c.get('capabilities').flatMap(({ parts: load = [] }) => load)),
  ])
  c.set('texts', texts)
  c.set('pageSource', { ...SOURCE, parts })
}
