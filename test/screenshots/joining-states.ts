import type { Page } from 'playwright-core'
import { FREQUENT_CRON } from '../../src/core/base/crons.ts'
import { ADMIN_PASSWORD, type Clone } from '../support/clone.ts'
import type { Client } from '../support/client.ts'
import type { Envelope } from '../support/envelope.ts'
import type { LANGUAGES } from '../support/layout.ts'
import type { MailServer } from '../support/mail-server.ts'
import { press } from '../support/press.ts'
import { runTrigger } from '../support/run-trigger.ts'

type Take = (name: string) => Promise<void>

/** The address of the site in mails, which those who see them know. */
const SITE_ADDRESS = 'https://files.example.org'
/** What a site needs in `.dev.vars` to send mail. */
export const mailSettings = ({ url }: MailServer): string =>
  `\nSMTP_URL=${url}\nMAIL_FROM=accounts@files.example.org\nSITE_ADDRESS=${SITE_ADDRESS}\n`

const PASSWORD = 'three unrelated words'
const SITE_TITLES = { en: 'Family files', zh: '家庭文件' }

/** A site that has just started and sends mail, and where its mails go. */
export interface JoiningTour {
  site: Client
  clone: Pick<Clone, 'path' | 'sql'>
  server: MailServer
  language: (typeof LANGUAGES)[number]
}

/**
 * The pages of people who get an account or come back, and the mails that they get. No element is
 * found by its text, so that the pages may be in any language.
 */
export async function joiningStates(page: Page, tour: JoiningTour, take: Take): Promise<void> {
  const mails = new Map<string, string>()
  const { server } = tour
  const admin = await adminOf(tour)
  /** Waits for the next mail to an address, and returns the path of the link in it. */
  const nextMail = async (name: string, address: string) => {
    const find = () => server.got.find(({ to, mail }) => to.includes(address) && !isSeen(mail.html))
    // One to another address may come first.
    while (find() === undefined) await server.until(server.got.length + 1)
    const found = find()
    if (found === undefined) throw new Error(`no mail ${name}`)
    mails.set(name, String(found.mail.html))
    return /\/account\/link\/[\w-]{43}/.exec(found.mail.text ?? '')?.[0] ?? ''
  }
  const isSeen = (html: string | false | undefined) =>
    Array.from(mails.values()).includes(String(html))

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
  await admin('user/reset_link', { id: idOf(tour, 'olga') })
  await nextMail('reset-link-made', 'olga@mail.example.com')
  tour.clone.sql("update users set password_hash = null where username = 'olga'")
  tour.clone.sql('delete from throttle_counters')
  await ask(page, 'olga')
  await nextMail('no-password', 'olga@mail.example.com')
  await endSoon(tour, 'olga')
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

/** Sets the site up, and returns what calls it as its admin. */
async function adminOf({ site, language }: JoiningTour): Promise<Admin> {
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  const admin: Admin = async (path, body) => {
    const response = await fetch(new URL(`/api/admin/${path}`, site.url), {
      method: 'POST',
      headers: { Authorization: token, 'Accept-Language': language },
      body: JSON.stringify(body),
    })
    const { code, message, data }: Envelope = await response.json()
    if (code !== 200) throw new Error(message)
    return data
  }
  const values = {
    site_title: SITE_TITLES[language],
    allow_register: 'true',
    register_approval: 'true',
  }
  await admin(
    'setting/save',
    Object.entries(values).map(([key, value]) => ({ key, value })),
  )
  return admin
}

function idOf({ clone }: JoiningTour, username: string): number {
  return Number(clone.sql('select id from users where username = ?', username)[0]?.['id'])
}

/** Has the site tell a user of an end that is near, in the language of the user's notices. */
async function endSoon({ clone, language }: JoiningTour, username: string): Promise<void> {
  clone.sql(
    "update users set ends_at = unixepoch('now', 'start of day', '+9 days') * 1000 where username = ?",
    username,
  )
  clone.sql(
    `insert into notice_channels (user_id, kind, name, target, config, topics, language, origin, since_event_id, created_at)
     select id, 'ntfy', 'x', 'x', 'x', '', ?, '', 0, 0 from users where username = ?`,
    language,
    username,
  )
  // The nightly run, and the one that sends what it has queued.
  for (const cron of ['', FREQUENT_CRON]) await runTrigger(clone, cron)
}

async function submit(page: Page, form: string): Promise<void> {
  await press(page.locator(`form[action="${form}"] button:not([type])`).first())
}

async function choose(page: Page, password: string, repeat = password): Promise<void> {
  await page.locator('#password').fill(password)
  await page.locator('#repeat').fill(repeat)
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
  await choose(page, PASSWORD, 'something else')
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
  await choose(page, PASSWORD, 'something else')
  await submit(page, '/account/link')
  await take('joining-reset-refused')
  await choose(page, 'three other words')
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
