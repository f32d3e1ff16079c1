import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { listPasskeysOf, removePasskeyOf } from '../../../passkeys/manage.ts'
import { operatorPasskeyRecord } from '../../../passkeys/record.ts'
import { visible } from '../../../base/text.ts'
import { CommandError } from '../../shared/command-error.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

const COLUMNS = ['id', 'name', 'created_at', 'last_used_at', 'rp_id', 'backed_up']

/** `latchkey passkey list|delete`: the passkeys of users. */
export function addPasskeyCommands(program: Command, passkey: Command): void {
  addListCommand(program, passkey)
  addDeleteCommand(program, passkey)
}

function addListCommand(program: Command, passkey: Command): void {
  addHelp(passkey.command('list'), { examples: ['passkey list alice'] })
    .argument('<user>', USER_ARGUMENT)
    .description('lists the passkeys of a user')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const content = (await listPasskeysOf(site, COMMAND_LINE, id)).map(operatorPasskeyRecord)
        const page = { content, total: content.length }
        output.list(COLUMNS, page, `${username} has no passkeys.`)
      }),
    )
}

const DELETE_NOTES = 'Sessions that were begun with the passkey stay: session end ends them.'

function addDeleteCommand(program: Command, passkey: Command): void {
  addHelp(passkey.command('delete'), {
    notes: DELETE_NOTES,
    examples: ["passkey delete alice 'q83vEjRWeJA='", 'passkey delete alice q83v'],
  })
    .argument('<user>', USER_ARGUMENT)
    .argument('<id>', 'the id of the passkey, as passkey list shows it, or its beginning')
    .description('deletes a passkey of a user, who can no longer sign in with it')
    .action((name: string, beginning: string) =>
      onSite(program, async (site, output) => {
        const { id: userId, username } = await lookUpUser(site, name)
        const passkeys = (await listPasskeysOf(site, COMMAND_LINE, userId)).map(
          operatorPasskeyRecord,
        )
        const { id, name: passkeyName } = findMeant(passkeys, beginning, {
          id: userId,
          username,
        })
        await removePasskeyOf(site, COMMAND_LINE, userId, id)
        const done = `Deleted passkey "${visible(passkeyName)}" of ${username}.`
        output.done(done, { id, name: passkeyName, username })
      }),
    )
}

/**
 * Finds a passkey by its id or the beginning of its id. Ids can have over a thousand characters, of
 * which a list shows the first.
 *
 * @throws {CommandError} When no passkey fits, or several do.
 */
function findMeant<Passkey extends { id: string }>(
  passkeys: readonly Passkey[],
  beginning: string,
  user: { id: number; username: string },
): Passkey {
  const start = beginning.replace(/…$/, '')
  const [meant, another] = passkeys.filter(({ id }) => start !== '' && id.startsWith(start))
  if (meant === undefined)
    throw new CommandError(
      `${user.username} has no passkey with this id, see: ${latchkey('passkey', 'list', userWord(user))}`,
    )
  if (another === undefined || meant.id === start) return meant
  throw new CommandError(
    `Several passkeys of ${user.username} have an id that begins with ${start}: give more of it.`,
  )
}
