import type { Page } from 'playwright-core'
import { FREQUENT_CRON } from '../../src/core/base/crons.ts'
import { DAY_MILLISECONDS } from '../../src/core/base/time.ts'
import { ADMIN_PASSWORD, type Clone } from '../support/clone.ts'
import { Client } from '../support/client.ts'
import type { Envelope } from '../support/envelope.ts'
import type { LANGUAGES } from '../support/layout.ts'
import type { Arrived, MailServer } from '../support/mail-server.ts'
import { type OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { press } from '../support/press.ts'
import { runTrigger } from '../support/run-trigger.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'

type Take = (name: string) => Promise<void>

/** The address of the site in mails, which those who see them know. */
const SITE_ADDRESS = 'https://files.example.org'
/** What a site needs in `.dev.vars` to send mail. */
export const mailSettings = ({ url }: MailServer): string =>
  `\nSMTP_URL=${url}\nMAIL_FROM=accounts@files.example.org\nSITE_ADDRESS=${SITE_ADDRESS}\n`

const PASSWORD = 'three unrelated words'
const ADMIN = { username: 'admin', password: ADMIN_PASSWORD }
/** As she signs in after she has forgotten her first password. */
const OLGA = { username: 'olga', password: 'three other words' }
/** The network from which the browser asks, and what mails in the guides show in its place. */
const THIS_MACHINE = '::1'
const OLGAS_NETWORK = '203.0.113.9'
const SITE_TITLES = { en: 'Family files', zh: '家庭文件' }

/** A site that has just started, under the name localhost; where its mails go, and its provider. */
export interface JoiningTour {
  site: Client
  clone: Pick<Clone, 'path'>
  server: MailServer
  provider: OidcProvider
  language: (typeof LANGUAGES)[number]
}

/**
 * The pages of people who get an account or come back, and the mails that they get. No element is
 * found by its text, so that the pages may be in any language.
 */
export async function joiningStates(page: Page, tour: JoiningTour, take: Take): Promise<void> {
  const mails = new Map<string, string>()
  const seen = new Set<Arrived>()
  const { server } = tour
  const admin = adminOf(tour)
  /** Waits for the next mail to an address. */
  const nextTo = async (address: string): Promise<Arrived> => {
    const find = () => server.got.find((mail) => mail.to.includes(address) && !seen.has(mail))
    // One to another address may come first.
    while (find() === undefined) await server.until(server.got.length + 1)
    const found = find()
    if (found === undefined) throw new Error(`no mail to ${address}`)
    seen.add(found)
    return found
  }
  /** Keeps the next mail to an address for its picture, and returns the path of the link in it. */
  const nextMail = async (name: string, address: string) => {
    const arrived = await nextTo(address)
    mails.set(name, String(arrived.mail.html).replace(THIS_MACHINE, OLGAS_NETWORK))
    return linkIn(arrived)
  }

  await setUp(tour, admin)
  await visitorStates(page, take)
  await admin('invitation/create', { email: 'olga@example.org', username: 'olga' })
  await invitedStates(page, admin, await nextMail('invitation', 'olga@example.org'), take)

  await page.goto('/account/email')
  await take('joining-email-confirmed')
  await page.locator('#email').fill('olga@mail.example.com')
  await submit(page, '/account/email')
  await take('joining-email-sent')
  await nextMail('email-changed', 'olga@example.org')
  await page.goto(await nextMail('confirm', 'olga@mail.example.com'))
  await take('joining-email-link')
  await submit(page, '/account/link')
  await take('joining-email-done')
  await page.context().clearCookies()

  await ask(page, 'olga')
  await take('joining-forgotten-done')
  await page.goto(await nextMail('reset', 'olga@mail.example.com'))
  await resetStates(page, take)
  await nextMail('password-reset', 'olga@mail.example.com')
  const olga = await tour.site.ask('/api/auth/login', { body: OLGA })
  const { id } = await tour.site.ask('/api/me', { method: 'GET', token: olga.token })
  await admin('user/reset_link', { id })
  await nextMail('reset-link-made', 'olga@mail.example.com')
  await joinWithoutPassword(page, () => nextTo('rosa@example.org'))
  await ask(page, 'rosa')
  await nextMail('no-password', 'rosa@example.org')
  await chooseLanguage(tour, olga.token)
  await admin('user/details', { id, ends_at: inNineDays() })
  // The nightly run, and the one that sends what it has queued.
  for (const cron of ['', FREQUENT_CRON]) await runTrigger(tour.clone, cron)
  await nextMail('account-end', 'olga@mail.example.com')
  await operatorStates(page, take)
  for (const [name, html] of mails) {
    // The policy of the site's pages would stay in force.
    await page.goto('about:blank')
    await page.setContent(html)
    await take(`joining-mail-${name}`)
  }
}

type Admin = (path: string, body: unknown) => Promise<Envelope['data']>

/** What calls the site as its administrator, who signs in for each call. */
function adminOf({ site, language }: JoiningTour): Admin {
  const device = new Client(site.url, { 'Accept-Language': language })
  return async (path, body) => {
    const { token } = await device.ask('/api/auth/login', { body: ADMIN })
    return device.ask(`/api/admin/${path}`, { token, body })
  }
}

async function setUp({ provider, language }: JoiningTour, admin: Admin): Promise<void> {
  const values = {
    site_title: SITE_TITLES[language],
    allow_register: 'true',
    register_approval: 'true',
    sso_login_enabled: 'true',
    sso_login_platform: 'OIDC',
    sso_client_id: CLIENT_ID,
    sso_client_secret: CLIENT_SECRET,
    sso_endpoint_name: provider.issuer,
    sso_oidc_username_key: 'preferred_username',
    sso_auto_register: 'true',
  }
  await admin(
    'setting/save',
    Object.entries(values).map(([key, value]) => ({ key, value })),
  )
}

/** A user whom the provider registers has no password, and confirms an address. */
async function joinWithoutPassword(page: Page, nextMail: () => Promise<Arrived>): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/account/sign-in/sso')
  await signInAt(page, 'rosa')
  await page.waitForURL('**/account')
  await page.goto('/account/email')
  await page.locator('#email').fill('rosa@example.org')
  await submit(page, '/account/email')
  await page.goto(linkIn(await nextMail()))
  await submit(page, '/account/link')
  await page.context().clearCookies()
}

/** A user's mails that nobody asks for are in the language of the notices. */
async function chooseLanguage({ site, language }: JoiningTour, token: string): Promise<void> {
  const address = 'https://ntfy.example.org/a-topic'
  const body = { kind: 'ntfy', address, topics: ['passkey_cloned'], language }
  await site.ask('/api/me/notices/save', { token, body })
}

/** An end that the nightly run tells of. */
function inNineDays(): string {
  const [day] = new Date(Date.now() + 9 * DAY_MILLISECONDS).toISOString().split('T')
  return `${day}T00:00:00Z`
}

const linkIn = ({ mail }: Arrived): string =>
  /\/account\/link\/[\w-]{43}/.exec(mail.text ?? '')?.[0] ?? ''

async function submit(page: Page, form: string): Promise<void> {
  await press(page.locator(`form[action="${form}"] button:not([type])`).first())
}

async function choose(page: Page, password: string, repeat = password): Promise<void> {
  await page.locator('#password').fill(password)
  // Only without a script.
  for (const again of await page.locator('#repeat').all()) await again.fill(repeat)
}

/** Asks for a link for a new password. */
async function ask(page: Page, name: string): Promise<void> {
  await page.goto('/account/forgotten')
  await page.locator('#name').fill(name)
  await submit(page, '/account/forgotten')
}

async function visitorStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await take('joining-sign-in')
  await page.goto('/account/forgotten')
  await take('joining-forgotten')
  await page.goto('/account/register')
  await take('joining-register')
  await page.locator('#username').fill('4dm1n')
  await choose(page, PASSWORD)
  await submit(page, '/account/register')
  await take('joining-register-refused')
  await page.locator('#username').fill('nina')
  await choose(page, PASSWORD)
  await submit(page, '/account/register')
  await take('joining-register-waiting')
}

async function invitedStates(page: Page, admin: Admin, path: string, take: Take): Promise<void> {
  const { link } = await admin('invitation/create', { uses: 5, name: 'family' })
  await page.goto(new URL(link).pathname)
  await take('joining-invitation')
  await page.goto(path)
  await take('joining-invitation-named')
  await choose(page, 'password')
  await submit(page, '/account/link')
  await take('joining-invitation-refused')
  await choose(page, PASSWORD)
  await submit(page, '/account/link')
  await take('joining-welcome')
  await page.goto(path)
  await take('joining-link-ended')
}

async function resetStates(page: Page, take: Take): Promise<void> {
  await take('joining-reset')
  await choose(page, 'password')
  await submit(page, '/account/link')
  await take('joining-reset-refused')
  await choose(page, OLGA.password)
  await submit(page, '/account/link')
  await take('joining-reset-done')
}

async function operatorStates(page: Page, take: Take): Promise<void> {
  await page.goto('/account/sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await submit(page, '/account/sign-in')
  await page.goto('/account/admin/invitations')
  await take('joining-admin-invitations')
  await page.goto('/account/admin/invitations/add')
  await take('joining-admin-invitation-new')
  await submit(page, '/account/admin/invitations/add')
  await take('joining-admin-invitation-made')
  await page.goto('/account/admin/users?group=waiting')
  await take('joining-admin-waiting')
}
