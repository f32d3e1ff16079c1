import type { Child } from 'hono/jsx'
import type { Account } from '../../core/accounts/accounts.ts'
import type { SharedBatch } from '../../core/database/shared-batch.ts'
import type { Deps } from '../../core/deps.ts'
import type { AppContext } from '../http/context.ts'
import type { Action } from './action.ts'
import type { Fields, Problem, ShownRefused } from './form.ts'
import type { FoldProps } from './rows.tsx'
import type { Texts } from './texts.ts'
import type { View } from './view.ts'

/**
 * Reads something of a user for a page.
 *
 * @param batch Gets the statements before the function waits for anything. Its owner checks who
 *   reads.
 */
type Read<Found> = (
  deps: Pick<Deps, 'db' | 'now'>,
  userId: number,
  batch: SharedBatch,
) => Promise<Found>

/** A thing as a list shows it. */
interface RemainingRow {
  name: string
  facts: Child
}

/** Things of one kind that still give access after a new password, or are told of it. */
export interface Remaining {
  title: (t: Texts) => string
  /** They give access only by what is mailed there. Such kinds stand last. */
  isByMail?: boolean
  /** Where their user deletes them. */
  page: string
  /** @param ofOther For an operator: the account is another user's. */
  rows: readonly ((view: View, ofOther: boolean) => RemainingRow)[]
}

/** The page of a user, for operators. */
export interface UserPage {
  view: View
  user: Account
  /** Returns the address of a form on the page. */
  action: (form: string) => string
  refused: ShownRefused | undefined
}

/** A section of the page of a user; it is open after a refusal of one of its forms. */
interface SectionOfUser extends Omit<FoldProps, 'open'> {
  content: Child
}

/** What administrators do with the users whom they have selected in the list. */
interface AnySelectedAction {
  /** On the button in the list. */
  label: (t: Texts) => string
  /** Says what it does, before it is done; without it, the button does it at once. */
  question?: (t: Texts) => string
  isDangerous?: boolean
  /** Whether a user of the list may be meant. The change itself decides. */
  fits: (user: Account & { waiting: boolean }) => boolean
}

interface ActionOnEach extends AnySelectedAction {
  /** Changes one user, with every condition of the form on that user's page. */
  run: (c: AppContext, userId: number) => Promise<unknown>
  asks?: undefined
}

/** The fields of a question, after a refusal with what was entered. */
interface AskedFields {
  view: View
  fields: Fields
  problem: Problem | undefined
}

interface ActionOnAll extends AnySelectedAction {
  question: (t: Texts) => string
  /** What its question asks for. */
  asks: {
    names: readonly string[]
    read: (c: AppContext) => Promise<(asked: AskedFields) => Child>
  }
  /** Changes all users or none, and returns the page to which it leads. */
  runAll: (c: AppContext, userIds: readonly number[], fields: Fields) => Promise<Response>
}

export type SelectedAction = ActionOnEach | ActionOnAll

/** The page Security. */
export interface SecurityPart {
  view: View
  refused: ShownRefused | undefined
}

/** The parts of a capability about a user on pages of others. */
export interface PartOfUser {
  /** After a new password. */
  remaining?: Read<Remaining>
  /** What a new password ends, listed where users check what opens their account. */
  connected?: Read<Remaining>
  /** Among the facts at the beginning of the page of a user, for operators. */
  fact?: Read<(view: View) => Child>
  /** On the page of a user, for operators; `undefined` where there is nothing to show. */
  section?: Read<(page: UserPage) => SectionOfUser | undefined>
  /** Its forms on that page, by the last segment of their address. */
  forms?: Readonly<Record<string, Action>>
  /** A form that helps to sign in again, on the page of a user. Its name is one of `forms`. */
  help?: (page: UserPage) => Child
  /** Decides about a user who waits for an approval: on that page, and in the list of users. */
  decisions?: (page: UserPage) => Child
  /** What is done with selected users, by the value of its button. */
  selected?: Readonly<Record<string, SelectedAction>>
  /** On the page Security. */
  security?: Read<(page: SecurityPart) => Child>
}
