import type { ChannelKind } from './channels.ts'
import type { TopicGroup } from './pages/channel-parts.tsx'
import type { OWN_TOPICS, Topic } from '../../core/audit/topics.ts'
import { counted } from '../../web/kit/texts/counted.ts'

const topicGroups: Record<TopicGroup, string> = {
  signIns: 'Sign-ins',
  protection: 'Passwords and keys',
  accounts: 'Accounts and apps',
}

const topics: Record<Topic, string> = {
  new_network: 'A sign-in from a new network',
  new_country: 'A sign-in from a new country',
  locked_out: 'An account or a network is locked out',
  second_factor_off: 'Two-step verification is turned off or moved to a new phone',
  new_admin: 'A new administrator',
  password: 'A password is changed, or set by an administrator',
  credential_added: 'An SSH key, passkey, app password, linked account or service token is added',
  passkey_cloned: 'A passkey may have been copied',
  access_replayed: 'A code or token for an app is used twice: it may be stolen',
  program_registered: 'An app is registered or changed, or its secret replaced',
  many_refusals: 'Many refused sign-ins (at most one notification an hour)',
  registration: 'Somebody registers an account',
  reset_link: 'An administrator makes a link for a new password (always sent)',
  account_end: 'An account ends soon',
  groups: 'Groups, their members, or rights in folders are changed',
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
    'This site can’t send e-mails. On a server of your own, or in a container: set SMTP_URL, and start the site again. On Cloudflare: add [[send_email]] with name = "EMAIL" to wrangler.toml, and deploy.',
  'no address': 'Your e-mail address is not confirmed.',
  sealed: 'No key of SECRET_KEYS opens this channel. Delete it and create it again.',
}

const kindHints: Record<ChannelKind, string> = {
  webhook: 'A program of yours gets each notification as signed JSON.',
  ntfy: 'Push notifications on phones, with the free app ntfy: from ntfy.sh or a server of your own.',
  slack: 'A channel in Slack, by an incoming webhook.',
  discord: 'A channel in Discord, by the address of a webhook.',
  telegram: 'A chat in Telegram, by a bot of yours.',
  bark: 'Push notifications on iPhones, with the app Bark.',
  email: 'An e-mail for each notification.',
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

/** The topics of a user's own channel, as they concern the user. */
const ownTopics: Record<(typeof OWN_TOPICS)[number], string> = {
  new_network: 'A sign-in from a new network',
  new_country: 'A sign-in from a new country',
  locked_out: 'Too many refused sign-ins',
  second_factor_off: 'Two-step verification turned off or moved to a new phone',
  password: 'A new password',
  credential_added: 'A new key, passkey, app password or linked account',
  passkey_cloned: 'A passkey that may have been copied',
  access_replayed: 'A sign-in to an app that may not have been you',
  reset_link: 'A link for a new password (sent in any case)',
  account_end: 'Your account ends soon',
}

export const noticesEn = {
  channels: {
    look: 'Look',
    failing: (when: string) => `The last notification was not delivered, ${when}`,
    title: 'Notifications',
    ownLead: 'Get a message when somebody else may be using your account.',
    ownWhere: 'Where should it go?',
    ownKinds: {
      email: 'By e-mail',
      ntfy: 'Notifications to your phone',
      webhook: 'Notifications to a program of yours',
    },
    changeAddress: 'Change the address',
    ownKindHints: {
      email: 'You enter and confirm your address first.',
      ntfy: 'As a push message in the free app ntfy.',
      webhook: 'A webhook: the program gets each notification as signed JSON.',
    },
    ownEmailTo: (address: string) => `To ${address}, the address that you have confirmed.`,
    ownTopics,
    adminLead:
      'Chats, phones and addresses that get a message when something important happens here.',
    none: 'No channels',
    noneHint: 'A channel is where notifications go: a chat, an e-mail address, a phone.',
    addTitle: 'Add a channel',
    anotherKind: 'Another kind of channel',
    more: 'More',
    kinds,
    kindHints,
    fieldHints,
    ntfyInstall: 'Install the app ntfy',
    ntfyInstallHow: 'It is free: in the App Store, on Google Play and on F-Droid.',
    ntfySubscribe: 'Subscribe to your topic in the app',
    ntfySubscribeHow:
      'Press “+” in the app and enter this name. We have just made it up, so nobody else knows it. Keep it to yourself: everybody who knows it can read your notifications.',
    ntfyAddress: 'Tell us where the topic is',
    ntfyAddressHint:
      'It is right already for the name above. Change it only if you use another server or topic.',
    name: 'Name',
    nameHint: 'How you recognise this channel.',
    address: 'Address',
    ownAddressHint: 'Such as https://example.org/hook.',
    token: 'Token',
    chat: 'Chat',
    sender: 'Sender',
    topicsLabel: 'Notify about',
    topicsChange: 'Choose what to send',
    topicGroups,
    topics,
    add: 'Add channel',
    save: 'Save',
    replaceTitle: 'Send them elsewhere',
    replaceHint: 'Notifications then go to the new address only.',
    ownAdd: 'Turn on notifications',
    replace: 'Save the new address',
    delete: 'Delete',
    deleteQuestion: (name: string) => `Delete “${name}”? It gets no more notifications.`,
    ownDelete: 'Turn notifications off',
    deleteOwnQuestion: 'You get no more notifications, until you choose a new place for them.',
    deleteSubmit: 'Delete channel',
    test: 'Send a test',
    lastSent: (when: string) => `Last delivered ${when}`,
    neverSent: 'Nothing delivered yet',
    lastFailed: (when: string) => `Last failure ${when}`,
    waiting: counted('1 notification is waiting', '# notifications are waiting'),
    lost: counted('1 notification was never delivered', '# notifications were never delivered'),
    testFailed: (reason: string) => `The test was not delivered. ${reason}`,
    failures,
    failedStatus: (status: string) => `The receiver answered with status ${status}.`,
    secretTitle: 'Secret of the webhook',
    secret: 'Secret',
    secretLead:
      'Each notification is signed with this secret (Standard Webhooks, HMAC-SHA-256). It is not shown again.',
    secretDone: 'I have stored it',
  },
}

type Own = typeof noticesEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
