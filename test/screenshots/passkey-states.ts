import type { Page } from 'playwright-core'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'

type Take = (name: string) => Promise<void>

const ADD = '/account/security/passkeys/add'
/** As long as a user may make it. */
const LONG_NAME =
  'The laptop of the administrators in the back office on the third floor, left drawer, behind the door'

/** Adds passkeys and removes them; signed in before and after. The site must not be an IP address. */
export async function passkeyStates(page: Page, take: Take): Promise<void> {
  const authenticator = await VirtualAuthenticator.addTo(page)
  await page.goto('/account')
  await page.locator(`a[role=button][href="${ADD}"]`).waitFor()
  await take('passkeys-nudge')
  await page.goto(ADD)
  await take('passkeys-add')
  await create(page, LONG_NAME)
  await page.getByText('The passkey was added.').waitFor()
  await take('passkeys-added')
  await page.goto(ADD)
  await create(page, 'phone')
  await page.getByText('This device already has a passkey').waitFor()
  await take('passkeys-add-taken')
  await page.goto('/account/security')
  const passkeys = page.locator('[data-accepted]')
  await passkeys.locator('.menu > summary').click()
  await passkeys.locator('summary').getByText('Rename').click()
  await take('passkeys-rename')
  await passkeys.locator('summary').getByText('Delete').click()
  await take('passkeys-delete')
  await page.getByRole('button', { name: 'Delete passkey' }).click()
  await page.getByText(/The passkey .*was deleted\./).waitFor()
  await take('passkeys-deleted')
  // The sign-in page asks for a passkey as it opens.
  await authenticator.setPresent(false)
}

async function create(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create passkey' }).click()
}
