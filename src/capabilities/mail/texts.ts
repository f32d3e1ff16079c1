import type { Language } from '../../core/base/language.ts'
import { chinese } from '../../core/base/chinese.ts'

/** The page that leads through everything that opens the account (`web/kit/checking.ts`). */
const CHECK_PATH = '/account/security/check'

/** The kinds of mails to users. */
export const MAIL_KINDS = [
  'reset',
  'no_password',
  'reset_link_made',
  'password_reset',
  'confirm',
  'email_changed',
  'invitation',
  'account_end',
  'factor_reminder',
] as const

export type MailKind = (typeof MAIL_KINDS)[number]

/** A mail that waits, or a request for a new password that has to become mails. */
export type QueuedKind = MailKind | 'forgotten'

/** The values that a text can name. */
interface Named {
  /** The name of the site, and its host. */
  site: string
  host: string
  /** Empty in a mail to an address that is not verified: nobody can write to strangers with it. */
  user: string
  /** The administrator who invites; empty for an invitation of the command line. */
  inviter: string
  /** When the link in it ends, or the account: “5 December 2026, 20:24 UTC”. */
  until: string
}

/** The parts of a mail, in their order. */
interface MailText {
  subject: (named: Named) => string
  before: (named: Named) => string[]
  /** The words of the link; empty for a mail without one. */
  link: string
  /** The page that it leads to, where it holds no secret. */
  page?: string
  after: (named: Named) => string[]
}

interface MailTexts {
  /** A day and a time of UTC. */
  time: (day: string, time: string) => string
  /** The line that follows the first one of a mail about an event. No network where none is told. */
  happened: (time: string, network: string) => string
  /** Stands before the address of the link, below its button. */
  address: string
  mails: Record<MailKind, MailText>
  /** The last lines of each mail. */
  footer: (named: Named) => string
}

const en: MailTexts = {
  time: (day, time) => `${day}, ${time} UTC`,
  happened: (time, network) => `Time: ${time}${network === '' ? '' : `. Network: ${network}`}`,
  address: 'If the button does not work, open this address:',
  mails: {
    reset: {
      subject: ({ site }) => `Choose a new password for ${site}`,
      before: ({ user, site }) => [
        `Somebody asked for a new password for the account ${user} at ${site}.`,
        'If that was you, open this link and choose one:',
      ],
      link: 'Choose a new password',
      after: ({ until }) => [
        `The link works once, until ${until}.`,
        'If it was not you, you can ignore this mail: your password stays as it is.',
      ],
    },
    no_password: {
      subject: ({ site }) => `Your account at ${site} has no password`,
      before: ({ user, site }) => [
        `Somebody asked for a new password for the account ${user} at ${site}.`,
        'The account has no password: it signs in with a passkey or through another provider. If you can no longer do that, ask an administrator of the site.',
      ],
      link: '',
      after: () => ['If it was not you, you can ignore this mail.'],
    },
    reset_link_made: {
      subject: ({ site }) => `An administrator made a link to reset your password for ${site}`,
      before: ({ user, site }) => [
        `An administrator of ${site} made a link with which the password of the account ${user} can be replaced.`,
        `If you did not ask for that, contact an administrator of ${site} at once: somebody may be taking over your account.`,
      ],
      link: 'Secure my account',
      page: CHECK_PATH,
      after: () => [],
    },
    password_reset: {
      subject: ({ site }) => `Your password for ${site} was replaced`,
      before: ({ user, site }) => [
        `The password of the account ${user} at ${site} was replaced with a link, and every session has ended.`,
        'If it was not you, ask for a new password at once. Then check your account: SSH keys, passkeys and app passwords stay in force.',
      ],
      link: 'Ask for a new password',
      page: '/account/forgotten',
      after: () => [],
    },
    confirm: {
      subject: ({ site }) => `Confirm your e-mail address for ${site}`,
      before: ({ site }) => [
        `Somebody entered this address for an account at ${site}.`,
        'If that was you, sign in there and open this link in the same browser:',
      ],
      link: 'Confirm the address',
      after: ({ until }) => [
        `The link works until ${until}.`,
        'If it was not you, you can ignore this mail: the address is not used.',
      ],
    },
    email_changed: {
      subject: ({ site }) => `Your e-mail address at ${site} was changed`,
      before: ({ user, site }) => [
        `The account ${user} at ${site} no longer has this e-mail address.`,
        'If it was not you, secure your account, and enter the address again.',
      ],
      link: 'Secure my account',
      page: CHECK_PATH,
      after: () => [],
    },
    invitation: {
      subject: ({ inviter, site }) =>
        inviter === '' ? `You are invited to ${site}` : `${inviter} invites you to ${site}`,
      before: ({ inviter, site }) => [
        inviter === ''
          ? `An administrator of ${site} invites you to create an account there.`
          : `${inviter} invites you to create an account at ${site}.`,
        'Open this link and choose a password:',
      ],
      link: 'Create an account',
      after: ({ until }) => [
        `The link works once, until ${until}.`,
        'If you do not expect this, you can ignore this mail.',
      ],
    },
    account_end: {
      subject: ({ site }) => `Your account at ${site} ends soon`,
      before: ({ user, site, until }) => [
        `The account ${user} at ${site} ends on ${until}. From then on, nobody can sign in to it, and app passwords, SSH keys and apps stop working.`,
        'If you want to keep it, ask an administrator of the site.',
      ],
      link: 'Open my account',
      page: '/account',
      after: () => [],
    },
    factor_reminder: {
      subject: ({ site }) => `Protect your account at ${site} with a second factor`,
      before: ({ user, site }) => [
        `An administrator of ${site} asks you to set up a second factor for the account ${user}: a passkey, or an authenticator app. Then nobody can sign in with your password alone.`,
        'You find both on the page Security:',
      ],
      link: 'Set up a second factor',
      page: '/account/security',
      after: () => [],
    },
  },
  footer: ({ site, host }) =>
    `${site === host ? host : `${site} (${host})`} sent this mail. Please don’t reply.`,
}

const zh: MailTexts = {
  time: (day, time) => `${day} ${time}（UTC）`,
  happened: (time, network) => `时间：${time}${network === '' ? '' : `，网络：${network}`}`,
  address: '如果按钮无法使用，请打开此地址：',
  mails: {
    reset: {
      subject: ({ site }) => chinese`为 ${site} 设置新密码`,
      before: ({ user, site }) => [
        chinese`有人请求为 ${site} 的账户 ${user} 设置新密码。`,
        '如果是你本人，请打开此链接并设置新密码：',
      ],
      link: '设置新密码',
      after: ({ until }) => [
        `链接只能使用一次，有效期至 ${until}。`,
        '如果不是你本人，请忽略本邮件：你的密码不会改变。',
      ],
    },
    no_password: {
      subject: ({ site }) => chinese`你在 ${site} 的账户没有密码`,
      before: ({ user, site }) => [
        chinese`有人请求为 ${site} 的账户 ${user} 设置新密码。`,
        '此账户没有密码：请使用通行密钥或单点登录。如果无法登录，请联系站点管理员。',
      ],
      link: '',
      after: () => ['如果不是你本人，请忽略本邮件。'],
    },
    reset_link_made: {
      subject: ({ site }) => chinese`管理员创建了用于重置你的 ${site} 密码的链接`,
      before: ({ user, site }) => [
        chinese`${site} 的管理员创建了一个链接，可用于替换账户 ${user} 的密码。`,
        chinese`如果你没有提出此请求，请立即联系 ${site} 的管理员：可能有人正在接管你的账户。`,
      ],
      link: '保护我的账户',
      page: CHECK_PATH,
      after: () => [],
    },
    password_reset: {
      subject: ({ site }) => chinese`你在 ${site} 的密码已被替换`,
      before: ({ user, site }) => [
        chinese`${site} 的账户 ${user} 的密码已通过链接替换，所有会话均已结束。`,
        '如果不是你本人，请立即重新设置密码，然后检查账户：SSH 密钥、通行密钥和应用专用密码仍然有效。',
      ],
      link: '重新设置密码',
      page: '/account/forgotten',
      after: () => [],
    },
    confirm: {
      subject: ({ site }) => chinese`确认你在 ${site} 的电子邮件地址`,
      before: ({ site }) => [
        chinese`有人为 ${site} 的账户填写了此地址。`,
        '如果是你本人，请先登录，然后在同一浏览器中打开此链接：',
      ],
      link: '确认地址',
      after: ({ until }) => [
        `链接有效期至 ${until}。`,
        '如果不是你本人，请忽略本邮件：此地址不会被使用。',
      ],
    },
    email_changed: {
      subject: ({ site }) => chinese`你在 ${site} 的电子邮件地址已更改`,
      before: ({ user, site }) => [
        chinese`${site} 的账户 ${user} 不再使用此电子邮件地址。`,
        '如果不是你本人，请立即保护账户，并重新填写地址。',
      ],
      link: '保护我的账户',
      page: CHECK_PATH,
      after: () => [],
    },
    invitation: {
      subject: ({ inviter, site }) =>
        inviter === '' ? chinese`邀请你加入 ${site}` : chinese`${inviter} 邀请你加入 ${site}`,
      before: ({ inviter, site }) => [
        inviter === ''
          ? chinese`${site} 的管理员邀请你创建账户。`
          : chinese`${inviter} 邀请你在 ${site} 创建账户。`,
        '请打开此链接并设置密码：',
      ],
      link: '创建账户',
      after: ({ until }) => [
        `链接只能使用一次，有效期至 ${until}。`,
        '如果你不需要，请忽略本邮件。',
      ],
    },
    account_end: {
      subject: ({ site }) => chinese`你在 ${site} 的账户即将到期`,
      before: ({ user, site, until }) => [
        chinese`${site} 的账户 ${user} 将于 ${until} 到期。到期后将无法登录，应用专用密码、SSH 密钥和应用也会停止工作。`,
        '如果你想继续使用，请联系站点管理员。',
      ],
      link: '打开我的账户',
      page: '/account',
      after: () => [],
    },
    factor_reminder: {
      subject: ({ site }) => chinese`请为你在 ${site} 的账户开启双重验证`,
      before: ({ user, site }) => [
        chinese`${site} 的管理员提醒你为账户 ${user} 开启双重验证：添加通行密钥，或使用验证器应用。这样，仅凭密码无法登录你的账户。`,
        '请在“安全”页面中设置：',
      ],
      link: '开启双重验证',
      page: '/account/security',
      after: () => [],
    },
  },
  footer: ({ site, host }) =>
    chinese`本邮件由 ${site === host ? host : `${site}（${host}）`} 自动发送，请勿回复。`,
}

export const MAIL_TEXTS: Record<Language, MailTexts> = { en, zh }
