import { InvalidArgumentError } from 'commander'
import { refusalIn } from '../../../core/base/refusals.ts'
import { checkProvider, PROBLEM_TEXTS } from '../check.ts'
import { redirectUrisOf } from '../redirect-uris.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { onSite } from '../../../programs/site/on-site.ts'

const test = onSite({
  about: 'asks the identity provider whether it can be used',
  zh: '查询登录平台是否可用',
  takes: {
    url: takes(
      '--url <address>',
      'the address of the site, for the redirect URIs to register',
      '站点的地址，用于显示要登记的回调地址',
      parseAddress,
    ),
  },
  notes: [
    `It asks the provider with the stored settings, also while single sign-on is off, and signs nobody in: whether
it answers, and whether it accepts the client ID and the client secret. Some providers do not tell the latter.`,
    `用已保存的设置查询登录平台，单点登录关闭时也可以，不会登录：它是否有响应，
是否接受客户端 ID 和客户端密钥。有些平台不会透露后者。`,
  ],
  examples: ['sso test', 'sso test --url https://files.example.org'],
  async run(site, { url }, { output }) {
    const checked = await checkProvider(site).catch((error: unknown) => {
      const { refusal, detail, message } = refusalIn(error)
      if (refusal !== 'ssoPlatformInvalid') throw error
      const missing = detail === '' ? 'sso_login_platform is empty' : detail
      throw new CommandError(`${message}: ${missing}, see: ${latchkey('setting', 'list')}`)
    })
    if ('problem' in checked)
      throw new CommandError(`${checked.platform}: ${PROBLEM_TEXTS[checked.problem]}.`)
    const { platform, host, isClientAccepted } = checked
    const uris = url === undefined ? [] : redirectUrisOf(url, false)
    const compatible = url === undefined ? [] : redirectUrisOf(url, true)
    const lines = [
      `${platform} answers. Users are sent to ${host}.`,
      isClientAccepted
        ? 'It accepts the client ID and the client secret.'
        : 'It does not tell whether it accepts the client ID and the client secret: sign in once to see.',
      ...(uris.length > 0 ? ['Register these redirect URIs:', ...uris] : []),
      ...(uris.length > 0 ? ['In compatibility mode, register these:', ...compatible] : []),
    ]
    output.done(lines.join('\n'), {
      platform,
      host,
      client_accepted: isClientAccepted ? true : null,
      redirect_uris: uris,
      compatible_redirect_uris: compatible,
    })
  },
})

function parseAddress(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address
  throw new InvalidArgumentError('It must be an address, as in https://accounts.example.org.')
}

/** `latchkey sso test`: asks whether the identity provider can be used. */
export const ssoCommands = { test }
