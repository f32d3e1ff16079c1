import type { Command } from 'commander'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { sessionRecord } from '../../../sessions/record.ts'
import {
  endEverySession,
  endSessionOf,
  endEverythingOf,
  listSessionsOf,
} from '../../../sessions/operator-sessions.ts'
import { UsageError } from '../../shared/command-error.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import type { Output } from '../../shared/output.ts'
import type { Site } from '../../site/site.ts'

const COLUMNS = ['id', 'created_time', 'expires_time', 'network', 'user_agent']

/** `latchkey session list|end`: lists and ends the sessions of users. */
export function addSessionCommands(program: Command, session: Command): void {
  addHelp(session.command('list'), { examples: ['session list alice'] })
    .argument('<user>', USER_ARGUMENT)
    .description('lists the sessions of a user, the latest first')
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
  addHelp(session.command('end'), {
    examples: ['session end alice --all', 'session end --everyone'],
  })
    .argument('[user]', USER_ARGUMENT)
    .description('ends sessions of a user, or of all users')
    // Not an argument: an id may begin with a hyphen.
    .option('--session <id>', 'only the session with this id, which session list shows')
    .option('--all', 'everything: all sessions of the user, and all app passwords')
    .option('--everyone', 'all sessions of all users, for example after a backup was restored')
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
        if (sessionId !== undefined) {
          await endSessionOf(site, COMMAND_LINE, id, sessionId)
          return output.done(`Ended 1 session of ${username}.`, { id, username, ended: 1 })
        }
        const ended = await endEverythingOf(site, COMMAND_LINE, id)
        const tokens = ended.appPasswords
        output.done(
          `Ended ${sessions(ended.sessions)} of ${username}, and deleted ${tokens === 1 ? '1 app password' : `${tokens} app passwords`}.`,
          { id, username, ended: ended.sessions, deleted_tokens: tokens },
        )
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
