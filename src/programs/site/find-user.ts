import { Refusal } from '../../core/base/refusals.ts'
import { COMMAND_LINE } from '../../core/access/operators.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { selectSameName } from '../../core/accounts/store.ts'
import { findUser, getUser, listNamesLike } from '../../capabilities/users/find-users.ts'
import { CommandError, explained } from '../kit/command-error.ts'
import { takes } from '../kit/declaration.ts'
import type { Text } from '../kit/help.ts'
import { nearest } from '../kit/edit-distance.ts'
import { sought } from './on-site.ts'
import type { Site } from './site.ts'
import { latchkey } from '../kit/printed-command.ts'

/** The help text of a user. */
export const USER_TEXT: Text = [
  "a user name, or '#7' for the user with the id 7",
  "用户名，或用 '#7' 表示 id 为 7 的用户",
]

/** The argument `<user>`. */
export const USER = sought(takes('<user>', ...USER_TEXT), lookUpUser)

/** The argument `[user]`. */
export const OPTIONAL_USER = sought(takes('[user]', ...USER_TEXT), async (site, name) =>
  name === undefined ? undefined : lookUpUser(site, name),
)

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
  const hint =
    meant === undefined ? `${latchkey('user', 'list')} shows all.` : `did you mean "${meant}"?`
  throw new CommandError(`There is no user "${name}": ${hint}`)
}

/**
 * Runs a command that gives a name to a user, and names the other user when the name is taken.
 *
 * @param userId The user who gets the name; 0 for a new user.
 * @throws {CommandError} When the name is taken.
 */
export async function withNameExplained<Result>(
  site: Site,
  name: string,
  userId: number,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'nameReserved')
      throw new CommandError(
        `The name "${name}" belonged to another account. To free it: ${latchkey('reserved-name', 'release', name)}`,
      )
    if (!(error instanceof Refusal) || error.refusal !== 'usernameTaken') throw error
    const [owner] = await selectSameName(site.db, name, userId)
    if (owner === undefined) throw error
    const { username } = await getUser(site, COMMAND_LINE, owner.id)
    throw new CommandError(
      username === name
        ? `There is a user "${name}" already: nothing was changed.`
        : `There is a user "${username}" already, and "${name}" ${differenceOf(name, username)}: nothing was changed.`,
    )
  }
}

/** Says how a name differs from another name with the same key. */
function differenceOf(name: string, taken: string): string {
  return name.toLowerCase() === taken.toLowerCase()
    ? 'differs only in upper and lower case'
    : 'looks the same'
}

function getUserById(site: Site, id: number): Promise<Account> {
  return explained(getUser(site, COMMAND_LINE, id), {
    userNotFound: `There is no user with the id ${id}: ${latchkey('user', 'list')} shows all.`,
  })
}
