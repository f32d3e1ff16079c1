import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { ClockedSite, headersOf } from '../support/clocked-site.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { MailServer } from '../support/mail-server.ts'
import { fill, filledStates, lockOut } from './filled.ts'
import { joiningStates, type JoiningTour, mailSettings } from './joining-states.ts'
import { LANGUAGES } from '../support/layout.ts'
import { OidcProvider } from '../support/oidc-provider.ts'
import { Receiver } from '../support/receiver.ts'
import { SECRET_KEYS } from '../support/secrets.ts'
import { ssoStates, type SsoTour } from './sso-states.ts'
import { takeSocial } from './social.ts'
import { states } from './states.ts'

const FOLDER = 'screenshots'
const WIDTHS = [375, 768, 1280]
/** The window in which OpenList has users sign in. */
const POPUP = { width: 500, height: 600 }
/** Pages that a program opens in such a window. */
const IN_POPUP = /authorize|end-session|^sso-(?!sec|set|user)/
const NO_CHINESE_FONT = `No font has Chinese characters, so the Chinese pages show boxes. Install one first:
  Debian, Ubuntu   sudo apt install fonts-noto-cjk
  Fedora           sudo dnf install google-noto-sans-cjk-fonts
  Arch             sudo pacman -S noto-fonts-cjk
  Alpine           sudo apk add font-noto-cjk`
/** Where the browser is that shows the filled site. */
const ADDRESS = '203.0.113.0'
const SCHEMES = ['light', 'dark'] as const

/** The picture of the README. */
const README_STATE = 'filled-overview-en'
const README_PICTURE = 'docs/images/account.png'
const README_HEIGHT = 860
/** The pictures of docs/people.md. */
const GUIDE_MAILS = /^joining-mail-(?:invitation|reset|account-end)-(?:en|zh)$/

/**
 * `npm run screenshots [-- <part of a name>]`: every state of every page, to be looked at. With `--
 * filled-overview`, `-- social` and `-- joining-mail`, it takes pictures of the documents as well.
 */
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)
const clone = new Clone()
const site = await clone.serve(ADMIN_PASSWORD)
const browser = await openBrowser()
try {
  // Browsers have passkeys at localhost, and none at an IP address.
  const baseURL = site.url.replace('127.0.0.1', 'localhost')
  const context = await browser.newContext({ baseURL, locale: 'en' })
  const page = await context.newPage()
  if (!(await hasChineseFont(page))) console.error(NO_CHINESE_FONT)
  if (process.argv[2] === 'social') await takeSocial(browser)
  if (wantsStates()) await states(page, (name) => take(page, name))
  if (wantsSso()) for (const language of LANGUAGES) await takeSso(language)
  if (wantsJoining()) for (const language of LANGUAGES) await takeJoining(language)
  if (wantsFilled()) await takeFilled()
} finally {
  await browser.close()
  await clone.remove()
}

function wantsSso(): boolean {
  const wanted = process.argv[2] ?? ''
  return /^$|^(?!filled).*(?:sso|remaining)/.test(wanted)
}

function wantsJoining(): boolean {
  return /^$|^joining/.test(process.argv[2] ?? '')
}

function wantsStates(): boolean {
  return !/^(?:filled|wide|joining|social|sso|remaining)/.test(process.argv[2] ?? '')
}

function wantsFilled(): boolean {
  return /^$|^(?:filled|wide)/.test(process.argv[2] ?? '')
}

/** A site with 40 users, twelve keys, eight sessions and hundreds of events, in both languages. */
async function takeFilled(): Promise<void> {
  const [mail, receiver] = [await MailServer.open(), await Receiver.open()]
  const other = await ClockedSite.start(`SECRET_KEYS=${SECRET_KEYS}${mailSettings(mail)}`)
  const provider = await OidcProvider.start(await freePort(), other.url)
  try {
    const filled = await fill(other, { receiver, provider, browser })
    for (const language of LANGUAGES) {
      await lockOut(other)
      const extraHTTPHeaders = headersOf(ADDRESS)
      const context = await browser.newContext({
        baseURL: other.url,
        locale: language,
        extraHTTPHeaders,
      })
      const page = await context.newPage()
      await filledStates(page, filled, (_, name) => take(page, `${name}-${language}`))
    }
  } finally {
    await other.clone.remove()
    await provider.stop()
    await mail.close()
    receiver.close()
  }
}

/** Mails and registration need a site that is set up for them. */
async function takeJoining(language: (typeof LANGUAGES)[number]): Promise<void> {
  const server = await MailServer.open()
  try {
    await withProvider(language, mailSettings(server), (page, tour) =>
      joiningStates(page, { ...tour, server, language }, (name) =>
        take(page, `${name}-${language}`),
      ),
    )
  } finally {
    await server.close()
  }
}

/** Single sign-on has a site of its own, because the admin of the other one has changed. */
function takeSso(language: (typeof LANGUAGES)[number]): Promise<void> {
  return withProvider(language, '', (page, tour) =>
    ssoStates(page, tour, (name) => take(page, `${name}-${language}`)),
  )
}

/**
 * Works on a site of its own, at which nobody has signed in, beside an identity provider.
 *
 * @param settings Further lines of `.dev.vars`.
 */
async function withProvider(
  language: (typeof LANGUAGES)[number],
  settings: string,
  work: (page: Page, tour: SsoTour & Pick<JoiningTour, 'clone'>) => Promise<void>,
): Promise<void> {
  const other = new Clone()
  try {
    appendFileSync(other.path('.dev.vars'), `SECRET_KEYS=${SECRET_KEYS}${settings}`)
    const { url } = await other.serve(ADMIN_PASSWORD)
    const client = new Client(url.replace('127.0.0.1', 'localhost'))
    const provider = await OidcProvider.start(await freePort(), client.url)
    try {
      const context = await browser.newContext({ baseURL: client.url, locale: language })
      await work(await context.newPage(), { site: client, provider, clone: other })
    } finally {
      await provider.stop()
    }
  } finally {
    await other.remove()
  }
}

/** Without a font, every character has the same box in its place. */
async function hasChineseFont(page: Page): Promise<boolean> {
  await page.setContent('<canvas width="40" height="40"></canvas>')
  return page.evaluate(`(() => {
    const canvas = document.querySelector('canvas')
    const context = canvas.getContext('2d')
    context.font = '30px sans-serif'
    const pictures = ['用', '户'].map((character) => {
      context.clearRect(0, 0, 40, 40)
      context.fillText(character, 0, 32)
      return canvas.toDataURL()
    })
    return pictures[0] !== pictures[1]
  })()`)
}

async function take(page: Page, name: string): Promise<void> {
  if (!name.includes(process.argv[2] ?? '')) return
  // The last click has left the mouse over something.
  await page.mouse.move(0, 0)
  const others = IN_POPUP.test(name) ? [POPUP] : []
  for (const size of [...WIDTHS.map((width) => ({ width, height: 800 })), ...others]) {
    const { width } = size
    await page.setViewportSize(size)
    // A window as high as the page, so that what sticks to its edge stands at its end.
    const height: number = await page.evaluate('document.documentElement.scrollHeight')
    await page.setViewportSize({ width, height: Math.max(height, size.height) })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      const path = join(FOLDER, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
    }
  }
  if (GUIDE_MAILS.test(name) && process.argv[2] === 'joining-mail') await takeForGuide(page, name)
  if (name === README_STATE && README_STATE === `${process.argv[2]}-en`) await takeForReadme(page)
}

async function takeForGuide(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 640, height: 100 })
  await page.emulateMedia({ colorScheme: 'light' })
  const path = join('docs/images', `${name.replace(/^joining-|-en$/g, '')}.png`)
  await page.screenshot({ path, fullPage: true, animations: 'disabled' })
}

async function takeForReadme(page: Page): Promise<void> {
  await page.setViewportSize({ width: Math.max(...WIDTHS), height: README_HEIGHT })
  await page.emulateMedia({ colorScheme: 'light' })
  const clip = { x: 0, y: 0, width: Math.max(...WIDTHS), height: README_HEIGHT }
  await page.screenshot({ path: README_PICTURE, clip, animations: 'disabled' })
}
