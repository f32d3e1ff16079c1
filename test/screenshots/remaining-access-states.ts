import type { Page } from 'playwright-core'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { accept } from '../support/envelope.ts'
import { newKey } from '../support/new-key.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt } from '../support/passkey-client.ts'
import { press, unfold } from '../support/press.ts'

type Take = (name: string) => Promise<void>

const PROGRAMS = '/account/admin/programs'
const CALLBACK = 'https://files.example.org/callback'
const NEW_PASSWORD = 'another-Passw0rd'
const LONG_NAME = `${'Administratorenarbeitsplatzrechner'.repeat(2)} of the back office`

/**
 * Registers a program as the administrator who is signed in.
 *
 * @returns Where it sends a user who is to prove again who they are.
 */
export async function addProgram(page: Page): Promise<string> {
  await page.goto(`${PROGRAMS}/add?preset=other`)
  await page.locator('[name=name]').fill('files')
  await page.locator('[name=redirect_uris]').fill(CALLBACK)
  await submit(page, `${PROGRAMS}/add`)
  await page.goto(PROGRAMS)
  const edit = await page.locator('main a[href*="/edit?id="]').first().getAttribute('href')
  const parameters = {
    client_id: new URLSearchParams(edit?.split('?')[1]).get('id') ?? '',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    prompt: 'login',
  }
  return `/oauth/authorize?${new URLSearchParams(parameters).toString()}`
}

/** The request of a program to a user whose only way in is the linked account. */
export async function elsewhereState(page: Page, request: string, take: Take): Promise<void> {
  await openRequest(page, request)
  await take('remaining-authorize-elsewhere')
}

/** Gives a user several ways in, with names of every length. */
export async function addWays(site: Client, token: string): Promise<void> {
  const channel = {
    kind: 'ntfy',
    address: `https://${'notices-'.repeat(7)}a.example.org/a-topic`,
    topics: ['account_end'],
  }
  await site.ask('/api/me/notices/save', { token, body: channel })
  for (const [place, name] of ['laptop', LONG_NAME].entries()) {
    const scopes = place === 0 ? ['files:read'] : ['account:read', 'account:write']
    await site.ask('/api/me/sshkey/add', { token, body: { title: name, key: newKey().line } })
    await site.ask('/api/me/tokens/create', { token, body: { name, scopes } })
    const passkey = await SoftwarePasskey.make('ES256', { origin: new URL(site.url).origin })
    passkey.isSynced = place === 1
    accept(await registerAt(site, passkey, token, name))
  }
}

/**
 * What asks for all that the signed-in administrator has, and what a new password leaves, of a user
 * and of the administrator.
 */
export async function remainingStates(
  page: Page,
  { request, userId }: { request: string; userId: number },
  take: Take,
): Promise<void> {
  await openRequest(page, request)
  await take('remaining-authorize-confirm')
  const form = `/account/admin/users/${userId}/password`
  await page.goto(`/account/admin/users/${userId}`)
  await page.locator(`details:has([action="${form}"]) > summary`).click()
  await submit(page, form)
  await take('remaining-generated')
  await page.goto('/account/security')
  await unfold(page.locator('#old_password'))
  await page.locator('#old_password').fill(ADMIN_PASSWORD)
  await page.locator('#password').fill(NEW_PASSWORD)
  // Only without a script.
  for (const again of await page.locator('#repeat').all()) await again.fill(NEW_PASSWORD)
  await submit(page, '/account/security/password')
  await take('remaining')
}

/** Opens the request of a program. A page that refuses it has no form with the request. */
async function openRequest(page: Page, request: string): Promise<void> {
  await page.goto(request)
  await page.locator('[name=request]').first().waitFor({ state: 'attached' })
}

async function submit(page: Page, action: string): Promise<void> {
  await press(page.locator(`form[action="${action}"] button:not([type])`).first())
}
