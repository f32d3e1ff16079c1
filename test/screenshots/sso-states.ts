import type { Page } from 'playwright-core'
import { phoneCode } from '../support/authenticator.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, type Clone } from '../support/clone.ts'
import { type OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { press, unfold } from '../support/press.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { remainingStates } from './remaining-access-states.ts'

type Take = (name: string) => Promise<void>

const PATH = '/account/sign-in/sso'
const SETTINGS = '/account/admin/settings/sso'
/** A name that is as long as providers allow. */
const NAME = 'octocat.with.a.rather.long.name@department.example.org'
const STEP_MILLISECONDS = 30_000

/** A site that has just started, and its provider. */
export interface SsoTour {
  site: Client
  provider: OidcProvider
  clone: Pick<Clone, 'sql'>
}

/**
 * The pages of single sign-on under http://localhost, where browsers have passkeys. No element is
 * found by its text, so that the pages may be in any language.
 */
export async function ssoStates(page: Page, tour: SsoTour, take: Take): Promise<void> {
  const { site, provider } = tour
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  const set = async (values: Record<string, string>) => {
    const all = {
      sso_login_enabled: 'true',
      sso_login_platform: 'OIDC',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      sso_endpoint_name: provider.issuer,
      ...values,
    }
    const body = Object.entries(all).map(([key, value]) => ({ key, value }))
    await site.call('POST', '/api/admin/setting/save', { token, body })
  }
  await set({})
  await page.goto('/account/sign-in')
  await take('sso-sign-in')
  await failedStates(page, set, take)
  await set({})
  await linkStates(page, take)
  await linkedStates(page, set, take)
  await factorStates(page, tour, token, take)
}

async function failedStates(
  page: Page,
  set: (values: Record<string, string>) => Promise<void>,
  take: Take,
): Promise<void> {
  await page.goto('/api/auth/sso_callback?method=sso_get_token')
  await take('sso-failed')
  await set({ sso_endpoint_name: 'http://127.0.0.1:1' })
  await page.goto(PATH)
  await take('sso-unavailable')
  await set({ sso_login_enabled: 'false' })
  await page.goto(PATH)
  await take('sso-off')
}

/** Signs in at the provider, which has forgotten the visitor. */
async function pass(page: Page, path: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(path)
  await signInAt(page, NAME)
}

async function linkStates(page: Page, take: Take): Promise<void> {
  await pass(page, PATH)
  await page.waitForURL('**/sso/step')
  await take('sso-link')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill('wrong-Passw0rd')
  await press(page.locator(`form[action="${PATH}/link"] button:not([type])`))
  await take('sso-link-refused')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await press(page.locator(`form[action="${PATH}/link"] button:not([type])`))
  await page.waitForURL('**/account')
}

async function linkedStates(
  page: Page,
  set: (values: Record<string, string>) => Promise<void>,
  take: Take,
): Promise<void> {
  await page.goto('/account/security')
  await take('sso-security')
  for (const summary of await page.locator('details:has([action*="identities/"]) > summary').all())
    await summary.click()
  await take('sso-security-open')
  await page.goto('/account/admin/users/1')
  await unfold(page.locator('form[action*="unlink-identity"]'))
  await take('sso-user')
  for (const [state, secret] of Object.entries({ good: CLIENT_SECRET, bad: 'another' })) {
    await set({ sso_client_secret: secret })
    await page.goto(SETTINGS)
    await press(page.locator(`form[action="${SETTINGS}/check"] button`))
    await take(`sso-settings-${state}`)
  }
  await set({})
}

async function factorStates(
  page: Page,
  { site, clone }: SsoTour,
  token: string,
  take: Take,
): Promise<void> {
  const { secret } = (await site.call('POST', '/api/auth/2fa/generate', { token })).data
  const body = { code: phoneCode(secret, Date.now()), secret }
  await site.call('POST', '/api/auth/2fa/verify', { token, body })
  await pass(page, PATH)
  await page.waitForURL('**/sso/step')
  await take('sso-factor')
  await page.locator('#code').fill('000000')
  await press(page.locator(`form[action="${PATH}/code"] button:not([type])`))
  await take('sso-factor-refused')
  clone.sql(
    `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up,
       transports, aaguid, rp_id, name, created_at)
     values ('sso', 1, 'x', -7, 0, 0, '', '', 'localhost', 'phone', 0)`,
  )
  await page.goto(`${PATH}/step`)
  await take('sso-factor-passkey')
  // Nobody has opened this tab, so it has nobody to tell.
  await pass(page, '/api/auth/sso?method=sso_get_token')
  await page.waitForURL('**/sso/step')
  await page.locator('#code').fill(phoneCode(secret, Date.now() + STEP_MILLISECONDS))
  await press(page.locator(`form[action="${PATH}/code"] button:not([type])`))
  await page.locator('[data-message]').waitFor()
  await take('sso-done')
  await remainingStates(page, clone, secret, take)
}
