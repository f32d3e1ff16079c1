import type { PartOfUser, UserPage } from '../../../../web/kit/part-of-user.ts'
import type { StoredPasskey } from '../../../passkeys/store.ts'
import type { Account } from '../../../../core/accounts/accounts.ts'
import type { Details } from '../../details.ts'
import type { Stop } from '../../../../core/throttle/stops.ts'
import type { ListedEvent } from '../../../activity/pages/event-text.ts'
import type { ShownRefused } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { userAddress } from './user-address.ts'

/** The forms of a user's page, by the last segment of their path. */
export type UserForm =
  | 'change'
  | 'details'
  | 'password'
  | 'unlock'
  | 'cancel-two-factor'
  | 'end-sessions'
  | 'disable'
  | 'enable'
  | 'delete'

type TellFact = Awaited<ReturnType<NonNullable<PartOfUser['fact']>>>
type ShowSection = Awaited<ReturnType<NonNullable<PartOfUser['section']>>>

export interface UserProps {
  view: View
  user: Account
  details: Details
  passkeys: StoredPasskey[]
  /** When the user was last seen, and the sign-ins of this week. */
  use: { lastSeenAt: number | null; signIns: number } | undefined
  /**
   * The sections of capabilities about the user's access, their facts about the user, and the names
   * of their forms.
   */
  sections: { show: ShowSection | undefined; tell: TellFact | undefined; forms: string[] }[]
  /** The parts of capabilities on the page. */
  parts: readonly PartOfUser[]
  /** The latest events. */
  events: ListedEvent[]
  /** The present blocks of the user. */
  stops: Stop[]
  /** Disabling or deleting this admin is refused. */
  isLastAdmin: boolean
  /** Programs sign users in here, and know them by their names. */
  hasPrograms: boolean
  /** The list that the operator came from: the query of its address, or empty. */
  list: string
  refused: ShownRefused | undefined
}

/** Returns the path that a form of a user's page posts to; the way back stays in it. */
export function userAction({ user, list }: Pick<UserProps, 'user' | 'list'>, form: string) {
  return userAddress(user.id, list, `/${form}`)
}

/** Returns the page for what capabilities add to it. */
export function pageFor(props: Pick<UserProps, 'view' | 'user' | 'list' | 'refused'>): UserPage {
  const { view, user, refused } = props
  return { view, user, action: (form) => userAction(props, form), refused }
}
