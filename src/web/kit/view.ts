import type { Child } from 'hono/jsx'
import { html } from 'hono/html'
import type { AppContext } from '../http/context.ts'
import { relyingPartyOf } from '../../core/base/passkey-site.ts'
import type { Refusal } from '../../core/base/refusals.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../capabilities/settings/defaults.ts'
import { usualFolder } from '../../core/accounts/new-names.ts'
import { hasMailSite } from '../../capabilities/mail/mail-site.ts'
import { readSettings } from '../../capabilities/settings/store.ts'
import type { Acting } from '../../core/access/act-as.ts'
import { isFreshAt } from '../../core/access/freshness.ts'
import { type OpenAnnouncement, openAnnouncement } from './announcement.tsx'
import { LOGO } from '../../../.build/assets.ts'
import { type Language, languageOf, TEXTS } from './language.ts'
import { localPathOf } from './local-path.ts'
import { beginOnPage, type BegunCeremony } from '../../capabilities/passkeys/pages/passkey.tsx'
import type { Texts } from './texts/en.ts'
import { themeOf } from '../../capabilities/settings/pages/theme.ts'

/** The data that every page gets. */
export interface View {
  t: Texts
  language: Language
  site: Site
  /** The host of the address that the visitor sees. */
  host: string
  /** Path of the request. */
  path: string
  /** Path and query of the page, for forms that lead back to it. */
  address: string
  /** Unix time, milliseconds. */
  now: number
  /** The signed-in user; `undefined` on pages that need no session. */
  account: Acting | undefined
  /** True while the session is fresh (`access/freshness.ts`). */
  isFresh: boolean
  /** Confirms what the last form changed. */
  notice: { text: string; isGood: boolean } | undefined
  /** Where browsers have passkeys on this site; `undefined` under an IP address and over http. */
  rpId: string | undefined
  /** The identity provider that the site has turned on, in the setting's spelling. */
  platform: string | undefined
  /** Whether anybody may register. */
  isRegistrationOpen: boolean
  /** Whether the site mails links for new passwords. */
  hasMail: boolean
  /** The base path with which the forms for new accounts begin. */
  usualFolder: string
  /** Set for a session that its user has to confirm and can confirm with a passkey. */
  ceremony: BegunCeremony | undefined
}

/** The settings that decide how a page looks. */
interface Site {
  title: string
  announcement: OpenAnnouncement | undefined
  /** Paths on this host. */
  logo: { light: string; dark: string }
  theme: string
}

/** Returns the platform of single sign-on; `undefined` while it is off or not set up. */
function platformOf(settings: Record<'sso_login_enabled' | 'sso_login_platform', string>) {
  const isOn = settings.sso_login_enabled === 'true' && settings.sso_login_platform !== ''
  return isOn ? settings.sso_login_platform : undefined
}

export async function readView(c: AppContext, account?: Acting): Promise<View> {
  const deps = c.get('deps')
  const language = languageOf(c)
  const t = TEXTS[language]
  // Settings only change the look: if they can't be read, the page uses the defaults.
  const settings = await readSettings(deps).then(
    ({ values }) => values,
    (): Settings => DEFAULT_SETTINGS,
  )
  const isFresh = account !== undefined && isFreshAt(deps, account.provenAt, deps.now())
  const relyingParty = relyingPartyOf(c.req.url, deps.passkeySite())
  return {
    t,
    language,
    site: await siteOf(c, settings),
    host: new URL(c.req.url).host,
    path: c.req.path,
    address: localPathOf(c.req.url),
    now: deps.now(),
    account,
    isFresh,
    notice: noticeOf(t, c.req.query('done') ?? ''),
    rpId: relyingParty?.rpId,
    platform: platformOf(settings),
    isRegistrationOpen: settings.allow_register === 'true',
    hasMail: hasMailSite(deps),
    usualFolder: usualFolder(deps),
    ceremony:
      account?.hasPasskey && relyingParty && (!isFresh || account.factorState === 'unused')
        ? await beginOnPage(deps, relyingParty, account.username)
        : undefined,
  }
}

/** @param refusal Decides the HTTP status of the page that reports it. */
export function showPage(c: AppContext, page: Child, refusal?: Refusal) {
  if (refusal === undefined) return c.html(html`<!doctype html>${page}`)
  const { code, retryAfterSeconds } = refusal
  c.set('outcome', code)
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.html(html`<!doctype html>${page}`, statusOf(code))
}

/** Replaces 401 by 403: a 401 must name an HTTP authentication scheme (RFC 9110 section 15.5.2). */
function statusOf(code: Refusal['code']) {
  return code === 401 ? 403 : code
}

/** Name of a notice. A URL holds only this name; its text comes from the catalogue. */
export type DoneNotice = keyof Texts['notices']

/** Notices of what is gone; the others tell what was done. */
const ABOUT_A_LOSS: readonly DoneNotice[] = ['session-over', 'recovery-code-used', 'key-void']

function noticeOf(t: Texts, name: string): View['notice'] {
  return isNotice(t, name)
    ? { text: t.notices[name], isGood: !ABOUT_A_LOSS.includes(name) }
    : undefined
}

function isNotice(t: Texts, name: string): name is DoneNotice {
  return Object.hasOwn(t.notices, name)
}

/** Redirects after a form changed something, so that a reload does not send the form again. */
export function goTo(c: AppContext, path: string, notice?: DoneNotice) {
  if (notice === undefined) return c.redirect(path, 303)
  const [page = '', ...place] = path.split('#')
  const separator = page.includes('?') ? '&' : '?'
  return c.redirect([`${page}${separator}done=${notice}`, ...place].join('#'), 303)
}

/**
 * Leads from the address of a form back to its page: a refused form leaves its path in the address
 * bar, where somebody may open it.
 */
export function backTo(path: string) {
  return (c: AppContext) => goTo(c, path)
}

async function siteOf(c: AppContext, settings: Settings): Promise<Site> {
  const [light = '', dark = light] = settings.logo.split('\n').map((line) => line.trim())
  return {
    title: settings.site_title || DEFAULT_SETTINGS.site_title,
    announcement: await openAnnouncement(c, settings.announcement),
    logo: { light: localImage(light), dark: localImage(dark) },
    theme: (await themeOf(settings.main_color)).path,
  }
}

/** Replaces an image on another host by the default logo, because a page contacts no other host. */
function localImage(address: string): string {
  const isLocal = /^\/(?![/\\])[^\s\p{Cc}\\]*$/u.test(address)
  return isLocal && address !== DEFAULT_SETTINGS.logo ? address : LOGO
}
