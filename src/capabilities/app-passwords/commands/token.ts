import { InvalidArgumentError } from 'commander'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { scopesText } from '../../../core/access/scopes.ts'
import {
  createAppPassword,
  deleteAppPassword,
  listAppPasswords,
  listStaleAppPasswords,
  UNUSED_DAYS,
} from '../app-passwords.ts'
import { appPasswordNameSchema, scopeSchema } from '../fields.ts'
import { introspectAsOperator } from '../introspection.ts'
import { appPasswordRecords } from '../record.ts'
import { explained, UsageError } from '../../../programs/kit/command-error.ts'
import { repeated, required, takes } from '../../../programs/kit/declaration.ts'
import { parseId } from '../../../programs/kit/paging.ts'
import { readDays } from '../../../programs/kit/days.ts'
import { parsed } from '../../../programs/kit/parsed.ts'
import { readLine } from '../../../programs/kit/standard-input.ts'
import { CAPABILITIES } from '../../../programs/site/capabilities.ts'
import { OPTIONAL_USER, USER } from '../../../programs/site/find-user.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { DAY_MILLISECONDS } from '../../../core/base/time.ts'

const COLUMNS = ['id', 'name', 'scopes', 'expires_at', 'last_used_at', 'last_network']
const MAX_DAYS = 36_500

const list = onSite({
  about: 'lists the app passwords of a user; the passwords themselves are not stored',
  zh: '列出用户的应用专用密码；密码本身不会保存',
  takes: {
    user: OPTIONAL_USER,
    stale: takes(
      '--stale',
      `those of all users that never expire, or that nobody used for ${UNUSED_DAYS} days`,
      `所有用户中永不过期或 ${UNUSED_DAYS} 天未使用的应用专用密码`,
    ),
  },
  examples: ['token list alice', 'token list --stale'],
  before({ user, stale }) {
    if (stale === (user !== undefined)) throw new UsageError('Name a user, or --stale alone.')
  },
  async run(site, { user }, { output }) {
    if (user === undefined) {
      const stale = await listStaleAppPasswords(site, COMMAND_LINE)
      const content = appPasswordRecords(stale).map((record, index) => ({
        username: stale[index]?.username ?? '',
        ...record,
      }))
      return output.list(['username', ...COLUMNS], content, 'There are none.')
    }
    const content = appPasswordRecords(await listAppPasswords(site, of(COMMAND_LINE, user.id)))
    output.list(COLUMNS, content, `${user.username} has no app passwords.`)
  },
})

const create = onSite({
  about: 'creates an app password and prints it, only once',
  zh: '新建应用专用密码，只显示一次',
  takes: {
    user: USER,
    name: required(
      takes(
        '--name <name>',
        'a name, such as the app',
        '名称，例如应用名',
        parsed(appPasswordNameSchema),
      ),
    ),
    scopes: required(
      repeated(
        '--scope <scope>',
        'files:read, files:write, account:read, account:write or admin; can be repeated',
        'files:read、files:write、account:read、account:write 或 admin；可以写多次',
        parsed(scopeSchema),
      ),
    ),
    days: takes(
      '--expires <time>',
      'when it ends: 90d, or never (default: 365d)',
      '何时到期：90d，或 never（默认：365d）',
      parseDays,
    ),
  },
  examples: ['token create alice --name rclone --scope files:read --expires 90d'],
  async run(site, { user: { id, username }, name, scopes, days }, { output }) {
    const request = { name, scopes: scopesText(scopes), expiresAt: expiryOf(days, site.now()) }
    const created = await explained(createAppPassword(site, of(COMMAND_LINE, id), request), {
      notAdmin: `${username} is not an admin, so --scope admin is not possible.`,
      accountDisabled: `${username} is disabled: enable the account first.`,
      tokenNameTaken: `${username} has an app password "${name}" already: delete it first.`,
    })
    // The app password alone, so that a script can use the output.
    output.done(created.token, { username, name, ...created })
  },
})

function expiryOf(days: number | 'never' | undefined, now: number): number | null | undefined {
  if (days === 'never') return null
  return days === undefined ? undefined : now + days * DAY_MILLISECONDS
}

/** @returns A number of days, or `never`: commander would replace null. */
function parseDays(text: string): number | 'never' {
  if (text === 'never') return text
  const days = readDays(text, MAX_DAYS)
  if (days !== undefined) return days
  throw new InvalidArgumentError('It must be a number of days such as 90d, or never.')
}

const remove = onSite({
  about: 'deletes an app password of a user; it stops working at once',
  zh: '删除用户的应用专用密码，立即失效',
  takes: {
    user: USER,
    id: takes('<id>', 'the id that token list shows', '编号（见 token list）', parseId),
  },
  examples: ['token delete alice 3'],
  async run(site, { user, id }, { output }) {
    const { username } = user
    await deleteAppPassword(site, of(COMMAND_LINE, user.id), id)
    output.done(`Deleted app password ${id} of ${username}.`, { id, username })
  },
})

const introspect = onSite({
  about:
    'says what a server learns about a token: reads an app password or the token of a session from standard input',
  zh: '显示服务器能得知的令牌信息：从标准输入读取应用专用密码或登录令牌',
  examples: ['token introspect'],
  async run(site, _, { output }) {
    const text = (await readLine(process.stdin)).trim()
    const loads = CAPABILITIES.flatMap(({ readToken = [] }) => readToken)
    const readers = await Promise.all(loads.map((load) => load()))
    output.record(await introspectAsOperator(site, readers, COMMAND_LINE, text))
  },
})

/** `latchkey token …`: the app passwords of users. */
export const tokenCommands = { list, create, delete: remove, introspect }
