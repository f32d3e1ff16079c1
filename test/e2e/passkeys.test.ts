import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'

const SIGN_IN = '/account/sign-in'
const BUTTON = 'Sign in with a passkey'

let clone: Clone
let browser: Browser
let baseURL: string
let page: Page
let authenticator: VirtualAuthenticator

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  const { url } = await clone.serve()
  // Browsers have passkeys at localhost, and none at an IP address.
  baseURL = url.replace('127.0.0.1', 'localhost')
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
beforeEach(async () => {
  clone.sql('delete from passkeys')
  const options = { baseURL, locale: 'en', reducedMotion: 'reduce' } as const
  page = await (await browser.newContext(options)).newPage()
  authenticator = await VirtualAuthenticator.addTo(page)
  return () => page.context().close()
})

async function signIn(): Promise<void> {
  await page.goto(SIGN_IN)
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
}

async function add(name: string): Promise<void> {
  await page.goto('/account/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('The passkey was added.').waitFor()
}

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in?*')
}

test('a passkey is added, renamed, signs in by the button, and is deleted', async () => {
  await signIn()
  await page.getByRole('heading', { name: 'Sign in without a password' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.goto('/account/security/passkeys/add')
  expect(await page.getByLabel('Name').inputValue()).toMatch(/^Chrome on /)
  expect(await axeFaults(page)).toEqual([])
  await add('phone')
  await page.locator('.menu > summary').click()
  await page.locator('.menu summary').getByText('Rename').click()
  await page.getByLabel('Name').fill('old phone')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('heading', { name: 'old phone' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await authenticator.setPresent(false)
  await signOut()
  await page.goto(`${SIGN_IN}?next=/account/sessions`)
  const button = page.getByRole('button', { name: BUTTON })
  await button.waitFor()
  expect(await axeFaults(page)).toEqual([])
  await authenticator.setPresent(true)
  await button.click()
  await page.waitForURL('**/account/sessions')
  await page.getByText('With passkey').waitFor()
  await page.goto('/account/security')
  await page.locator('.menu > summary').click()
  await page.locator('.menu summary').getByText('Delete').click()
  await page.getByText('then your password alone signs you in').waitFor()
  await page.getByRole('button', { name: 'Delete passkey' }).click()
  await page.getByText(/The passkey .*was deleted\./).waitFor()
})

test('the field of the user name signs in with a passkey', async () => {
  await signIn()
  await add('phone')
  await authenticator.setPresent(false)
  await signOut()
  await page.goto(SIGN_IN)
  await authenticator.setPresent(true)
  // The virtual authenticator answers the request that waits in the field as soon as it begins.
  await page.goto(SIGN_IN)
  await page.waitForURL('**/account')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Hello, admin')
})

test('a request that is cancelled and a deleted passkey are told in words', async () => {
  await signIn()
  await add('phone')
  await authenticator.setPresent(false)
  await signOut()
  await page.goto(SIGN_IN)
  await authenticator.setVerified(false)
  await authenticator.setPresent(true)
  await page.getByRole('button', { name: BUTTON }).click()
  await page.getByText('No passkey was used.').waitFor()
  expect(await axeFaults(page)).toEqual([])
  clone.sql('delete from passkeys')
  await authenticator.setVerified(true)
  await page.getByRole('button', { name: BUTTON }).click()
  await page.getByText('This passkey was not accepted.').waitFor()
})

test('the same device is not added twice', async () => {
  await signIn()
  await add('phone')
  await page.goto('/account/security/passkeys/add')
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByText('This device already has a passkey for your account.').waitFor()
  expect(await authenticator.count()).toBe(1)
})

test('an old session is confirmed with a passkey in place of the password', async () => {
  await signIn()
  await add('phone')
  clone.sql('update sessions set signed_in_at = 0, confirmed_at = 0')
  await page.goto('/account/security/passkeys/add')
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click()
  await page.getByRole('button', { name: 'Create passkey' }).waitFor()
  expect(await page.getByLabel('Your password').count()).toBe(0)
})

test('the nudge stays away for 30 days after it is closed', async () => {
  await signIn()
  const nudge = page.getByRole('heading', { name: 'Sign in without a password' })
  await page.getByRole('button', { name: 'Not now' }).click()
  await nudge.waitFor({ state: 'hidden' })
  await page.goto('/account')
  await page.waitForLoadState('networkidle')
  expect(await nudge.isVisible()).toBe(false)
  const daysAgo = (days: number) =>
    page.evaluate(`localStorage.setItem('passkey-nudge', Date.now() - ${days} * 86400000)`)
  await daysAgo(31)
  await page.goto('/account')
  await nudge.waitFor()
})

test('without JavaScript, the pages offer the password and say what passkeys need', async () => {
  const context = await browser.newContext({ baseURL, locale: 'en', javaScriptEnabled: false })
  page = await context.newPage()
  await signIn()
  await page.goto('/account/security/passkeys/add')
  await page.getByText('Passkeys need JavaScript').waitFor()
  await signOut()
  expect(await page.getByRole('button', { name: BUTTON }).isVisible()).toBe(false)
  await context.close()
})

test('an IP address is told to have no passkeys', async () => {
  await page.goto(`${baseURL.replace('localhost', '127.0.0.1')}${SIGN_IN}`)
  await page.getByText('or at http://localhost').waitFor()
  expect(await page.getByRole('button', { name: BUTTON }).count()).toBe(0)
})
