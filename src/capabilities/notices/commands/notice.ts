import { InvalidArgumentError } from 'commander'
import { CHANNEL_KINDS, type ChannelKind, NOTICE_LANGUAGES } from '../channels.ts'
import { chooseTopics, deleteChannel, leaveTest, listChannels, saveChannel } from '../manage.ts'
import { channelRecord } from '../record.ts'
import { isTopic, type Topic, TOPICS } from '../../../core/audit/topics.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { CommandError, UsageError } from '../../../programs/kit/command-error.ts'
import { readLocalVars } from '../../../programs/site/dev-vars.ts'
import { bindsEmail, readSiteConfig } from '../../../programs/site/site-config.ts'
import type { Site } from '../../../programs/site/site.ts'
import { readLine } from '../../../programs/kit/standard-input.ts'
import { whileWaiting } from '../../../programs/kit/waiting.ts'
import { noticesEn } from '../texts.en.ts'
import {
  choice,
  repeated,
  required,
  takes,
  withDefault,
} from '../../../programs/kit/declaration.ts'
import type { Text } from '../../../programs/kit/help.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { parseId } from '../../../programs/kit/paging.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'

const COLUMNS = ['id', 'name', 'kind', 'target', 'topics', 'last_sent_at', 'failure', 'waiting']

const ID = takes('<id>', 'the id that notice list shows', 'notice list 显示的 id', parseId)

const list = onSite({
  about: 'lists the channels that notices are sent to',
  zh: '列出接收通知的渠道',
  examples: ['notice list'],
  async run(site, _, { output }) {
    const content = (await channelsOf(site)).map(channelRecord)
    const shown = content.map((channel) => ({
      ...channel,
      topics: channel.topics.length === TOPICS.length ? 'all' : channel.topics,
      last_sent_at: channel.last_sent_at ?? 'never',
    }))
    output.list(COLUMNS, content, 'There are no channels.', shown)
  },
})

const add = onSite({
  about: 'adds a channel; of a webhook, it prints the secret that signs, only once',
  zh: '添加渠道；对于 webhook，签名密钥只显示一次',
  takes: {
    kind: takes('<kind>', ...listed(CHANNEL_KINDS), parseKind),
    name: required(takes('--name <name>', 'how you recognise the channel', '便于认出此渠道的名称')),
    address: takes(
      '--address <address>',
      'where to send: a URL, or the recipient of e-mails',
      '发送到哪里：URL，或电子邮件的收件人',
    ),
    token: takes(
      '--token <token>',
      'the token of a Telegram bot, or an access token of ntfy',
      'Telegram 机器人的令牌，或 ntfy 的访问令牌',
    ),
    chat: takes(
      '--chat <chat>',
      'the chat of Telegram: a number, or @name',
      'Telegram 的聊天：编号，或 @名称',
    ),
    sender: takes('--sender <address>', 'the sender of e-mails', '电子邮件的发件人'),
    topics: repeated(
      '--topic <topic>',
      `what it is told; can be repeated (default: all of ${listed(TOPICS)[0]})`,
      `通知哪些事情；可以重复（默认全部：${listed(TOPICS)[1]}）`,
      parseTopic,
    ),
    language: withDefault(
      choice(
        '--language <language>',
        'the language of the notices',
        '通知的语言',
        NOTICE_LANGUAGES,
      ),
      'en',
    ),
    site: takes(
      '--site <address>',
      'where the site answers, for links: https://accounts.example.org',
      '站点的地址，用于链接：https://accounts.example.org',
    ),
  },
  notes: [
    `Other users of this machine can see options of a command. With -, the address or the token is
read from the first line of the standard input.`,
    '本机的其他用户可以看到命令的选项。使用 - 时，从标准输入的第一行读取地址或令牌。',
  ],
  examples: [
    'notice add ntfy --name phone --address https://ntfy.sh/a-topic-that-nobody-guesses --site https://accounts.example.org',
    'notice add slack --name ops --address - --topic new_admin --topic locked_out --site https://accounts.example.org',
    'notice add telegram --name me --token - --chat 123456 --site https://accounts.example.org',
    'notice add email --name ops --address ops@example.org --sender latchkey@example.org --site https://accounts.example.org',
  ],
  before({ address, token }) {
    if (address === '-' && token === '-')
      throw new UsageError('Use - for either --address or --token, not both.')
  },
  async run(site, { kind, name, chat = '', sender = '', language, ...given }, { output }) {
    const { topics = [...TOPICS] } = given
    const request = { kind, name, chat, sender, topics, language, ...(await secretsOf(given)) }
    const origin = originOf(given.site)
    const { id, secret } = await saveChannel(site, of(COMMAND_LINE), request, origin)
    const done = [
      `Added the channel ${id}. To see whether notices arrive: ${latchkey('notice', 'test', String(id))}`,
      ...(kind === 'email' && !(await isMailBound()) ? [NO_MAIL] : []),
      ...(origin === '' ? [NO_LINKS] : []),
    ].join('\n')
    output.done(done, { id, kind, name }, secret === '' ? undefined : { secret })
  },
})

async function channelsOf(site: Site) {
  return (await listChannels(site, of(COMMAND_LINE))).channels
}

/** Lists names in both languages. */
function listed(names: readonly string[]): Text {
  return [names.join(', '), names.join('、')]
}

const NO_LINKS =
  'Its notices have no links, because --site was not given: delete it and add it with --site https://…, the address of this site.'
const NO_MAIL =
  'The site has neither the binding EMAIL nor SMTP_URL, so it can not send e-mails: docs/operating.md, Mail, says how to add one.'

/** Tells whether the site has the binding or the server with which it sends e-mails. */
async function isMailBound(): Promise<boolean> {
  return Boolean(readLocalVars()['SMTP_URL']) || bindsEmail(await readSiteConfig())
}

interface Secrets {
  address?: string | undefined
  token?: string | undefined
}

async function secretsOf({ address = '', token = '' }: Secrets) {
  if (address !== '-' && token !== '-') return { address, token }
  const line = (await readLine(process.stdin)).trim()
  return { address: address === '-' ? line : address, token: token === '-' ? line : token }
}

function originOf(site: string | undefined): string {
  if (site === undefined) return ''
  if (/^https?:\/\//.test(site) && URL.canParse(site)) return new URL(site).origin
  throw new CommandError('--site must be an address such as https://accounts.example.org.')
}

function parseKind(text: string): ChannelKind {
  const kind = CHANNEL_KINDS.find((known) => known === text)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`It must be one of ${CHANNEL_KINDS.join(', ')}.`)
}

function parseTopic(text: string): Topic {
  if (isTopic(text)) return text
  throw new InvalidArgumentError(`It must be one of ${TOPICS.join(', ')}.`)
}

const topics = onSite({
  about: 'chooses what a channel is told',
  zh: '选择通知此渠道哪些事情',
  takes: { id: ID, words: takes('<topics...>', ...listed(TOPICS)) },
  // Commander takes -password for an option.
  allowsUnknownOptions: true,
  notes: [
    'With + or - before each topic, the others stay as they are. all chooses every topic.',
    '主题前加 + 或 - 时，其他主题不变。all 表示全部主题。',
  ],
  examples: [
    'notice topics 1 new_country locked_out',
    'notice topics 1 +password -many_refusals',
    'notice topics 1 all',
  ],
  before: ({ words }) => parseChoice(words),
  async run(site, { id }, { output }, choose) {
    const channels = await channelsOf(site)
    const chosen = choose(channels.find((channel) => channel.id === id)?.topics ?? [])
    await chooseTopics(site, of(COMMAND_LINE), chosen, id)
    output.done(`The channel ${id} is told: ${chosen.join(', ')}.`, { id, topics: chosen })
  },
})

/**
 * Parses all topics of a channel, as `new_country locked_out` or `all`; or changes such as
 * `+password -many_refusals`, also separated by commas.
 *
 * @returns A function that makes the new topics of the present ones; it throws `UsageError` when
 *   none is left.
 */
function parseChoice(texts: readonly string[]): (present: readonly Topic[]) => Topic[] {
  const words = texts.flatMap((text) => text.split(',')).filter((word) => word !== '')
  if (words.length === 1 && words[0] === 'all') return () => [...TOPICS]
  const signed = words.filter((word) => /^[+-]/.test(word))
  const names = words.map((word) => word.replace(/^[+-]/, ''))
  const unknown = names.find((name) => !isTopic(name))
  if (unknown !== undefined)
    throw new UsageError(
      `There is no topic "${unknown}". The topics are all, or some of ${TOPICS.join(', ')}.`,
    )
  if (signed.length === 0) return () => TOPICS.filter((topic) => names.includes(topic))
  if (signed.length < words.length)
    throw new UsageError('Use either names or changes such as +password, not both.')
  return (present) => {
    const isKept = (topic: Topic) =>
      (present.includes(topic) || words.includes(`+${topic}`)) && !words.includes(`-${topic}`)
    const chosen = TOPICS.filter(isKept)
    if (chosen.length > 0) return chosen
    throw new UsageError('A channel is told at least one topic; notice delete deletes it.')
  }
}

/** The local site sends at once, the deployed site in its next run. */
const LOCAL_WAIT_MILLISECONDS = 90_000
const REMOTE_WAIT_MILLISECONDS = 6 * 60_000
const LOOK_MILLISECONDS = 500

const test = onSite({
  about: 'sends a test to a channel, and says whether it arrived',
  zh: '向渠道发送测试，并说明是否送达',
  takes: { id: ID },
  notes: [
    `The site sends the test, not this command: a deployed site within five minutes, a local one
while npm start serves it. The command waits for that.`,
    `测试由站点发送，而不是此命令：已部署的站点在五分钟内发送，本地站点在 npm start 运行时发送。
命令会等待结果。`,
  ],
  examples: ['notice test 1'],
  async run(site, { id }, { output, remote }) {
    const start = site.now()
    await leaveTest(site, COMMAND_LINE, id)
    const end = start + (remote ? REMOTE_WAIT_MILLISECONDS : LOCAL_WAIT_MILLISECONDS)
    const failure = await whileWaiting('Waiting for the site to send it', () =>
      outcomeOf(site, id, start, end),
    )
    if (failure !== '') throw new CommandError(undelivered(failure))
    output.done(`The channel ${id} has received the test.`, { id, delivered: true })
  },
})

/** Says why a test was not delivered, and what to do where the pages explain it. */
function undelivered(failure: string): string {
  const explanation = noticesEn.channels.failures[failure]
  const why = `The test was not delivered: ${failure}.`
  return explanation === undefined ? why : `${why} ${explanation}`
}

/** @returns Why the test was not delivered; empty when it was. */
async function outcomeOf(site: Site, id: number, start: number, end: number): Promise<string> {
  while (site.now() < end) {
    const channels = await channelsOf(site)
    const channel = channels.find((known) => known.id === id)
    if (channel === undefined) return 'the channel was deleted'
    if ((channel.lastSentAt ?? 0) >= start) return ''
    if ((channel.lastFailedAt ?? 0) >= start) return channel.failure
    await site.wait(LOOK_MILLISECONDS)
  }
  return 'the site did not send it; a local site sends only while npm start serves it'
}

const remove = onSite({
  about: 'deletes a channel, with the notices that wait for it',
  zh: '删除渠道及等待发送的通知',
  takes: { id: ID },
  examples: ['notice delete 1'],
  async run(site, { id }, { output }) {
    await deleteChannel(site, of(COMMAND_LINE), id)
    output.done(`Deleted the channel ${id}.`, { id })
  },
})

/** `latchkey notice …`: where notices are sent. */
export const noticeCommands = { list, add, topics, test, delete: remove }
