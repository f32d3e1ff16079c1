import type { Command } from 'commander'
import { COMMAND_LINE } from '../../access/operators.ts'
import { sessionRecord } from '../../sessions/record.ts'
import {
  endEverySession,
  endSessionOf,
  endSessionsOf,
  listSessionsOf,
} from '../../sessions/operator-sessions.ts'
import { UsageError } from '../command-error.ts'
import { lookUpUser, USER_ARGUMENT } from './find-user.ts'
import { onSite } from './on-site.ts'
import type { Output } from './output.ts'
import type { Site } from '../site.ts'

const COLUMNS = ['id', 'created_time', 'expires_time', 'network', 'user_agent']

/** `latchkey session list|end`: lists and ends the sessions of users. */
export function addSessionCommands(program: Command, session: Command): void {
  session
    .command('list')
    .argument('<user>', USER_ARGUMENT)
    .description('lists the sessions of a user, the latest first')
    .addHelpText('after', '\nExample:\n  latchkey session list alice')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const list = await listSessionsOf(site, COMMAND_LINE, id)
        output.list(
          COLUMNS,
          { content: list.map(sessionRecord), total: list.length },
          `${username} has no sessions.`,
        )
      }),
    )
  session
    .command('end')
    .argument('[user]', USER_ARGUMENT)
    .description('ends sessions of a user, or of all users')
    // Not an argument: an id may begin with a hyphen.
    .option('--session <id>', 'only the session with this id, which session list shows')
    .option('--all', 'all sessions of the user')
    .option('--everyone', 'all sessions of all users, for example after a backup was restored')
    .addHelpText('after', '\nExample:\n  latchkey session end alice --all')
    .action((name: string | undefined, { session: sessionId, ...options }: EndOptions) => {
      const { all = false, everyone = false } = options
      if (everyone && name === undefined && sessionId === undefined && !all) {
        return onSite(program, endEveryone)
      }
      if (name === undefined || everyone || all === (sessionId !== undefined)) {
        throw new UsageError(
          'Name the sessions: <user> with --session <id> or --all, or --everyone alone.',
        )
      }
      return onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const ended =
          sessionId === undefined
            ? await endSessionsOf(site, COMMAND_LINE, id)
            : await endSessionOf(site, COMMAND_LINE, id, sessionId).then(() => 1)
        output.done(`Ended ${sessions(ended)} of ${username}.`, { id, username, ended })
      })
    })
}

interface EndOptions {
  session?: string
  all?: boolean
  everyone?: boolean
}

async function endEveryone(site: Site, output: Output): Promise<void> {
  const ended = await endEverySession(site, COMMAND_LINE)
  output.done(`Ended ${sessions(ended)}: all users must sign in again.`, { ended })
}

function sessions(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}
