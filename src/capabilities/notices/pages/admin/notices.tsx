import { CHANNEL_KINDS, type ChannelKind } from '../../channels.ts'
import type { ListedChannel } from '../../store.ts'
import { type Topic, TOPICS } from '../../../../core/audit/topics.ts'
import {
  ChannelFacts,
  channelIcon,
  chosenTopics,
  testProblem,
  TopicBoxes,
} from '../channel-parts.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../../web/kit/fields.tsx'
import {
  echo,
  type Fields,
  isOfRow,
  type Problem,
  problemIn,
  type ShownRefused,
} from '../../../../web/kit/form.ts'
import { KindPage, ListPage } from '../../../../web/kit/frames.tsx'
import { Tile } from '../../../../web/kit/icons.tsx'
import { Empty, Menu, NEWEST, Row } from '../../../../web/kit/rows.tsx'
import type { View } from '../../../../web/kit/view.ts'

export const NOTICES_PATH = '/account/admin/notices'

interface NoticesProps {
  view: View
  channels: ListedChannel[]
  refused: ShownRefused<ChannelForm> | undefined
  /** Why a test was not delivered. */
  failure?: string | undefined
}

/** The forms of the page, by the last segment of their path. */
export type ChannelForm = 'add' | 'topics' | 'delete' | 'test'

/** The channels of the operators. */
export function NoticesPage({ view, channels, refused, failure }: NoticesProps) {
  const t = view.t.channels
  const isInRow =
    refused?.form !== 'test' && channels.some(({ id }) => isOfRow(refused, { id: String(id) }))
  const newestFirst = channels.toSorted((a, b) => b.id - a.id)
  const failingFirst = newestFirst.toSorted(
    (a, b) => Number(a.failure === '') - Number(b.failure === ''),
  )
  return (
    <ListPage
      view={view}
      title={view.t.nav.channels}
      lead={t.adminLead}
      problem={(isInRow ? undefined : refused?.problem) ?? testProblem(view.t, failure)}
      add={{ href: `${NOTICES_PATH}/add`, label: t.add }}
      rows={failingFirst.map((channel) => (
        <ChannelRow
          view={view}
          channel={channel}
          id={channel === newestFirst[0] ? NEWEST : undefined}
          refused={refused}
        />
      ))}
      none={<Empty icon="channels" title={t.none} hint={t.noneHint} />}
    />
  )
}

/** What a takeover of the site or of an account looks like; ticked for a new channel. */
const DANGEROUS: readonly Topic[] = [
  'second_factor_off',
  'new_admin',
  'passkey_cloned',
  'access_replayed',
  'program_registered',
  'many_refusals',
]

/** Most people have e-mail, so its form is the one that opens. */
const FIRST_KIND: ChannelKind = 'email'

type KindField = 'address' | 'token' | 'chat' | 'sender'

/** The fields of each kind, after the name. */
const FIELDS_OF_KIND = {
  webhook: ['address'],
  ntfy: ['address', 'token'],
  slack: ['address'],
  discord: ['address'],
  telegram: ['token', 'chat', 'address'],
  bark: ['address'],
  email: ['address', 'sender'],
} as const satisfies Record<ChannelKind, readonly KindField[]>

interface NewChannelProps {
  view: View
  /** The values of a refused form. */
  fields?: Fields | undefined
  kind: string | undefined
  problem?: Problem | undefined
}

/** Asks for the fields of a new channel; other kinds are one press away. */
export function NewChannelPage({ view, kind: name, fields, problem }: NewChannelProps) {
  const t = view.t.channels
  const kind = CHANNEL_KINDS.find((known) => known === name) ?? FIRST_KIND
  const choiceOf = (item: ChannelKind) => ({
    href: `${NOTICES_PATH}/add?kind=${item}`,
    icon: channelIcon(item),
    title: t.kinds[item],
    hint: t.kindHints[item],
  })
  return (
    <KindPage
      view={view}
      title={t.addTitle}
      problem={problem}
      others={{
        label: t.anotherKind,
        choices: CHANNEL_KINDS.filter((item) => item !== kind).map(choiceOf),
      }}
      back={{ href: NOTICES_PATH, label: view.t.nav.channels }}
      form={<NewChannelForm view={view} kind={kind} fields={fields} problem={problem} />}
    />
  )
}

function NewChannelForm(props: NewChannelProps & { kind: ChannelKind }) {
  const { view, kind, fields, problem } = props
  const t = view.t.channels
  const own: readonly KindField[] = FIELDS_OF_KIND[kind]
  const seldom = own.filter((name) => isSeldom(kind, name))
  const fieldOf = (name: KindField) => (
    <Field
      name={name}
      label={t[name]}
      value={name === 'token' ? '' : echo(fields, name)}
      problem={problem}
      {...hintOf(view, kind, name)}
      optional={isSeldom(kind, name)}
    />
  )
  return (
    <article>
      <header>
        <Tile icon={channelIcon(kind)} />
        <hgroup>
          <h2>{t.kinds[kind]}</h2>
          <p>{t.kindHints[kind]}</p>
        </hgroup>
      </header>
      <form class="wide beside" method="post" action={`${NOTICES_PATH}/add`}>
        <Alert problem={problem} fields={['name', ...own, 'topics', ...CONFIRM_FIELDS]} />
        <input type="hidden" name="kind" value={kind} />
        <Field
          name="name"
          label={t.name}
          hint={t.nameHint}
          value={echo(fields, 'name')}
          problem={problem}
          focus
          spellcheck
        />
        {own.filter((name) => !isSeldom(kind, name)).map(fieldOf)}
        <TopicBoxes
          view={view}
          topics={TOPICS}
          chosen={fields === undefined ? DANGEROUS : chosenTopics(TOPICS, fields)}
          problem={problem}
        />
        {seldom.length > 0 && (
          <details class="older" open={seldom.some((name) => name === problem?.field)}>
            <summary>{t.more}</summary>
            {seldom.map(fieldOf)}
          </details>
        )}
        <ConfirmFields view={view} form="add" problem={problem} />
        <FormButtons view={view} submit={t.add} back={NOTICES_PATH} />
      </form>
    </article>
  )
}

/** Tells which fields are for servers of one's own, and for topics with a password. */
function isSeldom(kind: ChannelKind, name: KindField): boolean {
  return (kind === 'ntfy' && name === 'token') || (kind === 'telegram' && name === 'address')
}

function hintOf({ t }: View, kind: ChannelKind, name: KindField) {
  const hint = t.channels.fieldHints[kind]?.[name]
  return hint === undefined ? {} : { hint }
}

interface ChannelRowProps {
  view: View
  channel: ListedChannel
  id: string | undefined
  refused: ShownRefused<ChannelForm> | undefined
}

function ChannelRow({ view, channel, id: place, refused }: ChannelRowProps) {
  const t = view.t.channels
  const id = String(channel.id)
  const topicsProblem = problemIn(refused, 'topics', { id })
  const deleteProblem = problemIn(refused, 'delete', { id })
  const chosen = topicsProblem && refused ? chosenTopics(TOPICS, refused.fields) : channel.topics
  return (
    <Row
      id={place}
      icon={channelIcon(channel.kind)}
      tone={channel.failure === '' ? 'blue' : 'red'}
      title={channel.name}
    >
      <ChannelFacts view={view} channel={channel} />
      <Menu
        label={view.t.actionsFor(channel.name)}
        open={(topicsProblem ?? deleteProblem) !== undefined}
      >
        <form method="post" action={`${NOTICES_PATH}/test`}>
          <button class="secondary" name="id" value={id}>
            {t.test}
          </button>
        </form>
        <Change
          view={view}
          label={t.topicsChange}
          action={`${NOTICES_PATH}/topics`}
          values={{ id }}
          submit={t.save}
          problem={topicsProblem}
          confirmedAs={`topics-${id}`}
          isHarmless
        >
          <TopicBoxes view={view} topics={TOPICS} chosen={chosen} isLabelled />
        </Change>
        <Change
          view={view}
          label={t.delete}
          question={t.deleteQuestion(channel.name)}
          action={`${NOTICES_PATH}/delete`}
          values={{ id }}
          named={channel.name}
          submit={t.deleteSubmit}
          problem={deleteProblem}
          confirmedAs={`delete-${id}`}
        />
      </Menu>
    </Row>
  )
}
