import type { Page } from 'playwright-core'
import { press, unfold } from '../support/press.ts'

type Take = (name: string) => Promise<void>

const USERS = '/account/admin/users'
const LONG_NAME = `${'Administratorenarbeitsplatzrechner'.repeat(2)} von nebenan`

/** What an operator sees; signed in as the admin before, and signed out of everything after. */
export async function adminStates(page: Page, take: Take): Promise<void> {
  await userStates(page, take)
  await otherUserStates(page, take)
  await settingStates(page, take)
  await textStates(page, take)
  await eventStates(page, take)
  await chineseStates(page, take)
}

async function userStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/admin')
  await take('admin-state')
  await page.goto(`${USERS}/new`)
  await take('admin-user-new')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Base folder').fill('homes/../etc')
  await page.locator('[name=permission-level]').selectOption('custom')
  await page.locator('[name=permission-4]').check()
  await press(page.getByRole('button', { name: 'Create user' }))
  await take('admin-user-new-refused')
  await page.getByLabel('Base folder').fill('/')
  await press(page.getByRole('button', { name: 'Create user' }))
  await take('admin-user-new-taken')
  for (const name of [LONG_NAME, 'bob', 'alice']) {
    await page.goto(`${USERS}/new`)
    await page.getByLabel('User name').fill(name)
    await page.getByLabel('Base folder').fill(`/homes/${name}`)
    await press(page.getByRole('button', { name: 'Create user' }))
  }
  await take('admin-user-generated')
  await page.goto(USERS)
  await page.getByRole('link', { name: 'bob' }).click()
  await page.getByText('Disable account').first().click()
  await press(page.getByRole('button', { name: 'Disable account' }))
  await take('admin-user-disabled')
  await page.goto(USERS)
  await take('admin-users')
  for (const group of ['admins', 'disabled', 'without-two-factor']) {
    await page.goto(`${USERS}?group=${group}`)
    await take(`admin-users-${group}`)
  }
  await page.goto(`${USERS}?search=nobody+of+that+name`)
  await take('admin-users-none')
}

async function otherUserStates(page: Page, take: Take): Promise<void> {
  await page.goto(`${USERS}/2`)
  await take('admin-user-guest')
  await page.goto(`${USERS}/999`)
  await take('admin-user-unknown')
  await page.goto(`${USERS}/1`)
  await unfold(page.getByLabel('Role'))
  await page.getByLabel('Role').selectOption('User')
  await press(page.getByRole('button', { name: 'Save changes' }))
  await take('admin-user-last')
  for (const name of ['Reset password', 'End all sessions and app passwords']) {
    await page.locator('summary').getByText(name).click()
  }
  await take('admin-user-actions')
  await page.goto(`${USERS}?search=ALI`)
  await page.getByRole('link', { name: 'alice' }).click()
  await page.locator('summary').getByText('Reset password').click()
  await page.getByLabel('Password', { exact: true }).fill('short')
  await press(page.getByRole('button', { name: 'Reset password' }))
  await take('admin-user-password-refused')
}

async function settingStates(page: Page, take: Take): Promise<void> {
  for (const group of ['site', 'accounts', 'style', 'files', 'preview', 'sso']) {
    await page.goto(`/account/admin/settings/${group}`)
    await take(`admin-settings-${group}`)
  }
  await page.goto('/account/admin/settings/style')
  await page.getByLabel('Colour').fill('#8844cc')
  await page.getByLabel('Logo').fill('javascript:alert(1)')
  await press(page.getByRole('button', { name: 'Save' }).last())
  await take('admin-settings-refused')
  await page.getByLabel('Logo').fill('')
  await press(page.getByRole('button', { name: 'Save' }).last())
  const reset = page.locator('[name="reset"]')
  await unfold(reset)
  await take('admin-settings-changed')
  await press(reset.first())
  await unfold(reset)
  await press(reset.first())
  await take('admin-settings-reset')
}

/** A text that is wrong, and one that every page shows. */
async function textStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/admin/settings/preview?text=external_previews')
  await page.getByLabel('Viewers in a new tab').fill('{"pdf": {"Viewer": "https://…"}')
  await press(page.getByRole('button', { name: 'Save' }).last())
  await take('admin-settings-wrong-json')
  await page.goto('/account/admin/settings/site')
  await page.locator('#announcement').fill('No uploads on Sunday.\nThe disks are being changed.')
  await press(page.getByRole('button', { name: 'Save' }).last())
  await take('admin-settings-announced')
}

async function eventStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/admin/events')
  await take('admin-events')
  await page.goto('/account/admin/events?kind=user_made&from=2026-01-01&to=2099-12-31')
  await take('admin-events-filtered')
  await page.goto('/account/admin/events?user=alicia&kind=key_added')
  await take('admin-events-none')
}

async function chineseStates(page: Page, take: Take): Promise<void> {
  await page.goto(USERS)
  await press(page.locator('form[action="/account/language"] button'))
  for (const name of [
    'users',
    'users/1',
    'users/new',
    'settings/site',
    'settings/accounts',
    'events',
  ]) {
    await page.goto(`/account/admin/${name}`)
    await take(`admin-chinese-${name.replace('/', '-')}`)
  }
  await press(page.locator('form[action="/account/language"] button'))
}
