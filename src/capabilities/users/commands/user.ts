import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { DAY_MILLISECONDS, isoTime, isoTimeOrNull } from '../../../core/base/time.ts'
import { readDetails } from '../details.ts'
import { detailsRecord } from '../record.ts'
import { findUsers, listUsers } from '../find-users.ts'
import { changeUser, removeUser } from '../manage-users.ts'
import { USER_GROUPS, type UserGroup } from '../list-store.ts'
import { listStops, unlockUser } from '../unlock.ts'
import { confirm, needTerminal, YES } from '../../../programs/kit/confirm.ts'
import { daysUpTo } from '../../../programs/kit/days.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { PAGE } from '../../../programs/kit/paging.ts'
import { permissionNames } from '../../../programs/kit/permission.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { mergedParts } from './parts-of-user.ts'
import { exportUser, whatStays } from './user-export.ts'
import { addUser, setUser } from './user-fields.ts'
import { setPassword } from './user-password.ts'
import { fullUserRecord, stopRecord, stopText, userText } from './user-text.ts'

const COLUMNS = ['id', 'username', 'role', 'permission', 'base_path', 'second_factor', 'disabled']
const LOCKED_COLUMNS = ['id', 'username', 'locked']
const WAITING_COLUMNS = ['id', 'username', 'registered_at', 'network']
const MAX_DAYS = 9999

const list = onSite({
  about: 'lists users; several conditions together narrow the list',
  zh: '列出用户；可以同时使用多个条件',
  takes: {
    ...PAGE,
    search: takes(
      '--search <text>',
      'only users whose name or e-mail address contains this, or who came from this network',
      '只列出名称或邮箱包含此文字，或来自此网络的用户',
    ),
    admins: takes('--admins', 'only admins', '只列出管理员'),
    disabled: takes('--disabled', 'only disabled users', '只列出已停用的用户'),
    without2fa: takes(
      '--without-2fa',
      'only users without a second factor: authenticator app or passkey',
      '只列出没有第二验证因素（验证器应用或通行密钥）的用户',
    ),
    waiting: takes(
      '--waiting',
      'only users who have registered and wait for an approval',
      '只列出已注册、等待批准的用户',
    ),
    locked: takes(
      '--locked',
      'only users to whom something is refused after too many wrong attempts, and what',
      '只列出因错误尝试过多而被锁定的用户，以及锁定的内容',
    ),
    endingDays: takes(
      '--ending <days>',
      'only users whose account ends within so many days, such as 14d',
      '只列出在此天数内到期的用户，例如 14d',
      daysUpTo(MAX_DAYS, '14d'),
    ),
  },
  examples: [
    'user list --search ali',
    'user list --admins --without-2fa',
    'user list --waiting',
    'user list --locked',
    'user list --ending 14d',
  ],
  async run(site, { page, limit, search, waiting, locked, endingDays, ...flags }, { output }) {
    const { admins, disabled, without2fa } = flags
    const wanted: Record<UserGroup, boolean> = {
      admins,
      disabled,
      'without-two-factor': without2fa,
      waiting,
      locked,
      ending: false,
    }
    const groups = USER_GROUPS.filter((group) => wanted[group])
    const now = site.now()
    const listing = { page, perPage: limit }
    const filter = {
      ...(search !== undefined && { search }),
      groups,
      ...(endingDays !== undefined && {
        ending: { from: now, until: now + endingDays * DAY_MILLISECONDS },
      }),
    }
    if (waiting) {
      const { users, total } = await findUsers(site, COMMAND_LINE, filter, listing)
      const content = users.map((user) => ({
        ...fullUserRecord(user),
        registered_at: isoTime(user.registeredAt),
        network: user.registeredNetwork,
      }))
      output.list(WAITING_COLUMNS, { content, total }, 'Nobody waits.')
      return
    }
    if (locked) {
      const { users, total } = await findUsers(site, COMMAND_LINE, filter, listing)
      const content = users.map((user) => ({
        ...fullUserRecord(user),
        locked: user.stops.map(stopRecord),
      }))
      const texts = users.map((user) => ({
        ...userText(user),
        locked: user.stops.map(stopText).join(', '),
      }))
      output.list(LOCKED_COLUMNS, { content, total }, 'Nobody is locked.', texts)
      return
    }
    const { users, total } = await listUsers(site, COMMAND_LINE, page, limit, filter)
    const content = users.map((user) => ({
      ...fullUserRecord(user),
      ends_at: isoTimeOrNull(user.endsAt),
    }))
    const columns = endingDays === undefined ? COLUMNS : [...COLUMNS, 'ends_at']
    const texts = users.map((user) => ({ ...userText(user), ends_at: isoTimeOrNull(user.endsAt) }))
    output.list(columns, { content, total }, 'No users found.', texts)
  },
})

const show = onSite({
  about: 'shows all data of a user',
  zh: '显示用户的全部资料',
  takes: { account: USER },
  examples: ['user show alice', "user show '#3'"],
  async run(site, { account }, { output }) {
    const { details } = await readDetails(site, of(COMMAND_LINE, account.id))
    const stops = await listStops(site, COMMAND_LINE, account.id)
    const { email, email_verified, ends_at, waiting } = detailsRecord(details)
    const { registeredNetwork: network } = details
    const ofPerson = {
      email,
      email_verified,
      ends_at,
      waiting,
      created_at: isoTime(details.registeredAt),
      registered_from: network,
    }
    const parts = Object.entries(await mergedParts(({ shown }) => shown?.(site, account)))
    // Numbers first, then lists.
    const counts = Object.fromEntries(
      parts.toSorted(([, before], [, after]) => Number(isList(before)) - Number(isList(after))),
    )
    const permissions = permissionNames(account.permission)
    const locked = stops.map(stopRecord)
    const record = { ...fullUserRecord(account), ...ofPerson, permissions, ...counts, locked }
    const texts = { ...userText(account), ...ofPerson, sub: account.sub, ...counts }
    output.record(record, { ...texts, locked: stops.map(stopText) })
  },
})

const isList = (value: unknown) => Array.isArray(value)

const disable = onSite({
  about: 'disables a user, ends all sessions, and deletes all app passwords of the user for good',
  zh: '停用用户，退出该用户的所有设备，并永久删除其应用专用密码',
  takes: { user: USER },
  examples: ['user disable alice'],
  async run(site, { user: { id, username } }, { output }) {
    await changeUser(site, COMMAND_LINE, id, { disabled: true })
    const done = `Disabled ${username}; all sessions have ended, and the app passwords are deleted.`
    output.done(done, { id, username, disabled: true })
  },
})

const enable = onSite({
  about: 'enables a user who was disabled; deleted app passwords do not come back',
  zh: '重新启用已停用的用户；已删除的应用专用密码不会恢复',
  takes: { user: USER },
  examples: ['user enable alice'],
  async run(site, { user: { id, username } }, { output }) {
    await changeUser(site, COMMAND_LINE, id, { disabled: false })
    output.done(`Enabled ${username}.`, { id, username, disabled: false })
  },
})

const unlock = onSite({
  about: 'forgets the failed sign-ins of a user, so that the user can try again at once',
  zh: '解除锁定：清除用户的登录失败记录，用户可以立即重试',
  takes: { user: USER },
  notes: [
    'It also ends the blocks of the networks from which the user was stopped: see user show.',
    '同时解除该用户所在网络的锁定，见 user show。',
  ],
  examples: ['user unlock alice'],
  async run(site, { user: { id, username } }, { output }) {
    const counters = await unlockUser(site, COMMAND_LINE, id)
    const done = counters === 0 ? `${username} had no failed sign-ins.` : `Unlocked ${username}.`
    output.done(done, { id, username, counters })
  },
})

const remove = onSite({
  about: 'deletes a user with all keys and sessions; this can not be undone',
  zh: '删除用户及其所有公钥和登录设备，无法恢复',
  takes: { user: USER, yes: YES },
  examples: ['user delete alice', 'user delete alice --yes'],
  before({ yes }) {
    if (!yes) needTerminal()
  },
  async run(site, { user, yes }, { output }) {
    const { id, username } = user
    const stays = await whatStays(site, user)
    if (!yes)
      await confirm(`${stays.sentence}\nDelete ${username} (id ${id}) with all keys and sessions?`)
    await removeUser(site, COMMAND_LINE, id)
    const done = `Deleted ${username} (id ${id}). ${stays.sentence}`
    output.done(done, { id, username, events_kept_days: stays.days })
  },
})

/** `latchkey user …`: manages accounts. */
export const userCommands = {
  list,
  show,
  add: addUser,
  set: setUser,
  password: setPassword,
  disable,
  enable,
  unlock,
  export: exportUser,
  delete: remove,
}
