import type { Child, PropsWithChildren } from 'hono/jsx'
import { SCRIPT, STYLE_SHEET } from '../../../.build/assets.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { Announcement } from './announcement.tsx'
import { Avatar } from './avatar.tsx'
import { CHECK_PATH } from './checking.ts'
import { Icon } from './icons.tsx'
import { Back } from './parts.tsx'
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES } from './language.ts'
import type { NavigationItem, View } from './view.ts'

type LayoutProps = PropsWithChildren<{ view: View; title: string }>

/** A page for a signed-in user, with navigation. */
export function AccountPage({ view, title, children }: LayoutProps) {
  return (
    <Document view={view} title={title}>
      <header class="bar">
        <Brand view={view} />
        <div class="you">
          <You view={view} />
          <form method="post" action="/account/sign-out">
            <button class="quiet">
              <Icon name="sign-out" />
              <span>{view.t.signOut}</span>
            </button>
          </form>
        </div>
      </header>
      <div class="frame">
        <Navigation view={view} title={title} />
        <main id="content">
          <Announcement view={view} />
          <Notice view={view} />
          <BackToCheck view={view} />
          {children}
        </main>
      </div>
    </Document>
  )
}

/** Leads back from the pages that the check of the account leads to. */
function BackToCheck({ view: { t, path, isChecking } }: { view: View }): Child {
  if (!isChecking || path === '/account' || path.startsWith(CHECK_PATH)) return null
  if (path.startsWith('/account/admin')) return null
  return <Back href={CHECK_PATH}>{t.backToCheck}</Back>
}

/** A page with one centred card and no navigation. */
export function SinglePage({ view, title, children }: LayoutProps) {
  return (
    <Document view={view} title={title} kind="gate">
      <main id="content" class="single">
        <Brand view={view} />
        <Announcement view={view} />
        <Notice view={view} />
        {children}
      </main>
    </Document>
  )
}

function Document({ view, title, kind, children }: LayoutProps & { kind?: 'gate' }) {
  const { t, language, site } = view
  return (
    <html lang={LANGUAGE_TAGS[language]}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${site.title}`}</title>
        <link rel="icon" href={site.logo.light} />
        <link rel="stylesheet" href={STYLE_SHEET} />
        <link rel="stylesheet" href={site.theme} />
        {/* The first picture is that of the whole page, with the script's times: nothing moves. */}
        <link rel="expect" href="#end" blocking="render" />
        <script type="module" src={SCRIPT} blocking="render" />
      </head>
      <body class={kind}>
        <a class="skip" href="#content">
          {t.skipToContent}
        </a>
        {children}
        <footer id="end">
          <Languages view={view} />
        </footer>
      </body>
    </html>
  )
}

/** Names the signed-in user, on every page with navigation. */
function You({ view: { t, account } }: { view: View }) {
  if (account === undefined) return <></>
  return (
    <a class="me" href="/account" title={t.signedInAs(account.username)}>
      <Avatar name={account.username} />
      <span>{account.username}</span>
    </a>
  )
}

function Brand({ view: { site } }: { view: View }) {
  return (
    <a class="brand" href="/account">
      <picture>
        <source media="(prefers-color-scheme: dark)" srcset={site.logo.dark} />
        <img src={site.logo.light} alt="" width="32" height="32" />
      </picture>
      <span>{site.title}</span>
    </a>
  )
}

/** The pages of the site. Narrow screens open them with a button that names the present page. */
function Navigation({ view, title }: { view: View; title: string }) {
  const { t, account, navigation, files } = view
  const own: NavigationItem[] =
    files === undefined ? [...navigation.own] : [[files.start, 'files'], ...navigation.own]
  const operators = account?.role === ADMIN ? navigation.operators : []
  const present = [...own, ...operators].find(([address]) => isWithin(view.path, address))
  return (
    <>
      <details class="open-pages">
        <summary>
          <span>
            <Icon name="menu" />
            {t.menu}
          </span>
          <b>{present === undefined ? title : t.nav[present[1]]}</b>
        </summary>
      </details>
      <nav aria-label={t.mainNavigation}>
        <ul>
          <NavigationItems view={view} pages={own} />
        </ul>
        {operators.length > 0 && (
          <>
            <p id="administration">{t.administration}</p>
            <ul aria-labelledby="administration">
              <NavigationItems view={view} pages={operators} />
            </ul>
          </>
        )}
      </nav>
    </>
  )
}

function NavigationItems({
  view: { t, path, counts },
  pages,
}: {
  view: View
  pages: readonly NavigationItem[]
}) {
  return (
    <>
      {pages.map(([address, name]) => (
        <li>
          <a href={address} aria-current={isWithin(path, address) ? 'page' : undefined}>
            <Icon name={name} />
            {t.nav[name]}
            {counts.has(address) && <b class="count">{counts.get(address)}</b>}
          </a>
        </li>
      ))}
    </>
  )
}

/** Every page lies under these. */
const STARTS = ['/account', '/account/admin']

function isWithin(path: string, address: string): boolean {
  return path === address || (!STARTS.includes(address) && path.startsWith(`${address}/`))
}

function Notice({ view }: { view: View }): Child {
  const { notice } = view
  if (notice === undefined) return null
  const { text, isGood, undo } = notice
  return (
    <div class={isGood ? 'done' : 'over'}>
      {isGood && <Icon name="turned" />}
      <span role="status">{text}</span>
      {undo !== undefined && view.parts.map((part) => part.undo?.({ view, id: undo }))}
    </div>
  )
}

function Languages({ view: { language, address } }: { view: View }) {
  const others = LANGUAGES.filter((choice) => choice !== language)
  return (
    <form method="post" action="/account/language">
      <input type="hidden" name="path" value={address} />
      {others.map((choice) => (
        <button class="quiet" name="language" value={choice} lang={LANGUAGE_TAGS[choice]}>
          {LANGUAGE_NAMES[choice]}
        </button>
      ))}
    </form>
  )
}
