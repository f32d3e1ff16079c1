import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { LANGUAGES, Screen } from '../support/layout.ts'
import { programStates } from '../screenshots/program-states.ts'

const KIB = 1024
const LONG_NAME = 'W'.repeat(250)
/** A phone and a tablet, which are touched, and a screen with a mouse. */
const LAYOUT_WIDTHS = [375, 768, 1280]
/** A phone, the window that OpenList opens, and a screen. */
const PROGRAM_WIDTHS = [375, 500, 1280]
/** Each test opens every page. */
const TOUR_MILLISECONDS = 120_000

/** Pages for everybody, then those of a signed-in admin; a page's forms are all opened. */
const PUBLIC_PATHS = ['/no/such/page', '/account/sign-in']
const PATHS = [
  '/account',
  '/account/admin',
  '/account/admin/users',
  '/account/admin/users?search=nobody&group=admins',
  '/account/admin/users?page=2',
  '/account/admin/users/1',
  '/account/admin/users/2',
  '/account/admin/users/3',
  '/account/admin/users/999',
  '/account/admin/users/new',
  '/account/admin/users?group=waiting',
  '/account/admin/users/4',
  '/account/admin/groups',
  '/account/admin/groups/99',
  '/account/admin/folders',
  '/account/admin/invitations',
  '/account/admin/invitations/add',
  '/account/admin/settings/site',
  '/account/admin/settings/style',
  '/account/admin/settings/preview',
  '/account/admin/settings/accounts',
  '/account/admin/settings/files',
  '/account/admin/settings/sso',
  '/account/admin/events',
  '/account/admin/events?user=nobody&from=2026-02-30',
  '/account/admin/events?kind=sign_in&from=2020-01-01',
  '/account/admin/notices',
  '/account/admin/notices/add',
  '/account/admin/notices/add?kind=telegram',
  '/account/notices',
  '/account/notices?kind=ntfy',
  '/account/notices?kind=webhook',
  '/account/keys/add',
  '/account/activity',
  '/account/activity?kind=key_used',
  '/account/security',
  '/account/security/check',
  '/account/security/passkeys/add',
  '/account/sessions',
  '/account/keys',
  '/account/app-passwords',
  '/account/app-passwords/add',
  '/account/programs',
  '/account/admin/programs',
  '/account/admin/programs/add',
  '/account/admin/programs/add?preset=grafana',
  '/account/admin/programs/add?preset=other',
  '/account/no-such-page',
]

let clone: Clone
let site: Client
let browser: Browser
let cookies: Awaited<ReturnType<BrowserContext['cookies']>>
let contexts: BrowserContext[] = []

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  browser = await openBrowser({ isPainting: false })
  await fill()
  const { page } = await open('en')
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/account')
  await addOtherSessions()
  cookies = await page.context().cookies()
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()))
  contexts = []
})

async function open(language: (typeof LANGUAGES)[number]): Promise<Screen> {
  const screen = await Screen.open(browser, site.url, language)
  contexts.push(screen.page.context())
  return screen
}

/** Users of long names, keys, passkeys, app passwords and events of every kind. */
async function fill(): Promise<void> {
  clone.sql(
    `with recursive n(i) as (select 3 union all select i + 1 from n where i < 60)
     insert into users (id, username, username_key, disabled, created_at)
     select i, iif(i = 3, ?, 'user-' || i), 'user-' || i, i % 7 = 0, 0 from n`,
    LONG_NAME,
  )
  clone.sql(
    `insert into ssh_keys (user_id, title, fingerprint, type, bits, line, added_at, last_used_at)
     values (3, ?, ?, 'ssh-ed25519', 256, 'x', 0, 0), (1, 'laptop', 'SHA256:x', 'ssh-ed25519', 256, 'x', 0, 0)`,
    LONG_NAME,
    `SHA256:${'x'.repeat(43)}`,
  )
  clone.sql(
    `insert into app_passwords (user_id, name, token_hash, scopes, created_at)
     values (3, ?, 'x', 'files:read', 0), (1, 'rclone on my laptop', 'y', 'account:read account:write', 0)`,
    LONG_NAME,
  )
  clone.sql(
    `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up,
       transports, aaguid, rp_id, name, created_at)
     values ('x', 3, 'x', -7, 0, 0, '', '', 'accounts.example.org', ?, 0),
       ('y', 1, 'x', -7, 0, 0, '', '', 'accounts.example.org', 'phone', 0)`,
    LONG_NAME,
  )
  clone.sql(
    `update users set waiting = 1, disabled = 1, registered_network = '2001:db8:1234:5678::/64',
       email = ?, ends_at = 4000000000000 where id in (4, 5)`,
    `${LONG_NAME.slice(0, 60)}@example.org`,
  )
  clone.sql(
    `insert into links (kind, token_hash, name, username, email, uses, created_at, ends_at)
     values ('invitation', 'x', ?, ?, ?, 1000, 0, 4000000000000), ('invitation', 'y', '', '', '', 1, 0, 0)`,
    LONG_NAME.slice(0, 100),
    LONG_NAME,
    `${LONG_NAME.slice(0, 60)}@example.org`,
  )
  const changes = JSON.stringify([
    { field: 'username', from: LONG_NAME, to: 'alice' },
    { field: 'permission', from: 0, to: 0xffff },
  ])
  for (const kind of ['user_changed', 'sign_in', 'key_added', 'settings_changed'])
    clone.sql(
      `insert into audit_events (at, kind, user_id, detail, network, user_agent, actor_id, changes)
       values (unixepoch() * 1000, ?, 3, ?, '2001:db8:1234:5678::/64', 'Firefox/1 Linux', 1, ?)`,
      kind,
      LONG_NAME,
      kind === 'user_changed' ? changes : null,
    )
}

/** Sessions and app passwords of the admin, whose rows have a control and much text. */
async function addOtherSessions(): Promise<void> {
  clone.sql(
    `insert into sessions (id, user_id, created_at, expires_at, last_active_at, network, user_agent, amr)
     select 'other-' || id, user_id, created_at, expires_at, last_active_at,
       '2001:db8:1234:5678::/64', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'pwd otp'
     from sessions`,
  )
}

/** Finds what is wrong with a page as it stands at each width, from the narrowest. */
async function faultsAt(
  screen: Screen,
  widths: readonly number[],
  where: string,
): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    const found = await screen.faultsAt(width)
    faults.push(...found.map((fault) => `${where} at ${width}: ${fault}`))
  }
  return faults
}

async function faultsOf(screen: Screen, path: string): Promise<string[]> {
  const { page } = screen
  await page.goto(path)
  expect(new URL(page.url()).pathname).toBe(path.replace(/\?.*/, ''))
  // In the page, because a click of Playwright's waits for the layout of two frames.
  await page.evaluate(`for (const summary of document.querySelectorAll('summary')) summary.click()`)
  return faultsAt(screen, LAYOUT_WIDTHS, path)
}

describe.each(LANGUAGES)('in %s', (language) => {
  test(
    'no page overflows, has a target below 44 px, a form of several heights or a covered text',
    async () => {
      const screen = await open(language)
      const faults: string[] = []
      for (const path of PUBLIC_PATHS) faults.push(...(await faultsOf(screen, path)))
      await screen.page.context().addCookies(cookies)
      for (const path of PATHS) faults.push(...(await faultsOf(screen, path)))
      expect(faults).toEqual([])
    },
    TOUR_MILLISECONDS,
  )

  test(
    'no page that a program leads to does so, and no page of programs',
    async () => {
      const screen = await open(language)
      await screen.page.context().addCookies(cookies)
      const faults: string[] = []
      await programStates(screen.page, async (name) => {
        faults.push(...(await faultsAt(screen, PROGRAM_WIDTHS, name)))
      })
      expect(faults).toEqual([])
    },
    TOUR_MILLISECONDS,
  )
})

/** A tab with JavaScript that notes what moved while a page was shown. */
async function openWatched(width: number) {
  const context = await browser.newContext({
    baseURL: site.url,
    locale: 'en',
    viewport: { width, height: 800 },
  })
  contexts.push(context)
  await context.addInitScript(`
    globalThis.shifts = []
    globalThis.note = (entries) => {
      for (const { value, sources } of entries) {
        const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent)
        shifts.push(value.toFixed(4) + ' ' + moved.join(', '))
      }
    }
    globalThis.observer = new PerformanceObserver((list) => note(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })`)
  return { context, page: await context.newPage() }
}

/** Waits for two frames: in the second one, the browser knows what moved in the first. */
const SHIFTS = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    note(observer.takeRecords())
    resolve(shifts)
  }))
})`

test.each([375, 1280])(
  'nothing moves while a page loads, at %i',
  async (width) => {
    const { context, page } = await openWatched(width)
    const moved: string[] = []
    const look = async (path: string) => {
      await page.goto(path)
      const shifts: string[] = await page.evaluate(SHIFTS)
      moved.push(...shifts.map((shift) => `${path}: ${shift}`))
    }
    for (const path of PUBLIC_PATHS) await look(path)
    await context.addCookies(cookies)
    for (const path of PATHS) await look(path)
    expect(moved).toEqual([])
  },
  TOUR_MILLISECONDS,
)

test('what moves is found', async () => {
  const { page } = await openWatched(375)
  await page.goto('/account/sign-in')
  await page.evaluate(SHIFTS)
  await page.evaluate(
    `document.querySelector('main').style.setProperty('padding-top', '300px', 'important')`,
  )
  const moved = `new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().length))
      .observe({ type: 'layout-shift', buffered: true })
  })`
  expect(await page.evaluate(moved)).toBeGreaterThan(0)
})

/** Opens the keys of a user, each with one button. */
async function openKeysOf(page: Page): Promise<void> {
  await page.goto('/account/admin/users/1')
  await page.locator('.fold:has(.row > .confirm) > summary').first().click()
}

test('a question opens below its button, which stays where it is and cancels', async () => {
  const screen = await open('en')
  const { page } = screen
  await page.context().addCookies(cookies)
  for (const width of [320, 375, 1280, 1920]) {
    await screen.resize(width)
    await openKeysOf(page)
    const button = page.locator('.row > .confirm > summary').first()
    await button.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    const before = await button.boundingBox()
    await button.click()
    expect(await button.innerText()).toBe('Cancel')
    const after = await button.boundingBox()
    expect([after?.x ?? 0, after?.y ?? 0].map(Math.round), `at ${width}`).toEqual(
      // The word is longer, and the button ends where it ended.
      [before && after ? before.x + before.width - after.width : 0, before?.y ?? 0].map(Math.round),
    )
    await button.click()
    expect(await button.innerText()).toBe('Delete')
  }
})

test('Escape closes a question, and the focus goes back to its button', async () => {
  const context = await browser.newContext({ baseURL: site.url, locale: 'en' })
  contexts.push(context)
  await context.addCookies(cookies)
  const page = await context.newPage()
  await openKeysOf(page)
  await page.locator('.row > .confirm > summary').first().click()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  expect(await page.locator('details.confirm[open]').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.innerText')).toBe('Delete')
})

test('the style sheet has at most 16 KiB, and the longest page 30 KiB', async () => {
  const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const read = async (path: string) =>
    (await fetch(new URL(path, site.url), { headers: { Cookie } })).text()
  const [, sheet = ''] = /href="(\/style-[^"]+)"/.exec(await read('/account')) ?? []
  expect(gzipSync(await read(sheet)).length).toBeLessThanOrEqual(16 * KIB)
  for (const path of PATHS)
    expect(gzipSync(await read(path)).length, path).toBeLessThanOrEqual(30 * KIB)
})

test('what is too wide, too small, uneven or covered is found', async () => {
  const screen = await open('en')
  const { page } = screen
  await page.setContent(`<!doctype html><meta name="viewport" content="width=device-width">
    <form><select style="height: 50px"></select><button style="height: 60px">Send</button></form>
    <p>A text with <a href="/">a link</a>.</p>
    <p><a href="/" id="small">alone</a></p>
    <textarea readonly rows="1" style="width: 50px">A long secret in two lines</textarea>
    <ul><li>Under it <button style="position: absolute; left: 45px">over</button></li></ul>
    <div class="tile" style="width: 9px; height: 40px"></div>
    <dl><dt>A term</dt><dd>one</dd><dd style="margin: 0">another</dd></dl>
    <div style="width: 700px">wide</div>`)
  const faults = (await screen.faultsAt(375)).join('\n')
  expect(faults).toMatch(/^light: the page is 7\d\d px wide$/m)
  expect(faults).toMatch(/^dark: beyond the right edge: <div style="width: 700px"> wide$/m)
  expect(faults).toMatch(/^light: a target of \d+ × \d+ px: <a href="\/" id="small"> alone$/m)
  expect(faults).toMatch(/^light: <button style="[^"]*"> over covers Under it$/m)
  expect(faults).toMatch(/^light: its text is cut: <textarea readonly="" [^>]*> A long secret/m)
  expect(faults).not.toContain('a link')
  expect(faults).toMatch(/^light: a tile of 9 × 40 px: <div class="tile"/m)
  expect(faults).toMatch(/^light: descriptions at \d+, \d+ px in one list: <dl> A term/m)
  expect(faults).toMatch(/^light: heights of 50, 60 px in one form: <form>/m)
})
