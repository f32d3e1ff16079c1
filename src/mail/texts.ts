/** The languages that mails are written in. */
export const MAIL_LANGUAGES = ['en', 'zh'] as const

export type MailLanguage = (typeof MAIL_LANGUAGES)[number]

/** The mails that this site sends. */
export type MailKind =
  | 'invitation'
  | 'confirmation'
  | 'reset'
  | 'resetWithoutPassword'
  | 'resetLinkMade'
  | 'passwordSet'
  | 'addressChanged'

/** What a mail can name. */
interface Named {
  /** The title of the site, which its operator has chosen. */
  site: string
  /** The user; only in mails to an address that the user has verified. */
  user: string
  /** How long the link is good, in the language of the mail. */
  lifetime: string
}

interface MailText {
  subject: (named: Named) => string
  /** What stands before the link, and alone in a mail without one. */
  before: (named: Named) => string[]
  /** The label of the link in HTML. */
  link?: string
  after: (named: Named) => string[]
}

const en: Record<MailKind, MailText> = {
  invitation: {
    subject: ({ site }) => `You are invited to ${site}`,
    before: ({ site }) => [
      `You are invited to ${site}. Open this link to choose a name and a password:`,
    ],
    link: 'Accept the invitation',
    after: ({ lifetime }) => [
      `The link is good once, for ${lifetime}.`,
      'If you expected no invitation, ignore this mail. Nothing happens.',
    ],
  },
  confirmation: {
    subject: ({ site }) => `Confirm your e-mail address for ${site}`,
    before: ({ site }) => [
      `Somebody gave this e-mail address for an account of ${site}. If that was you, sign in there, then open this link:`,
    ],
    link: 'Confirm the address',
    after: ({ lifetime }) => [
      `The link is good once, for ${lifetime}, and only while you are signed in.`,
      'If that was not you, ignore this mail. The address stays unconfirmed.',
    ],
  },
  reset: {
    subject: ({ site }) => `A new password for ${site}`,
    before: ({ site, user }) => [
      `Somebody asked for a new password for your account “${user}” of ${site}. If that was you, open this link to choose one:`,
    ],
    link: 'Choose a new password',
    after: ({ lifetime }) => [
      `The link is good once, for ${lifetime}.`,
      'If that was not you, ignore this mail. Your password stays as it is.',
    ],
  },
  resetWithoutPassword: {
    subject: ({ site }) => `Signing in to ${site}`,
    before: ({ site, user }) => [
      `Somebody asked for a new password for your account “${user}” of ${site}. The account has no password: sign in as you did before, with a passkey or with your account at an identity provider.`,
      'If that was not you, ignore this mail. Nothing has changed.',
    ],
    after: () => [],
  },
  resetLinkMade: {
    subject: ({ site }) => `A link for a new password for ${site} was made`,
    before: ({ site, user }) => [
      `An operator of ${site} made a link with which the password of your account “${user}” can be set.`,
      'If you did not ask for it, tell the operator at once.',
    ],
    after: () => [],
  },
  passwordSet: {
    subject: ({ site }) => `Your password for ${site} was set`,
    before: ({ site, user }) => [
      `The password of your account “${user}” of ${site} was set with a link. You are signed out on all devices.`,
      'If that was not you, ask for a new password at once, and tell the operator.',
    ],
    after: () => [],
  },
  addressChanged: {
    subject: ({ site }) => `Your e-mail address for ${site} was changed`,
    before: ({ site, user }) => [
      `Your account “${user}” of ${site} no longer has this e-mail address.`,
      'If that was not you, sign in and change your password at once, and tell the operator.',
    ],
    after: () => [],
  },
}

const zh: Record<MailKind, MailText> = {
  invitation: {
    subject: ({ site }) => `${site} 邀请你加入`,
    before: ({ site }) => [`你被邀请加入 ${site}。请打开以下链接，设置用户名和密码：`],
    link: '接受邀请',
    after: ({ lifetime }) => [
      `此链接只能使用一次，有效期 ${lifetime}。`,
      '如果你不清楚这份邀请，请忽略此邮件，不会有任何变化。',
    ],
  },
  confirmation: {
    subject: ({ site }) => `确认你在 ${site} 的邮箱地址`,
    before: ({ site }) => [
      `有人为 ${site} 的账户填写了这个邮箱地址。如果是你本人，请先登录，再打开以下链接：`,
    ],
    link: '确认邮箱地址',
    after: ({ lifetime }) => [
      `此链接只能使用一次，有效期 ${lifetime}，且须在登录后打开。`,
      '如果不是你本人，请忽略此邮件，该地址不会被确认。',
    ],
  },
  reset: {
    subject: ({ site }) => `重设 ${site} 的密码`,
    before: ({ site, user }) => [
      `有人请求重设你在 ${site} 的账户“${user}”的密码。如果是你本人，请打开以下链接：`,
    ],
    link: '设置新密码',
    after: ({ lifetime }) => [
      `此链接只能使用一次，有效期 ${lifetime}。`,
      '如果不是你本人，请忽略此邮件，密码不会改变。',
    ],
  },
  resetWithoutPassword: {
    subject: ({ site }) => `登录 ${site}`,
    before: ({ site, user }) => [
      `有人请求重设你在 ${site} 的账户“${user}”的密码。该账户没有密码，请照常用通行密钥或单点登录账户登录。`,
      '如果不是你本人，请忽略此邮件，没有任何变化。',
    ],
    after: () => [],
  },
  resetLinkMade: {
    subject: ({ site }) => `${site} 的重设密码链接已创建`,
    before: ({ site, user }) => [
      `${site} 的管理员创建了一个链接，可用来设置你的账户“${user}”的密码。`,
      '如果你没有要求，请立即联系管理员。',
    ],
    after: () => [],
  },
  passwordSet: {
    subject: ({ site }) => `你在 ${site} 的密码已重设`,
    before: ({ site, user }) => [
      `你在 ${site} 的账户“${user}”的密码已通过链接重设，所有设备均已退出登录。`,
      '如果不是你本人，请立即重设密码，并联系管理员。',
    ],
    after: () => [],
  },
  addressChanged: {
    subject: ({ site }) => `你在 ${site} 的邮箱地址已更改`,
    before: ({ site, user }) => [
      `你在 ${site} 的账户“${user}”不再使用这个邮箱地址。`,
      '如果不是你本人，请立即登录并修改密码，并联系管理员。',
    ],
    after: () => [],
  },
}

export const MAIL_TEXTS: Record<MailLanguage, Record<MailKind, MailText>> = { en, zh }

/** Says a time in whole minutes, hours or days. */
export const LIFETIME_TEXTS: Record<MailLanguage, (milliseconds: number) => string> = {
  en: (milliseconds) => {
    const [count, unit] = inLargestUnit(milliseconds)
    return `${count} ${unit}${count === 1 ? '' : 's'}`
  },
  zh: (milliseconds) => {
    const [count, unit] = inLargestUnit(milliseconds)
    return `${count} ${{ day: '天', hour: '小时', minute: '分钟' }[unit]}`
  },
}

function inLargestUnit(milliseconds: number): [number, 'day' | 'hour' | 'minute'] {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes >= 48 * 60) return [Math.floor(minutes / (24 * 60)), 'day']
  return minutes >= 120 ? [Math.floor(minutes / 60), 'hour'] : [minutes, 'minute']
}
