import type { ChannelKind } from '../../notices/channels.ts'
import type { TopicGroup } from '../channel-parts.tsx'
import type { Topic } from '../../notices/topics.ts'
import { counted } from './counted.ts'

const topicGroups: Record<TopicGroup, string> = {
  signIns: 'Sign-ins',
  protection: 'Passwords and keys',
  accounts: 'Accounts and programs',
}

const topics: Record<Topic, string> = {
  new_network: 'A sign-in from a new network',
  new_country: 'A sign-in from a new country',
  locked_out: 'An account or a network is locked out',
  second_factor_off: 'Two-step verification is turned off',
  new_admin: 'A new administrator',
  password: 'A password is changed, or set by an administrator',
  credential_added: 'An SSH key, passkey, app password, linked account or service token is added',
  passkey_cloned: 'A passkey may have been copied',
  access_replayed: 'A code or token for a program is used twice: it may be stolen',
  program_registered: 'A program is registered, or its secret replaced',
  many_refusals: 'Many refused sign-ins (at most one notice an hour)',
  registration: 'Somebody registers an account',
  reset_link: 'An administrator makes a link for a new password (always sent)',
  account_end: 'An account ends soon',
}

const kinds: Record<ChannelKind, string> = {
  webhook: 'Webhook',
  ntfy: 'ntfy',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  bark: 'Bark',
  email: 'E-mail',
}

/** Why a test or a notice was not delivered; `status 404` is none of these. */
const failures: Record<string, string> = {
  redirect: 'The receiver answered with a redirect, which is not followed.',
  'no answer in time': 'The receiver did not answer within 8 seconds.',
  'no connection': 'The receiver can’t be reached.',
  'e-mail': 'The mail server did not accept the e-mail. Try again later.',
  'e-mail sender':
    'The mail server does not send for this sender. With Cloudflare, onboard the domain in the dashboard (Email Service); with SMTP, check the user and the password in SMTP_URL.',
  'e-mail recipient':
    'The mail server does not send to this recipient. With Cloudflare, verify the address in the dashboard (Email Routing, Destination addresses).',
  'e-mail limit': 'The limit of e-mails is used up. Try again later.',
  'no e-mail':
    'This site can’t send e-mails: add [[send_email]] with name = "EMAIL" to wrangler.toml and deploy. Under npm start, set SMTP_URL.',
  sealed: 'No key of SECRET_KEYS opens this channel. Delete it and create it again.',
}

/** What each kind is. */
const kindHints: Record<ChannelKind, string> = {
  webhook: 'A program of yours gets each notice as signed JSON.',
  ntfy: 'Push notices on phones, with the free app ntfy: from ntfy.sh or a server of your own.',
  slack: 'A channel in Slack, by an incoming webhook.',
  discord: 'A channel in Discord, by the address of a webhook.',
  telegram: 'A chat in Telegram, by a bot of yours.',
  bark: 'Push notices on iPhones, with the app Bark.',
  email: 'An e-mail for each notice.',
}

type KindField = 'address' | 'token' | 'chat' | 'sender'

/** The hints that are other ones for a kind. */
const fieldHints: Partial<Record<ChannelKind, Partial<Record<KindField, string>>>> = {
  webhook: { address: 'Such as https://example.org/hook.' },
  ntfy: {
    address:
      'Such as https://ntfy.sh/a-topic-that-nobody-guesses: subscribe to the same topic in the app.',
    token: 'Only for a topic that is protected: its access token.',
  },
  slack: { address: 'Such as https://hooks.slack.com/services/…' },
  discord: { address: 'Such as https://discord.com/api/webhooks/…' },
  telegram: {
    address: 'Only for a Bot API server of your own.',
    token: 'From @BotFather, such as 123456:….',
    chat: 'The number of the chat, or @name.',
  },
  bark: { address: 'It ends in the device key, such as https://api.day.app/KEY.' },
  email: {
    address: 'The recipient.',
    sender: 'An address for which your mail server, or Cloudflare, sends.',
  },
}

export const channelsEn = {
  title: 'Notices',
  ownLead: 'We tell you when something happens to your account that may not have been you.',
  adminLead: 'Where notices of what happens on this site are sent.',
  none: 'No channels',
  noneHint: 'A channel is where notices go: a chat, an e-mail address, a phone.',
  addTitle: 'Add a channel',
  ownTitle: 'Your channel',
  kind: 'Kind',
  kinds,
  kindHints,
  fieldHints,
  ntfy: 'ntfy is a free app that shows notices on your phone: install it, and subscribe to a topic with a name that nobody can guess. A webhook is an address where a program of yours gets them.',
  name: 'Name',
  nameHint: 'How you recognise this channel.',
  address: 'Address',
  ownAddressHint: 'It begins with https://, such as https://ntfy.sh/a-topic-that-nobody-guesses.',
  token: 'Token',
  chat: 'Chat',
  sender: 'Sender',
  topicsLabel: 'Notify about',
  topicGroups,
  topics,
  add: 'Add channel',
  save: 'Save',
  replaceTitle: 'Send them elsewhere',
  replaceHint: 'Another address takes the place of this one.',
  replace: 'Save channel',
  delete: 'Delete',
  deleteQuestion: (name: string) => `Delete “${name}”? It gets no more notices.`,
  deleteOwnQuestion: 'Delete your channel? You get no more notices.',
  deleteSubmit: 'Delete channel',
  test: 'Send a test',
  lastSent: (when: string) => `Last delivered ${when}`,
  neverSent: 'Nothing delivered yet',
  lastFailed: (when: string) => `Last failure ${when}`,
  waiting: counted('1 notice is waiting', '# notices are waiting'),
  lost: counted('1 notice was given up', '# notices were given up'),
  testFailed: (reason: string) => `The test was not delivered. ${reason}`,
  failures,
  failedStatus: (status: string) => `The receiver answered with status ${status}.`,
  secretTitle: 'Secret of the webhook',
  secret: 'Secret',
  secretLead:
    'Each notice is signed with this secret (Standard Webhooks, HMAC-SHA-256). It is not shown again.',
  secretDone: 'I have stored it',
}
