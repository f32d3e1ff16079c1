import { ADMIN } from '../../../../core/accounts/roles.ts'
import { validate } from '../../../../web/http/input.ts'
import { type DetailsChange, detailsSchema } from '../../details.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { dayOf, timeOfDay } from '../../../../web/kit/day-field.ts'
import { Alert, Field } from '../../../../web/kit/fields.tsx'
import { echo, type Fields } from '../../../../web/kit/form.ts'
import { Fold } from '../../../../web/kit/rows.tsx'
import { TimeFact } from '../../../../web/kit/time.tsx'
import { userAction, type UserProps } from './user-props.ts'

/**
 * Reads the form. When the date was not changed, the end stays as it is, with its time of day.
 *
 * @throws {Refusal} `invalidBody`.
 */
export function parseDetails(id: number, fields: Fields): DetailsChange {
  const { email = '', ends_at: day, shown_end: shownDay } = fields
  const wanted = day === shownDay ? undefined : (timeOfDay(day) ?? null)
  const { email: address, ends_at: endsAt } = validate(detailsSchema, {
    id,
    email,
    ...(wanted !== undefined && { ends_at: wanted }),
  })
  return {
    ...(address !== undefined && { email: address }),
    ...(endsAt !== undefined && { endsAt }),
  }
}

/** The address and the end of an account. */
export function UserDetails(props: UserProps) {
  const { view, user, details, refused } = props
  const t = view.t.adminUsers
  const { email, emailVerified, endsAt } = details
  const isRefused = refused?.form === 'details'
  const problem = isRefused ? refused.problem : undefined
  const shownDay = dayOf(endsAt)
  const field = (name: string, value: string) => ({
    name,
    form: 'details',
    value: isRefused ? echo(refused.fields, name) : value,
    problem,
    optional: true,
  })
  return (
    <Fold icon="mail" title={t.details} about={email === '' ? t.noEmail : email} open={isRefused}>
      <p class="facts">
        {email !== '' && (
          <span class={emailVerified ? 'good' : undefined}>
            {emailVerified ? t.emailVerified : t.emailUnverified}
          </span>
        )}
        <TimeFact
          view={view}
          at={endsAt}
          phrase={endsAt === null || endsAt > view.now ? t.ends : t.ended}
          none={t.noEnd}
        />
      </p>
      <form class="wide beside" method="post" action={userAction(props, 'details')}>
        <Alert problem={problem} fields={['email', 'ends_at', ...CONFIRM_FIELDS]} />
        <Field {...field('email', email)} label={t.email} />
        {user.role !== ADMIN && (
          <>
            <input type="hidden" name="shown_end" value={shownDay} />
            <Field
              {...field('ends_at', shownDay)}
              label={t.endsAt}
              hint={t.endsAtHint}
              type="date"
            />
          </>
        )}
        <ConfirmFields view={view} form="details" problem={problem} onlyWhenAsked />
        <button>{t.save}</button>
      </form>
    </Fold>
  )
}
