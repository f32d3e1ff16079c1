import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { parseFiles } from '../kit/files-option.ts'
import { readTrustedProxies, TRUSTED_PROXIES } from './trusted-proxies.ts'
import { readAdminPassword } from '../kit/admin-password.ts'
import { CommandError, UsageError } from '../kit/command-error.ts'
import { readCommandLine, type Shape, takes, type Takes } from '../kit/declaration.ts'
import { DEFAULT_PORT } from '../site/local-address.ts'
import type { Proxy } from './front-request.ts'

/** How the log shows each request. */
export type LogForm = 'lines' | 'json' | 'none'

export interface StartOptions {
  /** The addresses to listen on. The first must exist on this machine. */
  hosts: [string, ...string[]]
  port: number
  log: LogForm
  proxy: Proxy | undefined
  /** The first password of `admin`. */
  password: string | undefined
  /** The origin of the file server behind this site. */
  files: string | undefined
}

/**
 * The addresses of `localhost`. Browsers may try either first, so no other local user may have the
 * port on one of them.
 */
export const LOCALHOST: [string, ...string[]] = ['127.0.0.1', '::1']

const SHAPE = {
  about: 'Serves this site on this machine.',
  zh: '在本机运行本站点。',
  takes: {
    port: takes(
      '--port <number>',
      `listen on this port instead of PORT, or ${DEFAULT_PORT}`,
      `监听此端口，代替 PORT 或 ${DEFAULT_PORT}`,
    ),
    host: takes(
      '--host <address>',
      `listen on this address instead of ${LOCALHOST.join(' and ')}`,
      `监听此地址，代替 ${LOCALHOST.join(' 和 ')}`,
      parseAddress,
    ),
    behindProxy: takes(
      '--behind-proxy <header>',
      'trust the proxy in front: it sends the client address in this header (of a list, the last one counts), and http or https in X-Forwarded-Proto',
      '信任前面的代理：它在此请求头中传来客户端地址（有多个时取最后一个），并在 X-Forwarded-Proto 中传来 http 或 https',
      parseHeaderName,
    ),
    proxyAddress: takes(
      '--proxy-address <addresses>',
      'addresses and networks of the proxy, separated by commas, when it runs on another machine or in a container',
      '代理的地址和网段，以逗号分隔，用于代理在另一台机器上或容器中的情况',
    ),
    files: takes(
      '--files <url>',
      'the file server (OpenList) behind this site, such as http://127.0.0.1:5244; its token is FILES_TOKEN in .dev.vars (docs/files.md)',
      '站点后面的文件服务器（OpenList），例如 http://127.0.0.1:5244；其令牌是 .dev.vars 中的 FILES_TOKEN（docs/files.md）',
      parseFiles,
    ),
    quiet: takes('--quiet', 'log errors only, no requests', '只记录错误，不记录请求'),
    json: takes(
      '--json',
      'log requests and events as JSON, for programs such as fail2ban',
      '以 JSON 记录请求和事件，供 fail2ban 等程序使用',
    ),
  },
  notes: [
    `Environment:
  PORT            the port; the default is ${DEFAULT_PORT}
  ADMIN_PASSWORD  the first password of admin
  BEHIND_PROXY    the same as --behind-proxy
  TRUSTED_PROXIES the same as --proxy-address
  SMTP_URL        the server that sends mails, such as
                  smtps://USER:PASSWORD@smtp.example.org
  MAIL_FROM       the sender of mails to users
  SITE_ADDRESS    the address of this site in mails
Each but the first two may also stand in .dev.vars (docs/operating.md).`,
    `环境变量：
  PORT            端口，默认 ${DEFAULT_PORT}
  ADMIN_PASSWORD  admin 的初始密码
  BEHIND_PROXY    与 --behind-proxy 相同
  TRUSTED_PROXIES 与 --proxy-address 相同
  SMTP_URL        发送邮件的服务器，例如 smtps://USER:PASSWORD@smtp.example.org
  MAIL_FROM       发给用户的邮件的发件人
  SITE_ADDRESS    邮件中本站点的地址
除前两项外，也可写在 .dev.vars 中（docs/operating.md）。`,
  ],
  examples: ['npm start -- --port 9000', 'npm start -- --behind-proxy X-Forwarded-For'],
} as const satisfies Shape<Takes>

/**
 * Reads the command line and the environment of `npm start`.
 *
 * @param readFile Reads `.dev.vars`. `--help` does not need it.
 * @returns `undefined` for `--help`.
 * @throws {UsageError} One sentence about a wrong command line.
 * @throws {CommandError} For an invalid value in the environment.
 */
export function readStartOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: () => Readonly<Record<string, string | undefined>>,
): StartOptions | undefined {
  const options = readCommandLine('npm start --', SHAPE, argv, env)
  if (options === undefined) return undefined
  const { port, host, behindProxy, proxyAddress, quiet, json } = options
  if (quiet && json) throw new UsageError('Choose either --quiet or --json.')
  const written = readFile()
  const header =
    behindProxy ?? readHeaderName(env['BEHIND_PROXY'] || written['BEHIND_PROXY'] || undefined)
  if (header === undefined && proxyAddress !== undefined)
    throw new UsageError('--proxy-address needs --behind-proxy.')
  const proxies = env[TRUSTED_PROXIES] || written[TRUSTED_PROXIES] || undefined
  if (header === undefined && proxies !== undefined)
    throw new UsageError(
      `${TRUSTED_PROXIES} needs BEHIND_PROXY: the header with the address of the client.`,
    )
  const trusted = readTrustedProxies({ option: proxyAddress, variable: proxies })
  return {
    hosts: host === undefined ? LOCALHOST : [host],
    log: quiet ? 'none' : json ? 'json' : 'lines',
    port:
      port === undefined
        ? readPort('PORT', env['PORT'] || String(DEFAULT_PORT))
        : readPort('--port', port),
    proxy: header === undefined ? undefined : { header, trusted },
    password: readAdminPassword(env),
    files: options.files,
  }
}

function parseAddress(text: string): string {
  if (isIP(text) !== 0) return text
  throw new InvalidArgumentError('It must be an IP address.')
}

/** @see RFC 9110 section 5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function parseHeaderName(text: string): string {
  if (TOKEN.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('It must be the name of a header.')
}

function readHeaderName(text: string | undefined): string | undefined {
  if (text === undefined || TOKEN.test(text)) return text?.toLowerCase()
  throw new UsageError(`BEHIND_PROXY must be the name of a header, not "${text}".`)
}

/** @param name Where the text stands. */
function readPort(name: 'PORT' | '--port', text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port
  const sentence = `${name} must be a number from 1 to 65535, not "${text}".`
  throw name === 'PORT' ? new CommandError(sentence) : new UsageError(sentence)
}
