import type { Page } from 'playwright-core'
import { phoneCode } from '../support/authenticator.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { accept } from '../support/envelope.ts'
import { type OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt } from '../support/passkey-client.ts'
import { press, unfold } from '../support/press.ts'
import { sessionOf } from '../support/session-of.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { turnOnTwoFactorAt } from '../support/two-factor-client.ts'
import { addProgram, addWays, elsewhereState, remainingStates } from './remaining-access-states.ts'

type Take = (name: string) => Promise<void>
type Save = (values: Record<string, string>) => Promise<void>

const PATH = '/account/sign-in/sso'
const SETTINGS = '/account/admin/settings/sso'
/** Names that are as long as providers allow. */
const ADMIN_NAME = 'octocat.with.a.rather.long.name@department.example.org'
const USER_NAME = 'carol.with.an.even.longer.name.than.that@department.example.org'
const STEP_MILLISECONDS = 30_000

/** A site that has just started, under the name localhost, and its provider. */
export interface SsoTour {
  site: Client
  provider: OidcProvider
}

/**
 * The pages of single sign-on, of an administrator who links an account and of a user who is
 * registered by it. No element is found by its text, so that the pages may be in any language.
 */
export async function ssoStates(page: Page, tour: SsoTour, take: Take): Promise<void> {
  const { site, provider } = tour
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  const save = async (values: Record<string, string>) => {
    const all = {
      sso_login_enabled: 'true',
      sso_login_platform: 'OIDC',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      sso_endpoint_name: provider.issuer,
      webauthn_login_enabled: 'true',
      ...values,
    }
    const body = Object.entries(all).map(([key, value]) => ({ key, value }))
    await site.ask('/api/admin/setting/save', { token, body })
  }
  await save({})
  await page.goto('/account/sign-in')
  await take('sso-sign-in')
  await failedStates(page, save, take)
  await save({})
  await linkStates(page, take)
  await linkedStates(page, save, take)
  const request = await addProgram(page)
  await save({ sso_auto_register: 'true' })
  await pass(page, PATH, USER_NAME)
  await page.waitForURL('**/account')
  const user = await turnOnTwoFactorAt(site, await sessionOf(page), Date.now())
  await elsewhereState(page, request, take)
  await factorStates(page, site, user, take)
  const admin = await turnOnTwoFactorAt(site, token, Date.now())
  for (const owner of [user, admin]) await addWays(site, owner.token)
  const { id } = await site.ask('/api/me', { method: 'GET', token: user.token })
  await signIn(page, nextCode(admin.secret))
  await remainingStates(page, { request, userId: id }, take)
}

/** A code after the one that has turned two-step verification on. */
const nextCode = (secret: string) => phoneCode(secret, Date.now() + STEP_MILLISECONDS)

async function failedStates(page: Page, save: Save, take: Take): Promise<void> {
  await page.goto('/api/auth/sso_callback?method=sso_get_token')
  await take('sso-failed')
  await save({ sso_endpoint_name: 'http://127.0.0.1:1' })
  await page.goto(PATH)
  await take('sso-unavailable')
  await save({ sso_login_enabled: 'false' })
  await page.goto(PATH)
  await take('sso-off')
}

/** Signs in at the provider, which has forgotten the visitor. */
async function pass(page: Page, path: string, name: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto(path)
  await signInAt(page, name)
}

async function linkStates(page: Page, take: Take): Promise<void> {
  await pass(page, PATH, ADMIN_NAME)
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

async function linkedStates(page: Page, save: Save, take: Take): Promise<void> {
  await page.goto('/account/security')
  await take('sso-security')
  for (const summary of await page.locator('details:has([action*="identities/"]) > summary').all())
    await summary.click()
  await take('sso-security-open')
  await page.goto('/account/admin/users/1')
  await unfold(page.locator('form[action*="unlink-identity"]'))
  await take('sso-user')
  for (const [state, secret] of Object.entries({ good: CLIENT_SECRET, bad: 'another' })) {
    await save({ sso_client_secret: secret })
    await page.goto(SETTINGS)
    await press(page.locator(`form[action="${SETTINGS}/check"] button`))
    await take(`sso-settings-${state}`)
  }
}

/** A user whose provider proves no second factor. */
async function factorStates(
  page: Page,
  site: Client,
  { token, secret }: { token: string; secret: string },
  take: Take,
): Promise<void> {
  await pass(page, PATH, USER_NAME)
  await page.waitForURL('**/sso/step')
  await take('sso-factor')
  await page.locator('#code').fill('000000')
  await press(page.locator(`form[action="${PATH}/code"] button:not([type])`))
  await take('sso-factor-refused')
  const phone = await SoftwarePasskey.make('ES256', { origin: new URL(site.url).origin })
  accept(await registerAt(site, phone, token, 'phone'))
  await page.goto(`${PATH}/step`)
  await take('sso-factor-passkey')
  // Nobody has opened this tab, so it has nobody to tell.
  await pass(page, '/api/auth/sso?method=sso_get_token', USER_NAME)
  await page.waitForURL('**/sso/step')
  await page.locator('#code').fill(nextCode(secret))
  await press(page.locator(`form[action="${PATH}/code"] button:not([type])`))
  await page.locator('[data-message]').waitFor()
  await take('sso-done')
}

/** Signs the administrator in with the password and a code. */
async function signIn(page: Page, code: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/account/sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await press(page.locator('form[action="/account/sign-in"] button:not([type])'))
  await page.locator('#code').fill(code)
  await press(page.locator('form[action="/account/sign-in/code"] button:not([type])').first())
}
