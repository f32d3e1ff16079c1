import type { Page } from 'playwright-core'
import { phoneCode } from '../support/authenticator.ts'
import { adminStates } from './admin-states.ts'

export const PASSWORD = 'admin-Passw0rd'

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const LONG_TITLE = `${'Administratorenarbeitsplatzrechner'.repeat(3)} in the back office, third floor`

type Take = (name: string) => Promise<void>

/** Goes through the pages as a person would, and has a picture taken of each state. */
export async function states(page: Page, take: Take): Promise<void> {
  await signInStates(page, take)
  await keyStates(page, take)
  await page.goto('/account')
  await take('overview')
  const secret = await securityStates(page, take)
  await page.goto('/account/sessions')
  await take('sessions-one')
  await page.goto('/account/activity')
  await take('activity')
  await page.goto('/account/nope')
  await take('not-found')
  await chineseStates(page, take)
  await adminStates(page, take)
  await codeStates(page, take, secret)
}

async function submit(page: Page, form: string): Promise<void> {
  await page.locator(`form[action="${form}"] button`).first().click()
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(password)
  await submit(page, '/account/sign-in')
}

async function signInStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await take('sign-in')
  await signIn(page, 'wrong-Passw0rd')
  await take('sign-in-refused')
  await signIn(page, PASSWORD)
}

async function keyStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/keys')
  await take('keys-none')
  for (const [title, key] of [
    ['laptop', KEY],
    [LONG_TITLE, 'ssh-rsa AAAA'],
  ] as const) {
    await page.goto('/account/keys')
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Public key').fill(key)
    await submit(page, '/account/keys/add')
    await take(title === 'laptop' ? 'keys-added' : 'keys-refused')
  }
  await page.getByLabel('Title').fill(LONG_TITLE)
  await page
    .getByLabel('Public key')
    .fill(
      'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=',
    )
  await submit(page, '/account/keys/add')
  await page.locator('summary').last().click()
  await take('keys-delete')
}

async function securityStates(page: Page, take: Take): Promise<string> {
  await page.goto('/account/security')
  await take('security-off')
  await page.getByLabel('Current password').fill('wrong-Passw0rd')
  await page.getByLabel('New password', { exact: true }).fill('another-Passw0rd')
  await page.getByLabel('Repeat the new password').fill('another-Passw0rd')
  await submit(page, '/account/security/password')
  await take('security-password-refused')
  await submit(page, '/account/security/start')
  await take('two-factor-set-up')
  await page.getByLabel('Code').fill('000000')
  await submit(page, '/account/security/confirm')
  await take('two-factor-refused')
  const secret = (await page.locator('.secret').innerText()).replaceAll(' ', '')
  await page.getByLabel('Code').fill(phoneCode(secret))
  await submit(page, '/account/security/confirm')
  await take('recovery-codes')
  await page.goto('/account/security')
  await page.locator('summary').last().click()
  await take('security-on')
  return secret
}

async function chineseStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account')
  await submit(page, '/account/language')
  await take('chinese-overview')
  for (const name of ['security', 'keys', 'sessions', 'activity']) {
    await page.goto(`/account/${name}`)
    await take(`chinese-${name}`)
  }
  await submit(page, '/account/language')
}

async function codeStates(page: Page, take: Take, secret: string): Promise<void> {
  await submit(page, '/account/sign-out')
  await take('signed-out')
  await signIn(page, PASSWORD)
  await take('code')
  await page.getByLabel('Code').fill('000000')
  await submit(page, '/account/sign-in/code')
  await take('code-refused')
  await page.getByLabel('Code').fill(phoneCode(secret, Date.now(), 1))
  await submit(page, '/account/sign-in/code')
  await signOutAndLock(page, take)
}

async function signOutAndLock(page: Page, take: Take): Promise<void> {
  await submit(page, '/account/sign-out')
  for (let failures = 0; failures < 6; failures++) await signIn(page, 'wrong-Passw0rd')
  await take('sign-in-blocked')
}
