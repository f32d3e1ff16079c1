import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { ED1 } from '../reference/keys.ts'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

/** More presses of Tab than any page has places to stop at. */
const MAX_TABS = 120
const TASK_MILLISECONDS = 60_000

/** Does tasks with a mouse or with a keyboard alone, and counts. Fields are typed into. */
class Hand {
  /** Buttons, links and boxes that were pressed. */
  clicks = 0
  /** Presses of Tab and Enter, of Space in a box. */
  keys = 0
  readonly page: Page
  /** The admin whose hand it is. Each task has one of its own, so that all can share a site. */
  readonly admin: string
  readonly #hasMouse: boolean

  constructor(page: Page, admin: string, hasMouse: boolean) {
    this.page = page
    this.admin = admin
    this.#hasMouse = hasMouse
  }

  /** Presses what opens a page or sends a form, and waits for the page that follows. */
  async go(target: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('load'), this.press(target)])
  }

  async press(target: Locator): Promise<void> {
    this.clicks++
    if (this.#hasMouse) return target.click()
    await this.#reach(target)
    this.keys++
    await this.page.keyboard.press('Enter')
  }

  async type(target: Locator, text: string): Promise<void> {
    if (!this.#hasMouse) await this.#reach(target)
    await target.fill(text)
  }

  /** Goes forward with Tab; the link that skips the navigation is used. */
  async #reach(target: Locator): Promise<void> {
    const { page } = this
    const isInMain = (await target.locator('xpath=ancestor::main').count()) > 0
    for (let tabs = 0; tabs < MAX_TABS; tabs++) {
      if ((await target.and(page.locator(':focus')).count()) > 0) return
      const maySkip = isInMain && (await page.locator('.skip:focus').count()) > 0
      this.keys++
      await page.keyboard.press(maySkip ? 'Enter' : 'Tab')
    }
    throw new Error(`No Tab leads to ${String(target)}`)
  }
}

let clone: Clone
let site: Client
let browser: Browser
let context: BrowserContext

beforeAll(async () => {
  browser = await openBrowser({ isPainting: false })
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  clone.sql(
    `with recursive n(i) as (select 3 union all select i + 1 from n where i < 42)
     insert into users (id, username, username_key, created_at)
     select i, 'user-' || i, 'user-' || i, 0 from n`,
  )
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
afterEach(() => context.close())

let admins = 0

async function openHand(hasMouse: boolean): Promise<Hand> {
  const name = `root-${++admins}`
  clone.sql(
    `insert into users (username, username_key, role, password_hash, created_at)
     select ?, ?, role, password_hash, created_at from users where username = 'admin'`,
    name,
    name,
  )
  context = await browser.newContext({ baseURL: site.url, locale: 'en', reducedMotion: 'reduce' })
  return new Hand(await context.newPage(), name, hasMouse)
}

const button = ({ page }: Hand, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true })
const link = ({ page }: Hand, name: string | RegExp) =>
  page.locator('main').getByRole('link', { name })
const inNavigation = ({ page }: Hand, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true })
const field = ({ page }: Hand, name: string) => page.getByLabel(name, { exact: true })

/** Signs in without counting. */
async function begin(hand: Hand, code = ''): Promise<void> {
  await hand.page.goto('/account/sign-in')
  await field(hand, 'User name').fill(hand.admin)
  await field(hand, 'Password').fill(ADMIN_PASSWORD)
  await button(hand, 'Sign in').click()
  if (code !== '') {
    await field(hand, 'Code').fill(code)
    await button(hand, 'Verify').click()
  }
  await hand.page.waitForURL('**/account')
}

/** From the page with the QR code to the recovery codes. */
async function finishEnrolment(hand: Hand): Promise<{ secret: string; codes: string[] }> {
  const secret = (await hand.page.locator('.secret').innerText()).replaceAll(' ', '')
  await hand.type(field(hand, 'Code'), phoneCode(secret))
  await hand.go(button(hand, 'Turn on').or(button(hand, 'Use the new phone')))
  const codes = (await hand.page.locator('#codes').inputValue()).split('\n')
  await hand.go(button(hand, 'I have saved the codes').or(link(hand, 'I have saved the codes')))
  return { secret, codes }
}

async function setUpTwoStep(hand: Hand): Promise<{ secret: string; codes: string[] }> {
  await hand.go(button(hand, 'Turn on two-step verification').or(link(hand, 'Turn on two-step')))
  await hand.go(button(hand, 'Set up'))
  return finishEnrolment(hand)
}

/** An account with two-step verification, and another browser for what is counted. */
async function afterSettingUp(hand: Hand): Promise<{ secret: string; codes: string[] }> {
  const before = new Hand(await context.newPage(), hand.admin, true)
  await begin(before)
  const made = await setUpTwoStep(before)
  await context.clearCookies()
  await hand.page.bringToFront()
  return made
}

interface Task {
  name: string
  /** The most clicks; before, none took fewer. */
  clicks: number
  /** The most presses of keys. */
  keys: number
  run: (hand: Hand) => Promise<void>
}

const TASKS: Task[] = [
  {
    name: 'set up two-step verification',
    clicks: 4,
    keys: 40,
    run: async (hand) => {
      await begin(hand)
      await setUpTwoStep(hand)
    },
  },
  {
    name: 'get back in without the phone and set up a new one, with one recovery code',
    clicks: 4,
    keys: 40,
    run: async (hand) => {
      const { codes } = await afterSettingUp(hand)
      await hand.page.goto('/account/sign-in')
      await hand.type(field(hand, 'User name'), hand.admin)
      await hand.type(field(hand, 'Password'), ADMIN_PASSWORD)
      await hand.go(button(hand, 'Sign in'))
      await hand.type(field(hand, 'Code'), codes[0] ?? '')
      await hand.go(button(hand, 'Sign in and set up a new phone'))
      const { codes: renewed } = await finishEnrolment(hand)
      expect(renewed).toHaveLength(10)
    },
  },
  {
    name: 'move to a new phone',
    clicks: 5,
    keys: 60,
    run: async (hand) => {
      const { secret, codes } = await afterSettingUp(hand)
      // The code of this half minute is used up.
      await begin(hand, phoneCode(secret, Date.now(), 1))
      await hand.page.goto('/account')
      await hand.go(inNavigation(hand, 'Security'))
      await hand.go(link(hand, 'Move to a new phone').or(button(hand, 'Move to a new phone')))
      await hand.type(field(hand, 'Code'), codes[0] ?? '')
      await hand.go(button(hand, 'Continue'))
      await finishEnrolment(hand)
    },
  },
  {
    name: 'add a key after a wrong paste',
    clicks: 4,
    keys: 40,
    run: async (hand) => {
      await begin(hand)
      await hand.go(inNavigation(hand, 'SSH keys'))
      await hand.go(link(hand, 'Add key').or(button(hand, 'Add key')))
      await hand.type(field(hand, 'Title'), 'laptop')
      await hand.type(field(hand, 'Public key'), 'ssh-ed25519 AAAA')
      await hand.go(button(hand, 'Add key'))
      await hand.type(field(hand, 'Public key'), ED1)
      await hand.go(button(hand, 'Add key'))
      expect(await hand.page.locator('main').innerText()).toMatch(/The key “.*” was added\./)
    },
  },
  {
    name: 'end a strange session',
    clicks: 2,
    keys: 20,
    run: async (hand) => {
      await begin(hand)
      clone.sql(
        `insert into sessions (id, user_id, created_at, expires_at, last_active_at, network, user_agent, amr)
         select 'strange-' || id, user_id, created_at, expires_at, last_active_at, network, 'curl/8', amr
         from sessions where user_id = (select id from users where username = ?)`,
        hand.admin,
      )
      await hand.page.goto('/account')
      await hand.go(inNavigation(hand, 'Sessions'))
      await hand.go(button(hand, 'Sign out'))
      expect(await hand.page.locator('main').innerText()).toContain('curl is signed out.')
    },
  },
  {
    name: 'get from a strange sign-in to an account that is safe',
    clicks: 6,
    keys: 60,
    run: async (hand) => {
      await begin(hand)
      clone.sql(
        `insert into audit_events (at, kind, user_id, network, user_agent)
         select unixepoch() * 1000 - 86400000, 'sign_in', id, '203.0.113.9', 'curl/8' from users where username = ?
         union all select 1, 'sign_in', id, '127.0.0.1', 'curl/8' from users where username = ?`,
        hand.admin,
        hand.admin,
      )
      clone.sql(
        `insert into sessions (id, user_id, created_at, expires_at, last_active_at, network, user_agent, amr)
         select 'strange-' || id, user_id, created_at, expires_at, last_active_at, '203.0.113.9', 'curl/8', amr
         from sessions where user_id = (select id from users where username = ?)`,
        hand.admin,
      )
      await hand.page.goto('/account')
      await hand.go(link(hand, 'No, secure my account').or(button(hand, 'No, secure my account')))
      await hand.go(button(hand, 'Sign out'))
      const password = 'another-Passw0rd'
      await hand.type(field(hand, 'Current password'), ADMIN_PASSWORD)
      await hand.type(field(hand, 'New password'), password)

      await hand.go(button(hand, 'Change password'))
      await hand.type(field(hand, 'User name'), hand.admin)
      await hand.type(field(hand, 'Password'), password)
      await hand.go(button(hand, 'Sign in'))
      await hand.go(button(hand, 'All is safe'))
      const text = await hand.page.locator('main').innerText()
      expect(text).toContain('You have checked everything that opens your account.')
      expect(text).not.toContain('Was it you?')
    },
  },
  {
    name: 'find one of forty users and lock the account',
    clicks: 5,
    keys: 60,
    run: async (hand) => {
      // The hand before has locked it.
      clone.sql("update users set disabled = 0 where username = 'user-37'")
      await begin(hand)
      await hand.go(inNavigation(hand, 'Users'))
      await hand.type(field(hand, 'Name, e-mail, network'), 'user-37')
      await hand.go(button(hand, 'Search'))
      await hand.go(link(hand, 'user-37'))
      await hand.press(hand.page.locator('summary', { hasText: 'Disable account' }))
      await hand.go(button(hand, 'Disable account'))
      expect(await hand.page.locator('main').innerText()).toContain('Enable account')
    },
  },
  {
    name: 'find who is locked among forty users and let that user in',
    clicks: 2,
    keys: 45,
    run: async (hand) => {
      await Promise.all(Array.from({ length: 5 }, () => site.signIn('user-21', 'wrong-Passw0rd')))
      await begin(hand)
      await hand.page.goto('/account')
      await hand.go(inNavigation(hand, 'Status'))
      expect(await hand.page.locator('main').innerText()).toContain('user-21')
      await hand.go(button(hand, 'Unlock'))
      expect(await hand.page.locator('main').innerText()).toContain('can try again')
    },
  },
  {
    name: 'find who has changed a setting',
    clicks: 2,
    keys: 40,
    run: async (hand) => {
      // The hand before has changed it, and a changed setting has another label.
      clone.sql('delete from settings')
      await begin(hand)
      await hand.page.goto('/account/admin/settings/site')
      await field(hand, 'Title').fill(`Files of ${hand.admin}`)
      await button(hand, 'Save').click()
      await hand.page.goto('/account')
      await hand.go(inNavigation(hand, 'Site events'))
      await hand.go(link(hand, 'Settings changed'))
      expect(await hand.page.locator('main').innerText()).toContain(
        `${hand.admin} changed the site settings`,
      )
    },
  },
]

describe.each([
  ['a mouse', true],
  ['a keyboard alone', false],
])('with %s', (_, hasMouse) => {
  test.each(TASKS)(
    'it takes at most $clicks clicks or $keys keys to $name',
    async ({ name, run, ...most }) => {
      const hand = await openHand(hasMouse)
      await run(hand)
      expect(hand.clicks).toBeLessThanOrEqual(most.clicks)
      expect(hand.keys).toBeLessThanOrEqual(hasMouse ? 0 : most.keys)
      if (process.env['COUNTS'] !== undefined) console.info(name, hand.clicks, hand.keys)
    },
    TASK_MILLISECONDS,
  )
})
