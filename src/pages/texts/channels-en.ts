import type { ChannelKind } from '../../notices/channels.ts'
import type { Topic } from '../../notices/topics.ts'

const topics: Record<Topic, string> = {
  new_network: 'A sign-in from a new network',
  new_country: 'A sign-in from a new country',
  locked_out: 'An account or a network is locked out',
  second_factor_off: 'Two-step verification off or cancelled',
  new_admin: 'A new administrator',
  password: 'A password changed or set by an operator',
  credential_added: 'An SSH key, passkey, app password, linked account or service token added',
  passkey_cloned: 'A passkey that may have been copied',
  access_replayed: 'A code or token for a program used twice: it may be stolen',
  program_registered: 'A program registered, or its secret replaced',
  many_refusals: 'Many refused sign-ins (at most one notice an hour)',
  registration: 'A registration',
  reset_link: 'A link for a new password made by an operator (always)',
  account_end: 'An account that ends soon',
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

export const channelsEn = {
  title: 'Notices',
  ownLead: 'Be told when something happens to your account that you may not have done.',
  adminLead: 'Tell yourself and others what happens on this site.',
  none: 'No channels',
  noneHint: 'A channel is an address that notices are sent to.',
  addTitle: 'Add a channel',
  ownTitle: 'Your channel',
  kind: 'Kind',
  kinds,
  name: 'Name',
  nameHint: 'How you recognise this channel.',
  address: 'Address',
  addressHint:
    'The address of the webhook. For ntfy it ends in the topic, for Bark in the device key. For e-mail it is the recipient. Telegram needs none.',
  ownAddressHint: 'A public https address, such as https://ntfy.sh/a-topic-that-nobody-guesses.',
  token: 'Token',
  tokenHint: 'The token of the Telegram bot, or an access token of ntfy.',
  chat: 'Chat',
  chatHint: 'For Telegram: the number of the chat, or @name.',
  sender: 'Sender',
  senderHint: 'For e-mail: an address for which your mail server sends.',
  topicsLabel: 'Notify about',
  topics,
  add: 'Add channel',
  save: 'Save',
  replaceTitle: 'Replace the channel',
  replace: 'Save channel',
  delete: 'Delete',
  deleteQuestion: (name: string) => `Delete “${name}”? It gets no more notices.`,
  deleteOwnQuestion: 'Delete your channel? You get no more notices.',
  deleteSubmit: 'Delete channel',
  test: 'Send a test',
  lastSent: (when: string) => `Last delivered ${when}`,
  neverSent: 'Nothing delivered yet',
  lastFailed: (when: string) => `Last failure ${when}`,
  waiting: (count: number) =>
    count === 1 ? '1 notice is waiting' : `${count} notices are waiting`,
  lost: (count: number) =>
    count === 1 ? '1 notice was given up' : `${count} notices were given up`,
  testFailed: (reason: string) => `The test was not delivered. ${reason}`,
  failures,
  failedStatus: (status: string) => `The receiver answered with status ${status}.`,
  secretTitle: 'Secret of the webhook',
  secret: 'Secret',
  secretLead:
    'Each notice is signed with this secret (Standard Webhooks, HMAC-SHA-256). It is not shown again.',
  secretDone: 'I have stored it',
}
