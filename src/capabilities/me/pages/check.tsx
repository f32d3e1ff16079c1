import type { Child, PropsWithChildren } from 'hono/jsx'
import { HOUR_MILLISECONDS } from '../../../core/base/time.ts'
import { CHECK_PATH } from '../../../web/kit/checking.ts'
import { ConfirmFields, CONFIRM_FIELDS } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import { problemIn, type ShownRefused } from '../../../web/kit/form.ts'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import type { Remaining } from '../../../web/kit/part-of-user.ts'
import { RemainingRows } from '../../../web/kit/remaining-rows.tsx'
import { Rows } from '../../../web/kit/rows.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import {
  EndOthers,
  type Found,
  isOfNewNetwork,
  othersOf,
  SessionRow,
} from '../../sessions/pages/sessions.tsx'
import { PasswordForm } from './password-section.tsx'

interface CheckProps extends Found {
  view: View
  currentId: string
  /** When the user last chose a password; Unix time, milliseconds. */
  passwordAt: number | undefined
  /** Everything else that opens the account, or is told of it. */
  remaining: readonly Remaining[]
  refused: ShownRefused | undefined
}

/** Leads a user whose account may be in other hands through everything that opens it. */
export function CheckPage(props: CheckProps) {
  const { view, remaining, refused } = props
  const t = view.t.check
  const problem = problemIn(refused, 'done')
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <article>
        <ol class="steps">
          <li>
            <Devices {...props} />
          </li>
          <li>
            <NewPassword {...props} />
          </li>
          {remaining.map(({ title, page, rows }) => (
            <li>
              <h2>
                {title(view.t)} <span class="badge">{rows.length}</span>
              </h2>
              <Folded view={view} count={rows.length}>
                <RemainingRows view={view} rows={rows} ofOther={false} />
              </Folded>
              <a role="button" class="secondary" href={page}>
                {t.open(title(view.t))}
              </a>
            </li>
          ))}
          <li>
            <h2>{t.end}</h2>
            <p>{t.endLead}</p>
            <form method="post" action={`${CHECK_PATH}/done`}>
              <Alert problem={problem} fields={CONFIRM_FIELDS} />
              <ConfirmFields view={view} form="done" problem={problem} />
              <button>{t.safe}</button>
            </form>
          </li>
        </ol>
      </article>
    </AccountPage>
  )
}

/** Those of new networks are shown, the others folded. */
function Devices(props: CheckProps) {
  const { view } = props
  const t = view.t.check
  const others = othersOf(props)
  const rowsOf = (isNew: boolean) =>
    others
      .filter((session) => isOfNewNetwork(session, props) === isNew)
      .map((session) => (
        <SessionRow {...props} session={session} isCurrent={false} from="check" level={3} />
      ))
  const known = rowsOf(false)
  return (
    <>
      <h2>{t.devices}</h2>
      {others.length > 0 && <EndOthers view={view} ofCheck={others.length} />}
      <Rows
        rows={rowsOf(true)}
        none={others.length === 0 && <Done text={view.t.sessions.onlyThis} />}
      />
      {known.length > 0 && (
        <Folded view={view} count={known.length}>
          <Rows rows={known} none={<></>} />
        </Folded>
      )}
    </>
  )
}

/** The most entries that a step shows unasked. */
const MAX_OPEN = 2

function Folded({ view, count, children }: PropsWithChildren<{ view: View; count: number }>) {
  if (count <= MAX_OPEN) return <>{children}</>
  return (
    <details class="older">
      <summary>{view.t.check.show(count)}</summary>
      {children}
    </details>
  )
}

function NewPassword({ view, passwordAt, refused }: CheckProps) {
  const t = view.t.check
  const isNew = passwordAt !== undefined && view.now - passwordAt < HOUR_MILLISECONDS
  return (
    <>
      <h2>{t.password}</h2>
      {isNew ? (
        <Done text={<Time view={view} at={passwordAt} phrase={t.passwordChanged} />} />
      ) : (
        <>
          <p>{t.passwordLead}</p>
          <PasswordForm
            view={view}
            action={`${CHECK_PATH}/password`}
            problem={problemIn(refused, 'password')}
          />
        </>
      )}
    </>
  )
}

function Done({ text }: { text: Child }) {
  return (
    <p class="mark good">
      <Icon name="done" />
      <span>{text}</span>
    </p>
  )
}
