import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { Refusal } from '../../../base/refusals.ts'
import { visible } from '../../../base/text.ts'
import { type ListedIdentity, listIdentitiesOf, unlinkIdentityOf } from '../../../sso/manage.ts'
import { operatorIdentityRecord } from '../../../sso/record.ts'
import { CommandError } from '../../shared/command-error.ts'
import { confirm, needTerminal } from '../../shared/confirm.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'

const COLUMNS = ['subject', 'name', 'platform', 'issuer', 'linked_at', 'linked_by', 'last_used_at']

/** `latchkey identity list|delete`: the linked accounts of users at identity providers. */
export function addIdentityCommands(program: Command, identity: Command): void {
  addListCommand(program, identity)
  addDeleteCommand(program, identity)
}

function addListCommand(program: Command, identity: Command): void {
  addHelp(identity.command('list'), { examples: ['identity list alice'] })
    .argument('<user>', USER_ARGUMENT)
    .description('lists the accounts at identity providers that a user is linked with')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const content = (await listIdentitiesOf(site, COMMAND_LINE, id)).map(operatorIdentityRecord)
        const page = { content, total: content.length }
        output.list(COLUMNS, page, `${username} has no linked accounts.`)
      }),
    )
}

const DELETE_NOTES =
  'The command asks before it unlinks the only way in of a user, who then can not sign in until user password\nsets a password. Sessions that were begun with the account stay: session end ends them.'

interface DeleteOptions {
  issuer?: string
  yes?: boolean
}

function addDeleteCommand(program: Command, identity: Command): void {
  addHelp(identity.command('delete'), {
    notes: DELETE_NOTES,
    examples: [
      'identity delete alice 583231',
      'identity delete alice 583231 --issuer https://github.com/login/oauth',
    ],
  })
    .argument('<user>', USER_ARGUMENT)
    .argument('<subject>', 'the id at the provider, as identity list shows it')
    .description('unlinks an account of a user, who can no longer sign in with it')
    .option('--issuer <address>', 'the provider, when two have the same id for the user')
    .option('--yes', 'do not ask')
    .action((name: string, subject: string, { issuer, yes = false }: DeleteOptions) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const identities = await listIdentitiesOf(site, COMMAND_LINE, id)
        const meant = findMeant(identities, subject, issuer, { id, username })
        if (meant.isLastWayIn && !yes) {
          needTerminal()
          await confirm(`It is the only way in of ${username}. Unlink it?`)
        }
        await unlinkIdentityOf(site, COMMAND_LINE, id, meant, meant.isLastWayIn).catch(explain)
        const shown = visible(meant.name || meant.subject)
        const hint = meant.isLastWayIn
          ? ` ${username} can not sign in: ${latchkey('user', 'password', userWord({ id, username }))}`
          : ''
        const done = `Unlinked "${shown}" at ${meant.platform} from ${username}.${hint}`
        output.done(done, { issuer: meant.issuer, subject: meant.subject, username })
      }),
    )
}

/** @throws {CommandError} When no identity fits, or several do. */
function findMeant(
  identities: readonly ListedIdentity[],
  subject: string,
  issuer: string | undefined,
  user: { id: number; username: string },
): ListedIdentity {
  const [meant, another] = identities.filter(
    (one) => one.subject === subject && (issuer === undefined || one.issuer === issuer),
  )
  if (meant === undefined)
    throw new CommandError(
      `${user.username} has no linked account with this id, see: ${latchkey('identity', 'list', userWord(user))}`,
    )
  if (another === undefined) return meant
  throw new CommandError(`${user.username} has this id at several providers: add --issuer.`)
}

/** The password or the passkey of the user has gone since the list was read. */
function explain(error: unknown): never {
  if (error instanceof Refusal && error.refusal === 'lastWayInOf')
    throw new CommandError('It has just become the only way in of the user: run this again.')
  throw error
}
