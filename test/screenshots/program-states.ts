import type { Page } from 'playwright-core'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { press, unfold } from '../support/press.ts'

type Take = (name: string) => Promise<void>

const PROGRAMS = '/account/admin/programs'
/** As long as an operator may make it, with a word that fits no line. */
const LONG_NAME = `${'Administratorenarbeitsplatzrechner'.repeat(2)} of the back office, 3rd floor`
const LONG_SITE =
  'https://the-files-of-the-administrators-in-the-back-office.departments.example.org'
const CALLBACK = `${LONG_SITE}/callback?after=${'sign-in-'.repeat(8)}`

/** What a program asks for when it wants everything. */
const EVERYTHING = 'openid profile groups offline_access'

/**
 * Registers programs, and answers what they ask; signed in before and after. Elements are found by
 * their forms, so that the pages may be in Chinese. The pages work without JavaScript.
 */
export async function programStates(page: Page, take: Take): Promise<void> {
  await adminStates(page, take)
  const request = await requestOf(page)
  await page.goto(request)
  await take('authorize-consent')
  await confirmStates(page, request, take)
  await page.goto(request)
  await allow(page, take)
  await page.goto('/account/programs')
  await page.locator('main summary').first().click()
  await take('programs')
  await page.goto('/oauth/authorize?client_id=unknown&redirect_uri=https://example.org/')
  await take('authorize-unknown')
  await page.goto('/oauth/end_session')
  await take('end-session')
  const cookies = await page.context().cookies()
  await page.context().clearCookies({ name: /session$/ })
  await signedOutStates(page, request, take)
  await page.context().addCookies(cookies)
  await removePrograms(page)
}

async function adminStates(page: Page, take: Take): Promise<void> {
  await page.goto(PROGRAMS)
  await take('admin-programs-none')
  await page.goto(`${PROGRAMS}/add`)
  await take('admin-programs-kinds')
  await page.goto(`${PROGRAMS}/add?preset=openlist`)
  await page.locator('[name=name]').fill('files')
  await page.locator('[name=site]').fill('http://files.example.org')
  await submit(page, `${PROGRAMS}/add`)
  await take('admin-programs-refused')
  await page.locator('[name=site]').fill(LONG_SITE)
  await submit(page, `${PROGRAMS}/add`)
  await take('admin-programs-settings')
  await page.goto(PROGRAMS)
  await page.locator('.row .menu > summary').first().click()
  await page.locator('main a[href*="/edit?id="]').first().click()
  await take('admin-programs-edit')
  await page.goto(`${PROGRAMS}/add?preset=other`)
  await page.locator('[name=name]').fill(LONG_NAME)
  await page.locator('[name=redirect_uris]').fill(CALLBACK)
  await submit(page, `${PROGRAMS}/add`)
  await take('admin-programs-secret')
  await page.goto(PROGRAMS)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  await take('admin-programs')
  await submit(page, `${PROGRAMS}/secret`)
  await take('admin-programs-new-secret')
}

async function confirmStates(page: Page, request: string, take: Take): Promise<void> {
  await page.goto(`${request}&prompt=login`)
  await take('authorize-confirm')
  await page.locator('[name=confirm_password]').fill('wrong-Passw0rd')
  const code = page.locator('[name=confirm_code]')
  if ((await code.count()) > 0) await code.fill('000000')
  await submit(page, '/oauth/authorize/confirm')
  await take('authorize-confirm-refused')
}

/** The page that leads on, which a browser shows for a moment. */
async function allow(page: Page, take: Take): Promise<void> {
  const path = '**/oauth/authorize/consent'
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const { refresh, ...headers } = response.headers()
    if (refresh === undefined) throw new Error('the page leads nowhere')
    await route.fulfill({ response, headers })
  })
  await submit(page, '/oauth/authorize/consent')
  await page.unroute(path)
  await take('authorize-continue')
}

async function signedOutStates(page: Page, request: string, take: Take): Promise<void> {
  await page.goto(`${request}&login_hint=alice`)
  await take('authorize-sign-in')
  await page.locator('#username').fill('nobody')
  await page.locator('#password').fill('wrong-Passw0rd')
  await submit(page, '/account/sign-in')
  await take('authorize-sign-in-refused')
  await page.goto('/oauth/end_session')
  await submit(page, '/oauth/end_session/confirm')
  await take('end-session-ended')
}

/** The request of the program that asks for consent. Its `client_id` is the only one with its name. */
async function requestOf(page: Page): Promise<string> {
  await page.goto(PROGRAMS)
  const row = page.locator('.rows > li', { hasText: LONG_NAME })
  const edit = await row.locator('a[href*="/edit?id="]').first().getAttribute('href')
  const parameters = {
    client_id: new URLSearchParams(edit?.split('?')[1]).get('id') ?? '',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: EVERYTHING,
  }
  return `/oauth/authorize?${new URLSearchParams(parameters).toString()}`
}

async function removePrograms(page: Page): Promise<void> {
  await page.goto(PROGRAMS)
  while ((await page.locator(`form[action="${PROGRAMS}/delete"]`).count()) > 0) {
    await submit(page, `${PROGRAMS}/delete`)
  }
}

/** Sends a form, with the password when the session is no longer fresh, and waits for the answer. */
async function submit(page: Page, action: string): Promise<void> {
  const form = page.locator(`form[action="${action}"]`).first()
  await unfold(form)
  const password = form.locator('[name=confirm_password]')
  if ((await password.count()) > 0 && (await password.inputValue()) === '')
    await password.fill(ADMIN_PASSWORD)
  await press(form.locator('button:not([type])').first())
}
