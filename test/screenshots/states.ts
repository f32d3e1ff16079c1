import type { Page } from 'playwright-core'
import { phoneCode } from '../support/authenticator.ts'
import { adminStates } from './admin-states.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { press, unfold } from '../support/press.ts'
import { noticeStates } from './notice-states.ts'
import { passkeyStates } from './passkey-states.ts'
import { programStates } from './program-states.ts'

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const ECDSA_KEY =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU='
/** The title of a key, as long as a user may make it. */
export const LONG_TITLE = `${'Administratorenarbeitsplatzrechner'.repeat(3)} in the back office, third floor`

type Take = (name: string) => Promise<void>

/** Goes through the pages as a person would, and has a picture taken of each state. */
export async function states(page: Page, take: Take): Promise<void> {
  const secret = await accountStates(page, take)
  await passkeyStates(page, take)
  await programStates(page, take)
  await noticeStates(page, take)
  await chineseStates(page, take)
  await adminStates(page, take)
  await codeStates(page, take, secret)
}

/**
 * The part that needs no language: elements are found by their ids and forms, so that the pages may
 * be in Chinese.
 *
 * @returns The secret of the authenticator app.
 */
export async function accountStates(page: Page, take: Take): Promise<string> {
  await signInStates(page, take)
  await keyStates(page, take)
  await appPasswordStates(page, take)
  await page.goto('/account')
  await take('overview')
  const secret = await securityStates(page, take)
  await page.goto('/account/sessions')
  await take('sessions-one')
  await page.goto('/account/activity')
  await take('activity')
  await page.goto('/account/activity?kind=key_used&from=2026-02-30')
  await take('activity-none')
  await page.goto('/account/nope')
  await take('not-found')
  await page.goto('/no/such/page')
  await take('not-found-elsewhere')
  return secret
}

async function submit(page: Page, form: string): Promise<void> {
  await press(page.locator(`form[action="${form}"] button:not([type])`).first())
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.goto('/account/sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(password)
  await submit(page, '/account/sign-in')
}

async function signInStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await take('sign-in')
  await page.locator('#password').fill('correct horse battery staple')
  await page.locator('[data-reveal]').click()
  await take('sign-in-revealed')
  await signIn(page, 'wrong-Passw0rd')
  await take('sign-in-refused')
  await signIn(page, ADMIN_PASSWORD)
}

async function keyStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/keys')
  await take('keys-none')
  await addKey(page, 'laptop', KEY)
  await take('keys-added')
  await page.goto('/account/keys/add')
  await take('keys-add')
  for (const [name, key] of [
    ['keys-refused', 'ssh-rsa AAAA'],
    ['keys-refused-private', '-----BEGIN OPENSSH PRIVATE KEY-----'],
    ['keys-refused-taken', KEY],
  ] as const) {
    await addKey(page, LONG_TITLE, key)
    await take(name)
  }
  await addKey(page, LONG_TITLE, ECDSA_KEY)
  await page.locator('.rows summary').first().click()
  await take('keys-delete')
  await withSftp(page, take)
}

async function addKey(page: Page, title: string, key: string): Promise<void> {
  await page.goto('/account/keys/add')
  await page.locator('#title').fill(title)
  await page.locator('#key').fill(key)
  await submit(page, '/account/keys/add')
}

/** The page of a user who may use SFTP, on a site whose operator has set the address. */
async function withSftp(page: Page, take: Take): Promise<void> {
  await page.goto('/account/admin/settings/files')
  await page.locator('#sftp_address').fill('files.example.org:2022')
  await press(page.locator('form.wide button').last())
  await page.goto('/account/admin/settings/site')
  await page
    .locator('#announcement')
    .fill('# Maintenance\nNo uploads on **Sunday**: [the plan](https://example.org/plan).')
  await page.locator('form.wide button').last().click()
  await page.goto('/account/admin/users/1')
  await unfold(page.locator('[name="permission-10"]'))
  await page.locator('[name=permission-level]').selectOption('custom')
  await page.locator('[name="permission-10"]').check()
  await submit(page, '/account/admin/users/1/change')
  await page.goto('/account/keys')
  await take('keys-sftp')
  await submit(page, '/account/announcement')
}

async function appPasswordStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/app-passwords')
  await take('app-passwords-none')
  await page.goto('/account/app-passwords/add')
  await take('app-passwords-add')
  await page.locator('[name="name"]').fill('rclone on my laptop')
  await submit(page, '/account/app-passwords/create')
  await take('app-passwords-created-files')
  await page.goto('/account/app-passwords/add')
  await page.locator('[name="name"]').fill(LONG_TITLE.slice(0, 100))
  await page.locator('[name="use"][value="manage"]').check()
  await page.locator('[name="lifetime"]').selectOption('never')
  await submit(page, '/account/app-passwords/create')
  await take('app-passwords-created-programs')
  await page.goto('/account/app-passwords')
  await page.locator('main summary').first().click()
  await take('app-passwords')
  await page.goto('/account/app-passwords/add')
  await page.locator('[name="name"]').fill('rclone on my laptop')
  await submit(page, '/account/app-passwords/create')
  await take('app-passwords-refused')
}

async function securityStates(page: Page, take: Take): Promise<string> {
  await page.goto('/account/security')
  await take('security-off')
  await unfold(page.locator('#old_password'))
  await page.locator('#old_password').fill('wrong-Passw0rd')
  await page.locator('#password').fill('another-Passw0rd')
  // Only without a script.
  for (const again of await page.locator('#repeat').all()) await again.fill('another-Passw0rd')
  await submit(page, '/account/security/password')
  await take('security-password-refused')
  await submit(page, '/account/security/start')
  await take('two-factor-set-up')
  await page.locator('#code').fill('000000')
  await submit(page, '/account/security/confirm')
  await take('two-factor-refused')
  const secret = (await page.locator('.secret').innerText()).replaceAll(' ', '')
  await page.locator('#code').fill(phoneCode(secret))
  await submit(page, '/account/security/confirm')
  await take('recovery-codes')
  await page.goto('/account/security')
  await page.locator('main summary').last().click()
  await take('security-on')
  await page.goto('/account/security/phone')
  await take('new-phone')
  await page.locator('#code').fill('000000')
  await submit(page, '/account/security/phone')
  await take('new-phone-refused')
  return secret
}

async function chineseStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account')
  await submit(page, '/account/language')
  await take('chinese-overview')
  for (const name of ['security', 'keys', 'keys/add', 'app-passwords', 'sessions', 'activity']) {
    await page.goto(`/account/${name}`)
    await take(`chinese-${name.replace('/', '-')}`)
  }
  await programStates(page, (name) => take(`chinese-${name}`))
  await noticeStates(page, (name) => take(`chinese-${name}`))
  await page.goto('/account')
  await submit(page, '/account/language')
}

/** The second step of the sign-in, and what follows too many failures. */
export async function codeStates(page: Page, take: Take, secret: string): Promise<void> {
  await page.goto('/account')
  await submit(page, '/account/sign-out')
  await take('signed-out')
  await signIn(page, ADMIN_PASSWORD)
  await take('code')
  await page.locator('#code').fill('000000')
  await submit(page, '/account/sign-in/code')
  await take('code-refused')
  await page.locator('#code').fill(phoneCode(secret, Date.now(), 1))
  await submit(page, '/account/sign-in/code')
  await signOutAndLock(page, take)
}

async function signOutAndLock(page: Page, take: Take): Promise<void> {
  await submit(page, '/account/sign-out')
  for (let failures = 0; failures < 6; failures++) await signIn(page, 'wrong-Passw0rd')
  await take('sign-in-blocked')
}
