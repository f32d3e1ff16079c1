import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { isoTime } from '../../../core/base/time.ts'
import { listReservedNames, releaseName } from '../reserved-names.ts'
import { explained } from '../../../programs/kit/command-error.ts'
import { keepNames } from '../../../programs/import/keep-names.ts'
import { readSource } from '../../../programs/import/read-source.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'

const list = onSite({
  about: 'lists the names that deleted and renamed accounts had',
  zh: '列出已删除或已改名账户的用户名',
  notes: [
    `Apps know users by their names. While an app is registered, nobody else gets the name of a deleted
or renamed account until it is released.`,
    '应用通过用户名识别用户。只要注册了应用，已删除或已改名账户的用户名在释放之前，其他人不能使用。',
  ],
  examples: ['reserved-name list'],
  async run(site, _, { output }) {
    const content = (await listReservedNames(site, COMMAND_LINE)).map((reserved) => ({
      username: reserved.username,
      user_id: reserved.userId,
      reserved_time: isoTime(reserved.reservedAt),
    }))
    const columns = ['username', 'user_id', 'reserved_time']
    output.list(columns, content, 'There are no reserved names.')
  },
})

const release = onSite({
  about: 'lets any account get a name that another account had',
  zh: '允许任何账户使用曾属于其他账户的用户名',
  takes: {
    name: takes(
      '<name>',
      'the name that reserved-name list shows',
      '用户名（见 reserved-name list）',
    ),
  },
  examples: ['reserved-name release alice'],
  async run(site, { name }, { output }) {
    await explained(releaseName(site, COMMAND_LINE, name), {
      userNotFound: `The name "${name}" is not reserved: see ${latchkey('reserved-name', 'list')}`,
    })
    output.done(`Released the name ${name}.`, { username: name })
  },
})

const keep = onSite({
  about: 'reserves the names of an old database that no account has here',
  zh: '保留旧数据库中本站没有账户使用的用户名',
  takes: {
    file: takes(
      '<file>',
      'the database of this site that a backup has replaced',
      '被备份替换的本站数据库',
    ),
  },
  notes: [
    `A restore takes the site back, but not its apps: they still know accounts that were made since.
The database of before the restore says which; of a deployed site, wrangler d1 export and sqlite3 make one.`,
    `恢复备份会让本站回到从前，但应用不会：它们仍然认识此后创建的账户。
恢复之前的数据库里有这些账户；已部署的站点用 wrangler d1 export 和 sqlite3 生成数据库。`,
  ],
  examples: ['reserved-name keep old.sqlite'],
  before: ({ file }) => readSource(file),
  async run(site, { file }, { output }, source) {
    const names = await keepNames(site, source)
    const total = names.length === 1 ? '1 name' : `${names.length} names`
    output.done(`Reserved ${total} of ${file}.`, { file, usernames: names })
  },
})

/** `latchkey reserved-name …`: the names that accounts had. */
export const reservedNameCommands = { list, release, keep }
