import type { Child } from 'hono/jsx'
import { html } from 'hono/html'
import type { AppContext } from '../http/context.ts'
import { isUndoId, type UndoSlot } from '../../core/access/undo-slot.ts'
import { type RelyingParty, relyingPartyOf } from '../../core/base/passkey-site.ts'
import { filesAddressFrom } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { usualFolder } from '../../core/accounts/usual-folder.ts'
import { own } from '../../core/base/own.ts'
import type { Deps } from '../../core/deps.ts'
import type { Method } from '../../core/access/sign-in-methods.ts'
import type { Fields } from './form.ts'
import type { Acting } from '../../core/access/act-as.ts'
import { isFreshAt } from '../../core/access/is-fresh.ts'
import { isChecking } from './checking.ts'
import { type Language, languageOf, textsFor } from './language.ts'
import { localPathOf } from './local-path.ts'
import { keepNamed, namedIn } from './named.tsx'
import type { IconName } from './icons.tsx'
import type { Texts } from './texts.ts'

/** A text of the operator that a visitor has not closed. */
export interface OpenAnnouncement {
  text: string
  /** Identifies the text in the cookie of a visitor who has closed it. */
  id: string
}

/** A ceremony that began with the page. Its answer comes back in a form. */
export interface BegunCeremony {
  /** The options of `navigator.credentials`, as JSON. */
  options: object
  session: string
}

/** A page in the navigation. The text has the name of the icon. */
export type NavigationItem = [address: string, name: IconName & keyof Texts['nav']]

/** A program for which somebody signs in. */
export interface AskingProgram {
  /** Says who asks. */
  lead: string
  /** The user name that it expects; empty for none. */
  username: string
}

/** The result of a test of saved settings. */
export interface Checked {
  text: string
  isGood: boolean
}

interface SettingsPart {
  view: View
  /** The page of the settings. */
  page: string
  settings: readonly { key: string; value: string }[]
  checked?: Checked | undefined
  /** An address of the site. */
  site: string
}

/** The parts of a capability on pages of others. */
export interface PageParts {
  /** A way to sign in without the password, on the sign-in page. */
  signInWay?: (props: { view: View; next: string }) => Child
  /** Below the ways to sign in. */
  signInAside?: (view: View) => Child
  /** Leads to a new password; `undefined` where it can't. */
  lostPassword?: (view: View) => Child | undefined
  /** Finds the program that waits behind `next`. */
  asking?: (c: AppContext, next: string) => Promise<AskingProgram | undefined>
  /** Above the settings of a page. */
  aboveSettings?: (props: SettingsPart) => Child
  /** Below the settings of a page. */
  settings?: (props: SettingsPart) => Child
  /** First on the page of a new account, as a row of choices. */
  welcome?: (view: View) => Child
  /** Beside the title of the state of the site. */
  siteState?: (view: View) => Child
  /** The page on which users enter and confirm their address. */
  emailPage?: string
  /** On the overview. `address`: the confirmed address of the user. */
  overview?: (view: View, address: string | undefined) => Child
  /** Behind a notice of a deletion: brings back what was deleted. */
  undo?: (props: { view: View; id: string }) => Child
}

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
  /** The pages of a user, and those of operators. */
  navigation: Record<'own' | 'operators', readonly NavigationItem[]>
  /** What waits behind entries of the navigation, by their address. */
  counts: ReadonlyMap<string, string>
  /** The addresses of the file server's web client; `undefined` without a file server. */
  files: { start: string; manage: string } | undefined
  /** Confirms what the last form changed. `undo`: the id of what it deleted. */
  notice: { text: string; isGood: boolean; undo?: string | undefined } | undefined
  /** Where browsers have passkeys on this site; `undefined` under an IP address and over http. */
  rpId: string | undefined
  /** The identity provider that the site has turned on, in the setting's spelling. */
  platform: string | undefined
  /** Its name on buttons; empty for the usual one. */
  platformName: string
  /** Whether anybody may register. */
  isRegistrationOpen: boolean
  /** Whether the site mails links for new passwords. */
  hasMail: boolean
  /** The base path with which the forms for new accounts begin. */
  usualFolder: string
  /** The parts of capabilities on pages of others, in order. */
  parts: readonly PageParts[]
  /** Whether the visitor is on the way through the check of the account. */
  isChecking: boolean
  /** Set for a session that its user has to confirm and can confirm with a passkey. */
  ceremony: BegunCeremony | undefined
}

/** The settings that pages show. */
export type SiteFacts = Pick<
  View,
  'site' | 'platform' | 'platformName' | 'isRegistrationOpen' | 'hasMail'
>

/**
 * The functions and parts of capabilities that pages need. `page-source.ts` hands them in, so that
 * the kit knows no capability.
 */
export interface PageSource {
  navigation: View['navigation']
  parts: View['parts']
  /** Settings only change the look: if they can't be read, these are the defaults. */
  readSite: (c: AppContext) => Promise<SiteFacts>
  /** Begins a confirmation with a passkey of a user. */
  beginCeremony: (
    deps: Deps,
    relyingParty: RelyingParty,
    username: string,
  ) => Promise<BegunCeremony>
  confirm: (c: AppContext, fields: Fields) => Promise<void>
  proveAgain: (c: AppContext, fields: Fields) => Promise<Method[]>
  /** Answers with a page for an error that no page has caught. */
  showFailure: (error: Error, c: AppContext) => Promise<Response>
}

declare module '../http/context.ts' {
  interface Variables {
    /** Set where a page may be shown. */
    pageSource?: PageSource
    /**
     * Loads what every page needs: the texts and the page source.
     *
     * @throws {Refusal} `unavailable`.
     */
    preparePages: (c: AppContext) => Promise<void>
  }
}

/** @throws {Refusal} `unavailable` when it could not be loaded. */
export function pageSourceOf(c: AppContext): PageSource {
  const source = c.get('pageSource')
  if (source === undefined) throw new Refusal('unavailable')
  return source
}

/** The settings that decide how a page looks. */
interface Site {
  title: string
  announcement: OpenAnnouncement | undefined
  /** Paths on this host. */
  logo: { light: string; dark: string }
  theme: string
}

export async function readView(c: AppContext, account?: Acting): Promise<View> {
  const deps = c.get('deps')
  const language = languageOf(c)
  const t = textsFor(c)
  const source = pageSourceOf(c)
  const isFresh = account !== undefined && isFreshAt(deps, account.provenAt, deps.now())
  const relyingParty = relyingPartyOf(c.req.url, deps.passkeySite())
  return {
    t,
    language,
    ...(await source.readSite(c)),
    navigation: source.navigation,
    counts: new Map(),
    files: filesOf(c),
    host: new URL(c.req.url).host,
    path: c.req.path,
    address: localPathOf(c.req.url),
    now: deps.now(),
    account,
    isFresh,
    notice: noticeOf(c, t, c.req.query('done') ?? '', c.req.query('undo')),
    rpId: relyingParty?.rpId,
    usualFolder: usualFolder(deps),
    parts: source.parts,
    isChecking: isChecking(c),
    ceremony:
      account?.hasPasskey && relyingParty && (!isFresh || account.factorState === 'unused')
        ? await source.beginCeremony(deps, relyingParty, account.username)
        : undefined,
  }
}

function filesOf(c: AppContext): View['files'] {
  const files = c.get('deps').fileServer()
  if (files === undefined) return undefined
  const here = new URL(c.req.url)
  const addressOf = (path: string) => filesAddressFrom(files, here, path)
  return { start: addressOf('/'), manage: addressOf('/@manage') }
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

/** Notices that look like a warning; the others report a success. */
const WARNINGS: readonly DoneNotice[] = [
  'session-over',
  'recovery-code-used',
  'key-void',
  'nobody-selected',
]

function noticeOf(c: AppContext, t: Texts, name: string, undo: string | undefined): View['notice'] {
  if (!isNotice(t, name)) return undefined
  const isGood = !WARNINGS.includes(name)
  const kept = undo && isUndoId(undo) ? undo : undefined
  const named = namedIn(c, `${name}${kept ?? ''}`)
  const text = (named !== undefined && own(t.namedNotices, name)?.(named)) || t.notices[name]
  return { text, isGood, undo: kept }
}

function isNotice(t: Texts, name: string): name is DoneNotice {
  return Object.hasOwn(t.notices, name)
}

/**
 * Redirects after a form changed something, so that a reload does not send the form again.
 *
 * @param undo Where what the form deleted is kept; the notice offers to bring it back.
 */
export function goTo(c: AppContext, path: string, notice?: DoneNotice, undo?: UndoSlot) {
  if (notice === undefined) return c.redirect(path, 303)
  keepNamed(c, `${notice}${undo?.id ?? ''}`)
  const [page = '', ...place] = path.split('#')
  const separator = page.includes('?') ? '&' : '?'
  const done = `done=${notice}${undo === undefined ? '' : `&undo=${undo.id}`}`
  return c.redirect([`${page}${separator}${done}`, ...place].join('#'), 303)
}

/**
 * Leads from the address of a form back to its page: a refused form leaves its path in the address
 * bar, where somebody may open it.
 */
export function backTo(path: string) {
  return (c: AppContext) => goTo(c, path)
}
