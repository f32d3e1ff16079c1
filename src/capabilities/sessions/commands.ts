import { COMMAND_LINE } from '../../core/access/operators.ts'
import { of } from '../../core/access/subject.ts'
import { endEverySession, endEverything, endSession, listSessions } from './manage.ts'
import { sessionRecord } from './record.ts'
import { UsageError } from '../../programs/kit/command-error.ts'
import { takes } from '../../programs/kit/declaration.ts'
import { OPTIONAL_USER, USER } from '../../programs/site/find-user.ts'
import type { OfUser } from '../../programs/site/in-programs.ts'
import { onSite } from '../../programs/site/on-site.ts'

const COLUMNS = ['id', 'created_time', 'expires_time', 'network', 'user_agent']

const list = onSite({
  about: 'lists the sessions of a user, the latest first',
  zh: '列出用户的登录设备，最近的在前',
  takes: { user: USER },
  examples: ['session list alice'],
  async run(site, { user }, { output }) {
    const { sessions: listed } = await listSessions(site, of(COMMAND_LINE, user.id))
    const content = listed.map(sessionRecord)
    output.list(COLUMNS, content, `${user.username} has no sessions.`)
  },
})

const end = onSite({
  about: 'ends sessions of a user, or of all users',
  zh: '退出某个用户或所有用户的登录设备',
  takes: {
    user: OPTIONAL_USER,
    // Not an argument: an id may begin with a hyphen.
    session: takes(
      '--session <id>',
      'only the session with this id, which session list shows',
      '只退出此 id 的设备（见 session list）',
    ),
    all: takes(
      '--all',
      'everything: all sessions of the user, and all app passwords',
      '全部：退出该用户的所有设备，并删除其应用专用密码',
    ),
    everyone: takes(
      '--everyone',
      'all sessions of all users, for example after a backup was restored',
      '退出所有用户的所有设备，例如在恢复备份之后',
    ),
  },
  examples: ['session end alice --all', 'session end --everyone'],
  before({ user, session, all, everyone }) {
    const isAlone = user === undefined && session === undefined && !all
    const isOne = user !== undefined && !everyone && all !== (session !== undefined)
    if (everyone ? !isAlone : !isOne)
      throw new UsageError(
        'Name the sessions: <user> with --session <id> or --all, or --everyone alone.',
      )
  },
  async run(site, { user, session }, { output }) {
    if (user === undefined) {
      const ended = await endEverySession(site, COMMAND_LINE)
      return output.done(`Ended ${countOf(ended)}: all users must sign in again.`, { ended })
    }
    const { id, username } = user
    if (session !== undefined) {
      await endSession(site, of(COMMAND_LINE, id), session)
      return output.done(`Ended 1 session of ${username}.`, { id, username, ended: 1 })
    }
    const ended = await endEverything(site, of(COMMAND_LINE, id))
    const tokens = ended.appPasswords
    output.done(
      `Ended ${countOf(ended.sessions)} of ${username}, and deleted ${tokens === 1 ? '1 app password' : `${tokens} app passwords`}.`,
      { id, username, ended: ended.sessions, deleted_tokens: tokens },
    )
  },
})

function countOf(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`
}

/** `latchkey session …`: lists and ends the sessions of users. */
export const sessionCommands = { list, end }

/** The sessions of a user, for the commands of the group `user`. */
export const ofUser: OfUser = {
  async shown(site, { id }) {
    const { sessions } = await listSessions(site, of(COMMAND_LINE, id))
    return { sessions: sessions.length }
  },
  async exported(site, { id }) {
    const { sessions } = await listSessions(site, of(COMMAND_LINE, id))
    return { sessions: sessions.map(sessionRecord) }
  },
}
