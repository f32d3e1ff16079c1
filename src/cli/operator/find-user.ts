import { Refusal } from '../../base/refusals.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import type { Account } from '../../accounts/accounts.ts'
import { findUser, getUser, listNamesLike } from '../../users/manage-users.ts'
import { CommandError } from '../command-error.ts'
import { nearest } from './edit-distance.ts'
import type { Site } from '../site.ts'

/** The help text of the argument `<user>`. */
export const USER_ARGUMENT = "a user name, or '#7' for the user with the id 7"

/** The number of typing mistakes allowed in a name: one per three letters, and at least two. */
const MIN_SLACK = 2
const LETTERS_PER_MISTAKE = 3

/** @throws {CommandError} When there is no such user; the message suggests a similar name. */
export async function lookUpUser(site: Site, name: string): Promise<Account> {
  const [, id] = /^#(\d{1,15})$/.exec(name) ?? []
  if (id !== undefined) return getUserById(site, Number(id))
  const user = await findUser(site, COMMAND_LINE, name)
  if (user !== undefined) return user
  const slack = Math.max(MIN_SLACK, Math.floor(name.length / LETTERS_PER_MISTAKE))
  const meant = nearest(name, await listNamesLike(site, COMMAND_LINE, name, slack), slack)
  const hint = meant === undefined ? 'latchkey user list shows all.' : `did you mean "${meant}"?`
  throw new CommandError(`There is no user "${name}": ${hint}`)
}

async function getUserById(site: Site, id: number): Promise<Account> {
  try {
    return await getUser(site, COMMAND_LINE, id)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 404) throw error
    throw new CommandError(`There is no user with the id ${id}: latchkey user list shows all.`)
  }
}
