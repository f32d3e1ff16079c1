import type { Command } from 'commander'
import { COMMAND_LINE } from '../tokens/operators.ts'
import { sessionRecord } from '../tokens/routes.ts'
import { endSessionOf, endSessionsOf, listSessionsOf } from '../tokens/user-sessions.ts'
import { UsageError } from './command-error.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'

const COLUMNS = ['id', 'created_time', 'expires_time', 'network', 'user_agent']

/** `latchkey session list|end`: where users are signed in. */
export function addSessionCommands(program: Command, session: Command): void {
  session
    .command('list')
    .argument('<user>', USER_ARGUMENT)
    .description('shows where a user is signed in, the latest first')
    .addHelpText('after', '\nExample:\n  latchkey session list alice')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id } = await lookUpUser(site, name)
        const sessions = await listSessionsOf(site, COMMAND_LINE, id)
        output.list(COLUMNS, { content: sessions.map(sessionRecord), total: sessions.length })
      }),
    )
  session
    .command('end')
    .argument('<user>', USER_ARGUMENT)
    .description('signs a user out')
    // Not an argument: an id may begin with a hyphen.
    .option('--session <id>', 'the one with this id, as session list shows it')
    .option('--all', 'everywhere')
    .addHelpText('after', '\nExample:\n  latchkey session end alice --all')
    .action((name: string, { session: sessionId, all = false }: EndOptions) =>
      onSite(program, async (site, output) => {
        if (all === (sessionId !== undefined)) {
          throw new UsageError('Say which: either --session <id> or --all.')
        }
        const { id, username } = await lookUpUser(site, name)
        const ended =
          sessionId === undefined
            ? await endSessionsOf(site, COMMAND_LINE, id)
            : await endSessionOf(site, COMMAND_LINE, id, sessionId).then(() => 1)
        const sessions = ended === 1 ? '1 session' : `${ended} sessions`
        output.done(`Ended ${sessions} of ${username}.`, { id, username, ended })
      }),
    )
}

interface EndOptions {
  session?: string
  all?: boolean
}
