import type { Refusal } from '../base/refusals.ts'
import { problemOf } from './form.ts'
import { SinglePage } from './layout.tsx'
import type { View } from './view.ts'

/** Reports a refusal that no form's page can show. */
export function ProblemPage({ view, refusal }: { view: View; refusal: Refusal }) {
  const { t } = view
  return (
    <SinglePage view={view} title={t.problems.title}>
      <article>
        <h1>{t.problems.title}</h1>
        <p>{problemOf(t, refusal).message}</p>
        <p class="buttons">
          <a role="button" href="/account">
            {t.problems.back}
          </a>
        </p>
      </article>
    </SinglePage>
  )
}

/** Says that no page has this address, and leads to the start. */
export function NotFoundPage({ view }: { view: View }) {
  const t = view.t.problems
  return (
    <SinglePage view={view} title={t.notFound}>
      <article>
        <h1>{t.notFound}</h1>
        <p>{t.notFoundLead}</p>
        <p class="buttons">
          <a role="button" href="/account">
            {t.home}
          </a>
        </p>
      </article>
    </SinglePage>
  )
}

/** Links to the page that a visitor from another site asked for, for browsers that ignore `Refresh`. */
export function ContinuePage({ view }: { view: View }) {
  const { t, path } = view
  return (
    <SinglePage view={view} title={t.signIn.title}>
      <article>
        <a href={path}>{t.signIn.continue}</a>
      </article>
    </SinglePage>
  )
}
