import type { Child } from 'hono/jsx'
import { html } from 'hono/html'
import type { AppContext } from '../http/context.ts'
import type { Refusal } from '../base/refusals.ts'
import { DEFAULT_SETTINGS, type Settings } from '../settings/defaults.ts'
import { readSettings } from '../settings/store.ts'
import type { Acting } from '../access/act-as.ts'
import { isFreshAt } from '../access/freshness.ts'
import { LOGO } from './assets.ts'
import { type Language, languageOf, TEXTS } from './language.ts'
import { styleOf } from './style.ts'
import type { Texts } from './texts/en.ts'

/** What every page knows. */
export interface View {
  t: Texts
  language: Language
  site: Site
  /** Of the request. */
  path: string
  /** Unix time, milliseconds. */
  now: number
  /** Whoever is signed in. */
  account: Acting | undefined
  /** Whether the session may do what needs a fresh one. */
  isFresh: boolean
  /** What was just done. */
  notice: string | undefined
}

/** How the operator wants the site to look. */
interface Site {
  title: string
  announcement: string
  /** Addresses on this host. */
  logo: { light: string; dark: string }
  style: string
}

export async function readView(c: AppContext, account?: Acting): Promise<View> {
  const deps = c.get('deps')
  const language = languageOf(c)
  const t = TEXTS[language]
  // What only changes the looks must not keep a page from being shown.
  const settings = await readSettings(deps).then(
    ({ values }) => values,
    () => DEFAULT_SETTINGS,
  )
  return {
    t,
    language,
    site: await siteOf(settings),
    path: c.req.path,
    now: deps.now(),
    account,
    isFresh: account !== undefined && isFreshAt(deps, account.provenAt, deps.now()),
    notice: noticeOf(t, c.req.query('done') ?? ''),
  }
}

/** @param refusal What the page has to say, if it was refused. */
export function showPage(c: AppContext, page: Child, refusal?: Refusal) {
  if (refusal === undefined) return c.html(html`<!doctype html>${page}`)
  const { code, retryAfterSeconds } = refusal
  c.set('outcome', code)
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.html(html`<!doctype html>${page}`, statusOf(code))
}

/** 401 would have to name a scheme of HTTP authentication (RFC 9110 section 15.5.2). */
function statusOf(code: Refusal['code']) {
  return code === 401 ? 403 : code
}

/** A notice is one of ours, never a text from the address. */
export type Notice = keyof Texts['notices']

function noticeOf(t: Texts, name: string): string | undefined {
  return isNotice(t, name) ? t.notices[name] : undefined
}

function isNotice(t: Texts, name: string): name is Notice {
  return Object.hasOwn(t.notices, name)
}

/** After something was done: shows a page anew, so that reloading it does nothing twice. */
export function goTo(c: AppContext, path: string, notice?: Notice) {
  return c.redirect(notice === undefined ? path : `${path}?done=${notice}`, 303)
}

async function siteOf(settings: Settings): Promise<Site> {
  const [light = '', dark = light] = settings.logo.split('\n').map((line) => line.trim())
  return {
    title: settings.site_title || DEFAULT_SETTINGS.site_title,
    announcement: settings.announcement.trim(),
    logo: { light: localImage(light), dark: localImage(dark) },
    style: (await styleOf(settings.main_color)).path,
  }
}

/** A page contacts no other host, so a logo elsewhere gives way to ours. */
function localImage(address: string): string {
  const isLocal = /^\/(?![/\\])[^\s\p{Cc}\\]*$/u.test(address)
  return isLocal && address !== DEFAULT_SETTINGS.logo ? address : LOGO
}
