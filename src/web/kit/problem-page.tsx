import type { Refusal } from '../../core/base/refusals.ts'
import type { AppContext } from '../http/context.ts'
import { problemOf } from './form.ts'
import { CardPage } from './frames.tsx'
import { policyWithForm } from './headers.ts'
import { Drawing } from './icons.tsx'
import { AccountPage, SinglePage } from './layout.tsx'
import { Heading } from './parts.tsx'
import { type NavigationItem, readView, showPage, type View } from './view.ts'

/** Reports a refusal that no form's page can show. */
export function ProblemPage({ view, refusal }: { view: View; refusal: Refusal }) {
  const { t } = view
  // A visitor who opens a dead link has no account yet, or is not signed in.
  const isDeadLink = refusal.refusal === 'linkInvalid'
  const [title, back] = isDeadLink ? [t.linkEnded, t.toSignIn] : [t.problems.title, t.problems.back]
  return (
    <CardPage
      view={view}
      icon={isDeadLink ? 'activity' : 'unprotected'}
      tone="amber"
      title={title}
      lead={problemOf(t, refusal).message}
    >
      <p class="buttons">
        <a role="button" href="/account">
          {back}
        </a>
      </p>
    </CardPage>
  )
}

/** Returns the list of administrators in which the thing of a page is missing. */
export function listWithout({ navigation, path }: View, { code }: Refusal) {
  if (code !== 404) return undefined
  return navigation.operators.findLast(([address]) => path.startsWith(`${address}/`))
}

interface MissingProps {
  view: View
  refusal: Refusal
  list: NavigationItem
}

/** Says what is not in a list of administrators, and leads back to the list. */
export function MissingPage({ view, refusal, list: [address, name] }: MissingProps) {
  const { t } = view
  const title = problemOf(t, refusal).message.replace(/[.。]$/, '')
  return (
    <AccountPage view={view} title={title}>
      <div class="empty">
        <Drawing name="door" />
        <h1>{title}</h1>
        <p>{t.problems.missingLead}</p>
        <a role="button" href={address}>
          {t.nav[name]}
        </a>
      </div>
    </AccountPage>
  )
}

/** Says that no page has this address, and leads to the start. */
export function NotFoundPage({ view, isSignedIn }: { view: View; isSignedIn: boolean }) {
  const t = view.t.problems
  return (
    <SinglePage view={view} title={t.notFound}>
      <article>
        <Drawing name="door" />
        <Heading title={t.notFound} lead={t.notFoundLead} />
        <p class="buttons">
          <a role="button" href="/account">
            {isSignedIn ? t.back : t.home}
          </a>
        </p>
      </article>
    </SinglePage>
  )
}

/** The look of a page that leads on by itself. */
const ON_THE_WAY = { icon: 'turned', tone: 'amber', lead: '' } as const

/** Posts values to a program: by itself where scripts run, and by a button elsewhere. */
export async function showFormPost(c: AppContext, to: string, values: Record<string, string>) {
  c.header('Content-Security-Policy', policyWithForm(new URL(to).protocol))
  const view = await readView(c)
  const { t } = view
  return showPage(
    c,
    <CardPage view={view} {...ON_THE_WAY} title={t.continueTitle}>
      <form method="post" action={to} data-send>
        {Object.entries(values).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button>{t.continue}</button>
      </form>
    </CardPage>,
  )
}

/**
 * Leads on by itself, and by a link for browsers that ignore `Refresh`.
 *
 * @param to An address that can stand in a header: a checked path, or an encoded address.
 */
export async function showContinue(c: AppContext, to: string, words?: string) {
  const view = await readView(c)
  const { t } = view
  c.header('Refresh', `0; url=${to}`)
  return showPage(
    c,
    <CardPage view={view} {...ON_THE_WAY} title={t.continueTitle}>
      <p class="buttons">
        <a role="button" href={to}>
          {words ?? t.continue}
        </a>
      </p>
    </CardPage>,
  )
}
