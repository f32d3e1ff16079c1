import * as v from 'valibot'
import {
  addServiceToken,
  deleteServiceToken,
  listServiceTokens,
  SCOPE_NAMES,
  type ScopeName,
  scopeText,
} from '../../../core/access/service-tokens.ts'
import { nameText } from '../../../core/base/text.ts'
import { isoTime } from '../../../core/base/time.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { repeated, takes, withDefault } from '../../../programs/kit/declaration.ts'
import { parsed } from '../../../programs/kit/parsed.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { onSite } from '../../../programs/site/on-site.ts'

const COLUMNS = ['name', 'scope', 'created_time']
const MAX_NAME_CHARACTERS = 255

const nameSchema = nameText(MAX_NAME_CHARACTERS)
const scopeSchema = v.picklist(SCOPE_NAMES, `must be one of ${SCOPE_NAMES.join(', ')}`)
const DEFAULT_SCOPES: [ScopeName, ...ScopeName[]] = ['sftp']

const add = onSite({
  about: 'creates a service token and prints it, only once',
  zh: '新建服务令牌，只显示一次',
  takes: {
    name: takes(
      '<name>',
      'a name for the token, such as the host name of the server',
      '令牌的名称，例如服务器的主机名',
      parsed(nameSchema),
    ),
    scopes: withDefault(
      repeated(
        '--scope <scope>',
        'sftp:keys to ask for keys, sftp:passwords to check passwords, sftp for both, introspect to ask whether a token is good, ldap for an LDAP door; can be repeated (default: sftp)',
        'sftp:keys 查询公钥，sftp:passwords 验证密码，sftp 两者，introspect 查询令牌是否有效，ldap 用于 LDAP 门户；可以写多次（默认：sftp）',
        parsed(scopeSchema),
      ),
      DEFAULT_SCOPES,
    ),
  },
  examples: ['service-token add files.example.org --scope sftp:keys'],
  async run(site, { name, scopes }, { output }) {
    const token = await addServiceToken(site, name, ...scopes)
    if (token === undefined)
      throw new CommandError(`A service token "${name}" exists already: delete it first.`)
    // The token alone, so that a script can use the output.
    output.done(token, { name, scope: scopeText(scopes), token })
  },
})

const list = onSite({
  about: 'lists service tokens with their scopes; the tokens themselves are not stored',
  zh: '列出服务令牌及其权限；令牌本身不会保存',
  examples: ['service-token list'],
  async run(site, _, { output }) {
    const content = (await listServiceTokens(site.db)).map(({ name, scope, createdAt }) => ({
      name,
      scope,
      created_time: isoTime(createdAt),
    }))
    output.list(COLUMNS, content, 'There are no service tokens.')
  },
})

const remove = onSite({
  about: 'deletes a service token; it stops working at once',
  zh: '删除服务令牌，立即失效',
  takes: {
    name: takes(
      '<name>',
      'the name that service-token list shows',
      '令牌的名称（见 service-token list）',
    ),
  },
  examples: ['service-token delete files.example.org'],
  async run(site, { name }, { output }) {
    if (!(await deleteServiceToken(site, name)))
      throw new CommandError(
        `There is no service token "${name}": see ${latchkey('service-token', 'list')}`,
      )
    output.done(`Deleted the service token ${name}.`, { name })
  },
})

/** `latchkey service-token …`: the credentials of servers. */
export const serviceTokenCommands = { add, list, delete: remove }
