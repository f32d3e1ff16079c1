import * as v from 'valibot'
import { reason } from '../../../../core/base/reasons.ts'
import { maxCharacters, possiblyEmptyText } from '../../../../core/base/text.ts'
import { userIdOf } from '../../../../web/kit/admin/user-of-page.ts'
import type { UndoSlot } from '../../../../core/access/undo-slot.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { pageQuery } from '../../../../web/http/input.ts'
import { type DoneNotice, goTo } from '../../../../web/kit/view.ts'
import { USER_GROUPS, USER_ORDERS, type UserOrder } from '../../list-store.ts'

export const USERS_PATH = '/account/admin/users'
const MAX_SEARCH_CHARACTERS = 255

/** The fields of the search; an empty one matches every user. */
export interface UserSearch {
  /** See `UserFilter`. */
  search: string
  group: '' | (typeof USER_GROUPS)[number]
  sort: UserOrder
}

/** The query of the list. */
export const listQuery = v.object({
  page: pageQuery.entries.page,
  search: v.pipe(v.optional(possiblyEmptyText(), ''), maxCharacters(MAX_SEARCH_CHARACTERS)),
  group: v.optional(v.picklist(['', ...USER_GROUPS], reason('userGroup')), ''),
  sort: v.optional(v.picklist(USER_ORDERS, reason('userOrder')), 'made'),
})

/** Returns the address of a page of the list. */
export function usersAddress({ search, group, sort }: UserSearch, page = 1): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(group !== '' && { group }),
    ...(sort !== 'made' && { sort }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size === 0 ? USERS_PATH : `${USERS_PATH}?${String(query)}`
}

/**
 * Returns the address of a user's page, or of a form on it.
 *
 * @param list The query of the list that the page leads back to, or empty.
 */
export function userAddress(id: number, list: string, form = ''): string {
  return under(`${id}${form}`, list)
}

/** Returns the address of the form of selected users. */
export function selectedAddress(list: string): string {
  return under('selected', list)
}

/** The way back to the list stays in the address. */
function under(path: string, list: string): string {
  const back = list === '' ? '' : `?${String(new URLSearchParams({ list }))}`
  return `${USERS_PATH}/${path}${back}`
}

/** Returns the address of the list with a query, or without one. */
export function listAddress(list: string): string {
  return list === '' ? USERS_PATH : `${USERS_PATH}?${list}`
}

/** Reads the query of the list that the user's page leads back to; anything else is dropped. */
export function listOf(c: AppContext): string {
  const given = Object.fromEntries(new URLSearchParams(c.req.query('list')))
  const parsed = v.safeParse(listQuery, given)
  if (!parsed.success) return ''
  const { page, ...fields } = parsed.output
  return usersAddress(fields, page).split('?')[1] ?? ''
}

/** Returns the address of the user's page to which a form belongs. */
export function userPageOf(c: AppContext): string {
  return userAddress(userIdOf(c), listOf(c))
}

/** Leads to the list, so that an operator who goes through people goes on with the next one. */
export function goToList(c: AppContext, notice: DoneNotice, undo?: UndoSlot) {
  return goTo(c, listAddress(listOf(c)), notice, undo)
}
