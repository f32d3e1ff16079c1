import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { act as actAsOperator, of } from '../../../../core/access/subject.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import { action, type Action } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { loadPartsOfUser } from '../../../../web/kit/capability.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import {
  attempt,
  type Fields,
  type Problem,
  problemOf,
  type Refused,
} from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import type { PartOfUser, SelectedAction } from '../../../../web/kit/part-of-user.ts'
import { Back } from '../../../../web/kit/parts.tsx'
import { Row, Rows } from '../../../../web/kit/rows.tsx'
import { goTo, showPage, type View } from '../../../../web/kit/view.ts'
import { findUsers } from '../../find-users.ts'
import { changeUser } from '../../manage-users.ts'
import { remindOfFactor } from '../../remind.ts'
import {
  goToList,
  listAddress,
  listOf,
  selectedAddress,
  userAddress,
  USERS_PATH,
} from './user-address.ts'

/** Each of them is a change of its own, with a round trip or two. */
const MAX_SELECTED = 25

const FIELD = /^user-([1-9]\d{0,14})$/

type Actions = Readonly<Record<string, SelectedAction>>

const OWN_ACTIONS: Actions = {
  remind: {
    label: (t) => t.adminUsers.remind,
    question: (t) => t.adminUsers.remindQuestion,
    fits: ({ waiting, hasTwoFactor, hasPasskey }) => !waiting && !hasTwoFactor && !hasPasskey,
    run: (c, userId) => remindOfFactor(c.get('deps'), actorOf(c), userId),
  },
  disable: {
    label: (t) => t.adminUsers.disableSelected,
    question: (t) => t.adminUsers.disableQuestion,
    isDangerous: true,
    fits: ({ disabled }) => !disabled,
    run: (c, userId) => changeUser(c.get('deps'), actorOf(c), userId, { disabled: true }),
  },
}

/** Returns what can be done with selected users, by the value of its button. */
export function selectedActions(parts: readonly PartOfUser[]): Actions {
  const ofParts = parts.map(({ selected = {} }) => selected)
  return Object.assign({}, ...ofParts, OWN_ACTIONS)
}

interface Selected {
  name: string
  act: SelectedAction
  ids: number[]
  /** The question was answered. */
  isSure: boolean
}

/** @throws {Refusal} `requestInvalid` without a known action, for nobody, and for too many users. */
async function selectedIn(c: AppContext, fields: Fields): Promise<Selected> {
  const actions = selectedActions(await loadPartsOfUser(c.get('capabilities')))
  const { do: name = '', sure } = fields
  const ids = Object.keys(fields).flatMap((field) => {
    const [, id] = FIELD.exec(field) ?? []
    return id === undefined ? [] : [Number(id)]
  })
  ids.sort((a, b) => a - b)
  const act = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (act === undefined || ids.length === 0 || ids.length > MAX_SELECTED)
    throw new Refusal('requestInvalid')
  return { name, act, ids, isSure: sure === 'true' }
}

/** What became of a selection: a question, another page, or the users for whom it was refused. */
type Outcome = 'asked' | Response | { id: number; refusal?: Refusal }[]

/**
 * The form of the list. An action on each user changes one after the other, by the decision of the
 * form on that user's page, so that one who may not be changed keeps no other one from it. It never
 * changes its own user, and needs a fresh session for every action.
 */
export const selectedForm: Action = action({
  page: (c, refused) => (refused === undefined ? goTo(c, USERS_PATH) : showSelected(c, refused)),
  confirms: true,
  async run(c, fields): Promise<Outcome> {
    const { act, ids, isSure } = await selectedIn(c, fields)
    if (act.question !== undefined && !isSure) return 'asked'
    if (act.asks !== undefined) return act.runAll(c, ids, fields)
    await actAsOperator(c.get('deps'), of(actorOf(c)), { fresh: true }, () => ({}))
    const refused: { id: number; refusal?: Refusal }[] = []
    for (const id of ids) {
      if (id === actorOf(c).userId) refused.push({ id })
      else {
        const result = await attempt(() => act.run(c, id))
        if (result instanceof Refusal) refused.push({ id, refusal: result })
      }
    }
    return refused
  },
  async done(c, outcome, fields) {
    if (outcome === 'asked') return showSelected(c, { form: 'selected', fields })
    if (outcome instanceof Response) return outcome
    return outcome.length === 0 ? goToList(c, 'users-changed') : showResults(c, outcome, fields)
  },
})

/** Shows a selection with the question, or why it was refused. */
async function showSelected(
  c: AppContext,
  { form, fields, refusal }: Pick<Refused, 'form' | 'fields'> & { refusal?: Refusal },
) {
  const selected = await attempt(() => selectedIn(c, fields))
  if (selected instanceof Refusal) return goToList(c, 'nobody-selected')
  const [view, { users }, asked] = await Promise.all([
    adminView(c),
    findSelected(c, selected.ids),
    selected.act.asks?.read(c),
  ])
  const props = { view, selected, users, asked, fields, list: listOf(c) }
  return showForm(c, SelectedPage, props, refusal && { form, fields, refusal })
}

function findSelected(c: AppContext, ids: readonly number[]) {
  const listing = { page: 1, perPage: MAX_SELECTED }
  return findUsers(c.get('deps'), actorOf(c), { ids }, listing)
}

type Shown = Awaited<ReturnType<NonNullable<SelectedAction['asks']>['read']>>

/** The users whom an action fits, and the others; everybody, when it fits nobody. */
function fitting(
  act: SelectedAction,
  users: SelectedUser[],
): [fit: SelectedUser[], others: SelectedUser[]] {
  const fit = users.filter(act.fits)
  if (fit.length === 0) return [users, []]
  return [fit, users.filter((user) => !fit.includes(user))]
}

type SelectedUser = Awaited<ReturnType<typeof findUsers>>['users'][number]

interface SelectedProps {
  view: View
  selected: Selected
  users: SelectedUser[]
  /** The fields of the question. */
  asked: Shown | undefined
  fields: Fields
  list: string
  problem: Problem | undefined
}

function SelectedPage(props: SelectedProps) {
  const { view, selected, asked, fields, list, problem } = props
  const { name, act } = selected
  const t = view.t.adminUsers
  const [users, others] = fitting(act, props.users)
  const title = t.forSelected(act.label(view.t), users.length)
  return (
    <AccountPage view={view} title={title}>
      <Back href={listAddress(list)}>{t.backToList}</Back>
      <h1>{title}</h1>
      <article>
        <form method="post" action={selectedAddress(list)}>
          <Alert problem={problem} fields={[...(act.asks?.names ?? []), ...CONFIRM_FIELDS]} />
          {act.question !== undefined && <p>{act.question(view.t)}</p>}
          <ul class="chips field">
            {users.map(({ id, username }) => (
              <li>
                {username}
                <input type="hidden" name={`user-${id}`} value="on" />
              </li>
            ))}
          </ul>
          {others.length > 0 && (
            <p class="hint">
              {t.leftOut(others.map(({ username }) => username).join(view.t.listSeparator))}
            </p>
          )}
          {asked?.({ view, fields, problem })}
          <input type="hidden" name="do" value={name} />
          <input type="hidden" name="sure" value="true" />
          <ConfirmFields view={view} form="selected" problem={problem} />
          <p class="buttons">
            <button class={act.isDangerous === true ? 'danger' : undefined}>{title}</button>
            <a role="button" class="secondary" href={listAddress(list)}>
              {view.t.cancel}
            </a>
          </p>
        </form>
      </article>
    </AccountPage>
  )
}

/** Says for whom it was refused, and why. */
async function showResults(
  c: AppContext,
  refused: readonly { id: number; refusal?: Refusal }[],
  fields: Fields,
) {
  const view = await adminView(c)
  const { act, ids } = await selectedIn(c, fields)
  const { users } = await findSelected(
    c,
    refused.map(({ id }) => id),
  )
  const names = new Map(users.map(({ id, username }) => [id, username]))
  const list = listOf(c)
  const t = view.t.adminUsers
  return showPage(
    c,
    <AccountPage view={view} title={act.label(view.t)}>
      <h1>{act.label(view.t)}</h1>
      <p role="status">{t.doneFor(ids.length - refused.length, ids.length)}</p>
      <Rows
        rows={refused.map(({ id, refusal }) => (
          <Row
            icon="users"
            tone="amber"
            title={<a href={userAddress(id, list)}>{names.get(id) ?? `#${id}`}</a>}
          >
            <p class="facts">{refusal ? problemOf(view.t, refusal).message : t.notYourself}</p>
          </Row>
        ))}
        none={<></>}
      />
      <p class="aside">
        <a href={listAddress(list)}>{t.backToList}</a>
      </p>
    </AccountPage>,
  )
}

interface SelectionProps {
  view: View
  actions: Actions
  users: Parameters<SelectedAction['fits']>[0][]
  list: string
}

/** The buttons for the users whose boxes (`Pick`) are checked. */
export function Selection({ view, actions, users, list }: SelectionProps) {
  const offered = Object.entries(actions).filter(([, { fits }]) => users.some(fits))
  if (offered.length === 0) return <></>
  const [before, after] = view.t.adminUsers.selected
  return (
    <form id="selected" class="wide buttons selection" method="post" action={selectedAddress(list)}>
      <span>
        {before} <b class="picked" /> {after}
      </span>
      {offered.map(([name, { label, isDangerous = false }]) => (
        <button name="do" value={name} class={isDangerous ? 'secondary danger' : 'secondary'}>
          {label(view.t)}
        </button>
      ))}
    </form>
  )
}

/** Selects a user of the list; nothing for the user who looks at it. */
export function Pick({ view, user }: { view: View; user: { id: number; username: string } }) {
  if (user.id === view.account?.id) return <span class="pick" />
  return (
    <label class="pick">
      <input
        type="checkbox"
        form="selected"
        name={`user-${user.id}`}
        aria-label={view.t.adminUsers.select(user.username)}
      />
    </label>
  )
}

/** Selects everybody on the page. Only the script shows it. */
export function PickAll({ view, isNamed = false }: { view: View; isNamed?: boolean }) {
  const label = view.t.adminUsers.selectAll
  return (
    <label class={isNamed ? 'all' : 'pick'} data-all="selected" hidden>
      <input type="checkbox" aria-label={isNamed ? undefined : label} /> {isNamed && label}
    </label>
  )
}
