import type { Child } from 'hono/jsx'
import { HOUR_MILLISECONDS } from '../../../core/base/time.ts'
import { CHECK_PATH } from '../../../web/kit/checking.ts'
import { ConfirmFields, CONFIRM_FIELDS } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import { problemIn, type ShownRefused } from '../../../web/kit/form.ts'
import { Icon } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import type { Remaining } from '../../../web/kit/part-of-user.ts'
import { RemainingKind } from '../../../web/kit/remaining-rows.tsx'
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
  /** The kinds of which there is nothing. */
  empty: readonly Remaining[]
  refused: ShownRefused | undefined
}

/** Leads a user whose account may be in other hands through everything that opens it. */
export function CheckPage(props: CheckProps) {
  const { view, remaining, empty, refused } = props
  const t = view.t.check
  const problem = problemIn(refused, 'done')
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <article>
        <ol class="steps">
          <li class={othersOf(props).length === 0 ? 'set' : undefined}>
            <Devices {...props} />
          </li>
          <li class={isPasswordNew(props) ? 'set' : undefined}>
            <NewPassword {...props} />
          </li>
          {remaining.map((kind) => (
            <li>
              <RemainingKind view={view} kind={kind} ofOther={false} />
              <p class="buttons">
                <a role="button" class="secondary" href={kind.page}>
                  {t.open(kind.title(view.t))}
                </a>
              </p>
            </li>
          ))}
          {empty.length > 0 && (
            <li class="set">
              <h2>{t.nothing}</h2>
              <p>
                {t.nothingOf(empty.map(({ title }) => title(view.t)).join(view.t.listSeparator))}
              </p>
            </li>
          )}
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
        <details class="older">
          <summary>{t.known(known.length)}</summary>
          <Rows rows={known} none={<></>} />
        </details>
      )}
    </>
  )
}

function isPasswordNew({ view, passwordAt }: CheckProps): boolean {
  return passwordAt !== undefined && view.now - passwordAt < HOUR_MILLISECONDS
}

function NewPassword(props: CheckProps) {
  const { view, passwordAt, refused } = props
  const t = view.t.check
  return (
    <>
      <h2>{t.password}</h2>
      {passwordAt !== undefined && isPasswordNew(props) ? (
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
