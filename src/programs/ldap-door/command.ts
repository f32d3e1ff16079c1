import { CommandError, UsageError } from '../kit/command-error.ts'
import { command, repeated, takes } from '../kit/declaration.ts'
import { DoorError, runDoor } from './door.ts'
import { OptionError, OPTIONS, readOptions } from './options.ts'

type Flags = (typeof OPTIONS)[number][0]

/** Declares an option with the text that the bundled program shows too. */
function option<const Form extends Flags>(form: Form, chinese: string) {
  return takes(form, englishHelp(form), chinese)
}

function englishHelp(form: Flags): string {
  return OPTIONS.find(([flags]) => flags === form)?.[1] ?? ''
}

/** `latchkey ldap`: answers LDAP for programs beside this machine's file server. */
export const ldapCommand = command({
  takes: {
    site: option('--site <url>', '站点地址；https，或本机的 http；另见 --insecure'),
    tokenFile: option(
      '--token-file <file>',
      '存有服务令牌（ldap 权限）的文件；否则用 LATCHKEY_SERVICE_TOKEN',
    ),
    listen: repeated(
      '--listen <url>',
      englishHelp('--listen <url>'),
      '监听地址（ldap://127.0.0.1:3890）；可重复',
      String,
    ),
    cert: option('--cert <file>', 'ldaps:// 的证书（PEM）'),
    key: option('--key <file>', '证书的私钥（PEM）'),
    insecure: option(
      '--insecure',
      '允许在其他机器可访问的地址上使用 ldap://，以及用 http 访问容器',
    ),
    base: option('--base <dn>', '目录树的根（默认取自站点主机名）'),
    scope: option('--scope <scope>', '应用专用密码须有的权限：files:write（默认）或 files:read'),
    appPasswordsOnly: option('--app-passwords-only', '不接受账户密码'),
    showAdmins: option('--show-admins', '让管理员也出现在目录中'),
    cacheSeconds: option('--cache-seconds <number>', '应答保留多久，0 到 300 秒（30）'),
    awaySeconds: option(
      '--away-seconds <number>',
      '站点无法访问时应答还有效多久，0 到 3600 秒（300）',
    ),
    show: option('--show', '输出 base、bind DN 和 bind 密码后结束'),
  },
  examples: ['ldap --site https://accounts.example.org --token-file /etc/latchkey-ldap.token'],
  async run(given) {
    try {
      await runDoor(readOptions(given, process.env))
    } catch (error) {
      if (error instanceof OptionError) throw new UsageError(error.message, { cause: error })
      if (error instanceof DoorError) throw new CommandError(error.message, { cause: error })
      throw error
    }
  },
})
