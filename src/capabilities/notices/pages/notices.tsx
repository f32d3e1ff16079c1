import { own } from '../../../core/base/own.ts'
import { OWN_CHANNEL_KINDS } from '../channels.ts'
import type { ListedChannel } from '../store.ts'
import { OWN_TOPICS, type Topic } from '../../../core/audit/topics.ts'
import { ChannelFacts, chosenTopics, testProblem, TopicBoxes } from './channel-parts.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons } from '../../../web/kit/fields.tsx'
import {
  echo,
  type Fields,
  type Problem,
  problemIn,
  type ShownRefused,
} from '../../../web/kit/form.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import { OtherChoices } from '../../../web/kit/frames.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Badge, CopyButton, Heading } from '../../../web/kit/parts.tsx'
import { Choices } from '../../../web/kit/rows.tsx'
import type { View } from '../../../web/kit/view.ts'

export const OWN_NOTICES_PATH = '/account/notices'

/** The kinds of channels that users may choose. */
type OwnKind = (typeof OWN_CHANNEL_KINDS)[number]

interface OwnNoticesProps {
  view: View
  channel: ListedChannel | undefined
  /** The confirmed address; `undefined` without one, and where the site sends no mail. */
  address: string | undefined
  /** Why a test was not delivered. */
  failure?: string | undefined
}

interface OwnNoticesPageProps extends OwnNoticesProps {
  refused: ShownRefused | undefined
}

/** The channel of a user, who is told what happens to the own account. */
export function OwnNoticesPage(props: OwnNoticesPageProps) {
  const { view, channel, address, refused, failure } = props
  const t = view.t.channels
  const isAtForm = channel !== undefined && ['topics', 'delete'].includes(refused?.form ?? '')
  const hints = {
    ...t.ownKindHints,
    ...(address !== undefined && { email: t.ownEmailTo(address) }),
  }
  const choiceOf = (kind: OwnKind) => ({
    href: `${OWN_NOTICES_PATH}?kind=${kind}`,
    icon: OWN_ICONS[kind],
    title: t.ownKinds[kind],
    hint: hints[kind],
  })
  const { choices, others } = kindsFor(props)
  return (
    <AccountPage view={view} title={view.t.nav.notices}>
      <Heading title={view.t.nav.notices} lead={t.ownLead} />
      <Alert
        problem={(isAtForm ? undefined : refused?.problem) ?? testProblem(view.t, failure)}
        fields={[]}
      />
      {channel !== undefined && <OwnChannel view={view} channel={channel} refused={refused} />}
      {channel === undefined && address !== undefined && (
        <EmailCard view={view} address={address} problem={undefined} />
      )}
      {choices.length > 0 && (
        <>
          <h2>{channel === undefined ? t.ownWhere : t.replaceTitle}</h2>
          {channel !== undefined && <p class="hint">{t.replaceHint}</p>}
          <Choices
            choices={choices.map((kind) =>
              kind === 'email' && address === undefined
                ? { ...choiceOf(kind), href: emailPageOf(view) ?? '' }
                : choiceOf(kind),
            )}
          />
        </>
      )}
      <OtherChoices label={view.t.confirm.another} choices={others.map(choiceOf)} />
      {channel === undefined && address === undefined && (
        <section>
          <h2>{t.topicsLabel}</h2>
          <ul class="may">
            {OWN_TOPICS.map((topic) => (
              <li>{t.ownTopics[topic]}</li>
            ))}
          </ul>
        </section>
      )}
    </AccountPage>
  )
}

/** Returns the page on which a user confirms an address; `undefined` where the site has none. */
function emailPageOf(view: View): string | undefined {
  return view.parts.find(({ emailPage }) => emailPage !== undefined)?.emailPage
}

/** Returns what a user may choose: e-mail first where the site sends mail, else the phone. */
function kindsFor({ view, channel, address }: OwnNoticesProps): {
  choices: OwnKind[]
  others: OwnKind[]
} {
  const isOffered = channel === undefined && address !== undefined
  const hasEmail = view.hasMail && (address !== undefined || emailPageOf(view) !== undefined)
  const others = (['ntfy', 'webhook'] as const).filter((kind) => kind !== channel?.kind)
  if (!hasEmail)
    return {
      choices: others.filter((kind) => kind === 'ntfy'),
      others: others.filter((kind) => kind === 'webhook'),
    }
  const isChosen = channel?.kind === 'email' && address !== undefined
  return { choices: isOffered || isChosen ? [] : ['email'], others }
}

const OWN_ICONS = { email: 'mail', ntfy: 'phone', webhook: 'terminal' } as const

interface EmailCardProps {
  view: View
  address: string
  chosen?: readonly Topic[]
  problem: Problem | undefined
}

/** Turns notices by e-mail on with one press. */
function EmailCard({ view, address, chosen = OWN_TOPICS, problem }: EmailCardProps) {
  const t = view.t.channels
  return (
    <article>
      <header>
        <Tile icon="mail" />
        <h2>{t.ownKinds.email}</h2>
      </header>
      <p>{t.ownEmailTo(address)}</p>
      <form class="wide" method="post" action={`${OWN_NOTICES_PATH}/save`}>
        <Alert problem={problem} fields={['topics', ...CONFIRM_FIELDS]} />
        <input type="hidden" name="kind" value="email" />
        <TopicBoxes
          view={view}
          topics={OWN_TOPICS}
          words={t.ownTopics}
          chosen={chosen}
          problem={problem}
        />
        <ConfirmFields view={view} form="save" problem={problem} />
        <p class="buttons">
          <button>{t.ownAdd}</button>
        </p>
      </form>
    </article>
  )
}

interface OwnChannelProps {
  view: View
  channel: ListedChannel
  refused: ShownRefused | undefined
}

function OwnChannel({ view, channel, refused }: OwnChannelProps) {
  const t = view.t.channels
  const topicsProblem = problemIn(refused, 'topics')
  const title = own(t.ownKinds, channel.kind) ?? t.kinds[channel.kind]
  return (
    <article>
      <header>
        <Tile
          icon={own(OWN_ICONS, channel.kind) ?? 'notices'}
          tone={channel.failure === '' ? 'green' : 'red'}
        />
        <h2>
          {title}
          <Badge tone="good">{view.t.security.on}</Badge>
        </h2>
      </header>
      <ChannelFacts view={view} channel={channel} />
      <div class="decide">
        <form method="post" action={`${OWN_NOTICES_PATH}/test`}>
          <button class="secondary">{t.test}</button>
        </form>
        <Change
          view={view}
          label={t.topicsChange}
          action={`${OWN_NOTICES_PATH}/topics`}
          submit={t.save}
          problem={topicsProblem}
          confirmedAs="topics"
          isHarmless
        >
          <TopicBoxes
            view={view}
            topics={OWN_TOPICS}
            words={t.ownTopics}
            chosen={
              topicsProblem && refused ? chosenTopics(OWN_TOPICS, refused.fields) : channel.topics
            }
            isLabelled
          />
        </Change>
        {channel.kind !== 'email' && (
          <a role="button" class="secondary" href={`${OWN_NOTICES_PATH}?kind=${channel.kind}`}>
            {t.changeAddress}
          </a>
        )}
        <Change
          view={view}
          label={t.ownDelete}
          question={t.deleteOwnQuestion}
          action={`${OWN_NOTICES_PATH}/delete`}
          submit={t.ownDelete}
          problem={problemIn(refused, 'delete')}
          confirmedAs="delete"
        />
      </div>
    </article>
  )
}

interface ChannelFormProps extends OwnNoticesProps {
  problem?: Problem | undefined
  kind: OwnKind
  /** The values of a refused form. */
  fields?: Fields | undefined
  /** A topic of ntfy that nobody guesses, for a user who has none yet. */
  newTopic: string
}

/** Asks for the address of a channel, step by step. */
export function OwnChannelPage(props: ChannelFormProps) {
  const { view, channel, address, kind, fields, problem } = props
  const t = view.t.channels
  const chosen =
    fields === undefined ? (channel?.topics ?? OWN_TOPICS) : chosenTopics(OWN_TOPICS, fields)
  if (kind === 'email') {
    return (
      <AccountPage view={view} title={t.ownKinds.email}>
        <Heading title={view.t.nav.notices} lead={t.ownLead} />
        <EmailCard view={view} address={address ?? ''} chosen={chosen} problem={problem} />
      </AccountPage>
    )
  }
  return (
    <AccountPage view={view} title={t.ownKinds[kind]}>
      <Heading title={t.ownKinds[kind]} lead={t.ownKindHints[kind]} />
      <article>
        <form class="wide" method="post" action={`${OWN_NOTICES_PATH}/save`}>
          <Alert problem={problem} fields={['address', 'topics', ...CONFIRM_FIELDS]} />
          <input type="hidden" name="kind" value={kind} />
          <ol class="steps">
            {kind === 'ntfy' ? <NtfySteps {...props} /> : <WebhookStep {...props} />}
            <li>
              <TopicBoxes
                view={view}
                topics={OWN_TOPICS}
                words={t.ownTopics}
                chosen={chosen}
                problem={problem}
              />
              <ConfirmFields view={view} form="save" problem={problem} />
              <FormButtons
                view={view}
                submit={channel === undefined ? t.ownAdd : t.replace}
                back={OWN_NOTICES_PATH}
              />
            </li>
          </ol>
        </form>
      </article>
    </AccountPage>
  )
}

/** The server of ntfy's makers, for everybody. */
const NTFY = 'https://ntfy.sh'

function NtfySteps({ view, fields, problem, newTopic }: ChannelFormProps) {
  const t = view.t.channels
  const address = fields === undefined ? `${NTFY}/${newTopic}` : echo(fields, 'address')
  return (
    <>
      <li>
        <h2>{t.ntfyInstall}</h2>
        <p>{t.ntfyInstallHow}</p>
      </li>
      <li>
        <h2>{t.ntfySubscribe}</h2>
        <p>{t.ntfySubscribeHow}</p>
        <div class="command">
          <code id="topic">{newTopic}</code>
          <CopyButton view={view} from="topic" />
        </div>
      </li>
      <li>
        <h2>{t.ntfyAddress}</h2>
        <Field
          name="address"
          label={t.address}
          hint={t.ntfyAddressHint}
          value={address}
          problem={problem}
        />
      </li>
    </>
  )
}

function WebhookStep({ view, fields, problem }: ChannelFormProps) {
  const t = view.t.channels
  return (
    <li>
      <Field
        name="address"
        label={t.address}
        hint={t.ownAddressHint}
        value={echo(fields, 'address')}
        problem={problem}
        focus
      />
    </li>
  )
}
