import { DEFAULT_SETTINGS } from '../../../settings/defaults.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import type { View } from '../../../../web/kit/view.ts'

/** The built-in admin and the guest. */
const FIRST_USERS = 2

type Step = 'factor' | 'title' | 'files' | 'people' | 'mail'

/** The page of a step; `undefined` for what is set up where the site runs. */
const PAGES: Record<Step, string | undefined> = {
  factor: '/account/security',
  title: '/account/admin/settings',
  files: undefined,
  people: '/account/admin/invitations',
  mail: undefined,
}

interface ChecklistProps {
  view: View
  /** Users of the site, the first ones too. */
  users: number
  /** Whether the command line has made a backup lately. */
  hasBackup: boolean
  action: string
}

/** The steps of a new site; nothing once all of them are done. */
export function Checklist({ view, users, hasBackup, action }: ChecklistProps) {
  const t = view.t.adminSite
  const { account } = view
  const done: Record<Step, boolean> = {
    factor: account?.hasTwoFactor === true || account?.hasPasskey === true,
    title: view.site.title !== DEFAULT_SETTINGS.site_title,
    files: view.files !== undefined,
    people: users > FIRST_USERS,
    mail: view.hasMail,
  }
  const steps = (['factor', 'title', 'files', 'people', 'mail'] as const).map((name) => ({
    ...t.steps[name],
    isDone: done[name],
    page: pageOf(view, name),
  }))
  if (steps.every(({ isDone }) => isDone)) return <></>
  // Nothing here knows of a backup of Cloudflare's database: the list ends with the other steps.
  const backup = { ...t.steps.backup, isDone: hasBackup, page: undefined }
  return (
    <article class="checklist">
      <header>
        <h2>{t.checklist}</h2>
        <form method="post" action={action}>
          <button class="secondary">{t.hideChecklist}</button>
        </form>
      </header>
      <ul class="checks">
        {[...steps, backup].map(({ title, hint, isDone, page }) => (
          <li class={isDone ? 'good' : undefined}>
            <Icon name={isDone ? 'done' : 'missing'} />
            <span>
              {isDone || page === undefined ? <b>{title}</b> : <a href={page}>{title}</a>}
              {!isDone && (
                <span class="hint">
                  <WithCode text={hint} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </article>
  )
}

/** Shows what stands between backticks as code. */
function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, place) => (place % 2 === 0 ? part : <code>{part}</code>))}</>
}

/** The page of a step, where the site has it. */
function pageOf({ navigation }: View, step: Step): string | undefined {
  const pages = [...navigation.own, ...navigation.operators].map(([address]) => address)
  return pages.find((address) => address === PAGES[step])
}
