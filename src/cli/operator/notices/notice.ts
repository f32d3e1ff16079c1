import { type Command, InvalidArgumentError, Option } from 'commander'
import * as v from 'valibot'
import {
  CHANNEL_KINDS,
  type ChannelKind,
  NOTICE_LANGUAGES,
  type NoticeLanguage,
} from '../../../notices/channels.ts'
import {
  chooseTopics,
  createNoticeChannel,
  deleteNoticeChannel,
  leaveTest,
  listNoticeChannels,
} from '../../../notices/manage.ts'
import { channelRecord } from '../../../notices/record.ts'
import { isTopic, type Topic, TOPICS } from '../../../notices/topics.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { CommandError, UsageError } from '../../shared/command-error.ts'
import { readDevVars } from '../../site/dev-vars.ts'
import { readSiteConfig } from '../../site/site-config.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import type { Site } from '../../site/site.ts'
import { readLine } from '../../shared/standard-input.ts'
import { whileWaiting } from '../../shared/waiting.ts'
import { channelsEn } from '../../../pages/texts/channels-en.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parseCount } from '../../shared/paging.ts'
import { latchkey } from '../../shared/printed-command.ts'

const COLUMNS = ['id', 'name', 'kind', 'target', 'topics', 'last_sent_at', 'failure', 'waiting']

const ID_ARGUMENT = 'the id that notice list shows'

interface AddOptions {
  name: string
  address?: string
  token?: string
  chat?: string
  sender?: string
  topic?: Topic[]
  language: NoticeLanguage
  site?: string
}

/** `latchkey notice list|add|topics|test|delete`: where notices are sent. */
export function addNoticeCommands(program: Command, notice: Command): void {
  addListCommand(program, notice)
  addAddCommand(program, notice)
  addTopicsCommand(program, notice)
  addTestCommand(program, notice)
  addDeleteCommand(program, notice)
}

function addListCommand(program: Command, notice: Command): void {
  addHelp(notice.command('list'), { examples: ['notice list'] })
    .description('lists the channels that notices are sent to')
    .action(() =>
      onSite(program, async (site, output) => {
        const content = (await listNoticeChannels(site, COMMAND_LINE)).map(channelRecord)
        const shown = content.map((one) => ({
          ...one,
          topics: one.topics.length === TOPICS.length ? 'all' : one.topics,
          last_sent_at: one.last_sent_at ?? 'never',
        }))
        output.list(COLUMNS, { content, total: content.length }, 'There are no channels.', shown)
      }),
    )
}

const ADD_NOTES =
  'Other users of this machine can see options of a command. With -, the address or the token is\nread from the first line of the standard input.'

function addAddCommand(program: Command, notice: Command): void {
  addHelp(notice.command('add'), {
    notes: ADD_NOTES,
    examples: [
      'notice add ntfy --name phone --address https://ntfy.sh/a-topic-that-nobody-guesses --site https://accounts.example.org',
      'notice add slack --name ops --address - --topic new_admin --topic locked_out --site https://accounts.example.org',
      'notice add telegram --name me --token - --chat 123456 --site https://accounts.example.org',
      'notice add email --name ops --address ops@example.org --sender latchkey@example.org --site https://accounts.example.org',
    ],
  })
    .argument('<kind>', CHANNEL_KINDS.join(', '), parseKind)
    .description('adds a channel; of a webhook, it prints the secret that signs, only once')
    .requiredOption('--name <name>', 'how you recognise the channel')
    .option('--address <address>', 'where to send: a URL, or the recipient of e-mails')
    .option('--token <token>', 'the token of a Telegram bot, or an access token of ntfy')
    .option('--chat <chat>', 'the chat of Telegram: a number, or @name')
    .option('--sender <address>', 'the sender of e-mails')
    .option(
      '--topic <topic>',
      `what it is told; can be repeated (default: all of ${TOPICS.join(', ')})`,
      collectTopic,
    )
    .addOption(
      new Option('--language <language>', 'the language of the notices')
        .choices(NOTICE_LANGUAGES)
        .default('en'),
    )
    .option('--site <address>', 'where the site answers, for links: https://accounts.example.org')
    .action((kind: ChannelKind, options: AddOptions) => {
      if (options.address === '-' && options.token === '-')
        throw new UsageError('Use - for either --address or --token, not both.')
      return onSite(program, async (site, output) => {
        const { name, chat = '', sender = '', topic: topics = [...TOPICS], language } = options
        const wish = { kind, name, chat, sender, topics, language, ...(await secretsOf(options)) }
        const origin = originOf(options.site)
        const { id, secret } = await createNoticeChannel(site, COMMAND_LINE, wish, origin)
        const done = [
          `Added the channel ${id}. To see whether notices arrive: ${latchkey('notice', 'test', String(id))}`,
          ...(kind === 'email' && !(await isMailBound()) ? [NO_MAIL] : []),
          ...(origin === '' ? [NO_LINKS] : []),
        ].join('\n')
        output.done(done, { id, kind, name }, secret === '' ? undefined : { secret })
      })
    })
}

const NO_LINKS =
  'Its notices have no links, because --site was not given: delete it and add it with --site https://…, the address of this site.'
const NO_MAIL =
  'The site has neither the binding EMAIL nor SMTP_URL, so it can not send e-mails: docs/operating.md, Mail, says how to add one.'

const bindingsSchema = v.object({
  send_email: v.optional(v.array(v.looseObject({ name: v.string() })), []),
})

/** Tells whether the site has the binding or the server with which it sends e-mails. */
async function isMailBound(): Promise<boolean> {
  if (process.env['SMTP_URL'] || readDevVars()['SMTP_URL']) return true
  const { send_email: bindings } = v.parse(bindingsSchema, await readSiteConfig())
  return bindings.some(({ name }) => name === 'EMAIL')
}

async function secretsOf({ address = '', token = '' }: AddOptions) {
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
  const kind = CHANNEL_KINDS.find((one) => one === text)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`It must be one of ${CHANNEL_KINDS.join(', ')}.`)
}

function collectTopic(text: string, others: Topic[] = []): Topic[] {
  if (isTopic(text)) return [...others, text]
  throw new InvalidArgumentError(`It must be one of ${TOPICS.join(', ')}.`)
}

function addTopicsCommand(program: Command, notice: Command): void {
  addHelp(notice.command('topics'), {
    notes: TOPICS_NOTES,
    examples: [
      'notice topics 1 new_country locked_out',
      'notice topics 1 +password -many_refusals',
      'notice topics 1 all',
    ],
  })
    .argument('<id>', ID_ARGUMENT, parseCount)
    .argument('<topics...>', TOPICS.join(', '))
    .description('chooses what a channel is told')
    // Commander takes -password for an option.
    .allowUnknownOption()
    .action((id: number, words: string[]) => {
      const choose = parseChoice(words)
      return onSite(program, async (site, output) => {
        const channels = await listNoticeChannels(site, COMMAND_LINE)
        const topics = choose(channels.find((one) => one.id === id)?.topics ?? [])
        await chooseTopics(site, COMMAND_LINE, id, topics)
        output.done(`The channel ${id} is told: ${topics.join(', ')}.`, { id, topics })
      })
    })
}

const TOPICS_NOTES =
  'With + or - before each topic, the others stay as they are. all chooses every topic.'

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
    const topics = TOPICS.filter(isKept)
    if (topics.length > 0) return topics
    throw new UsageError('A channel is told at least one topic; notice delete deletes it.')
  }
}

/** The local site sends at once, the deployed site in its next run. */
const LOCAL_WAIT_MILLISECONDS = 90_000
const REMOTE_WAIT_MILLISECONDS = 6 * 60_000
const LOOK_MILLISECONDS = 500

function addTestCommand(program: Command, notice: Command): void {
  addHelp(notice.command('test'), {
    notes:
      'The site sends the test, not this command: a deployed site within five minutes, a local one\nwhile npm start serves it. The command waits for that.',
    examples: ['notice test 1'],
  })
    .argument('<id>', ID_ARGUMENT, parseCount)
    .description('sends a test to a channel, and says whether it arrived')
    .action((id: number) =>
      onSite(program, async (site, output) => {
        const { remote } = program.opts<GlobalOptions>()
        const start = site.now()
        await leaveTest(site, COMMAND_LINE, id)
        const end = start + (remote ? REMOTE_WAIT_MILLISECONDS : LOCAL_WAIT_MILLISECONDS)
        const failure = await whileWaiting('Waiting for the site to send it', () =>
          outcomeOf(site, id, start, end),
        )
        if (failure !== '') throw new CommandError(undelivered(failure))
        output.done(`The channel ${id} has received the test.`, { id, delivered: true })
      }),
    )
}

/** Says why a test was not delivered, and what to do where the pages explain it. */
function undelivered(failure: string): string {
  const explanation = channelsEn.failures[failure]
  const why = `The test was not delivered: ${failure}.`
  return explanation === undefined ? why : `${why} ${explanation}`
}

/** @returns Why the test was not delivered; empty when it was. */
async function outcomeOf(site: Site, id: number, start: number, end: number): Promise<string> {
  while (site.now() < end) {
    const channels = await listNoticeChannels(site, COMMAND_LINE)
    const channel = channels.find((one) => one.id === id)
    if (channel === undefined) return 'the channel was deleted'
    if ((channel.lastSentAt ?? 0) >= start) return ''
    if ((channel.lastFailedAt ?? 0) >= start) return channel.failure
    await site.wait(LOOK_MILLISECONDS)
  }
  return 'the site did not send it; a local site sends only while npm start serves it'
}

function addDeleteCommand(program: Command, notice: Command): void {
  addHelp(notice.command('delete'), { examples: ['notice delete 1'] })
    .argument('<id>', ID_ARGUMENT, parseCount)
    .description('deletes a channel, with the notices that wait for it')
    .action((id: number) =>
      onSite(program, async (site, output) => {
        await deleteNoticeChannel(site, COMMAND_LINE, id)
        output.done(`Deleted the channel ${id}.`, { id })
      }),
    )
}
