import { CHANNEL_KINDS } from '../../notices/channels.ts'
import type { ListedChannel } from '../../notices/store.ts'
import { TOPICS } from '../../notices/topics.ts'
import { ChannelFacts, chosenTopics, TopicBoxes } from '../channel-parts.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Empty, Field, Heading, Rows } from '../parts.tsx'
import type { View } from '../view.ts'

export const NOTICES_PATH = '/account/admin/notices'

interface NoticesProps {
  view: View
  channels: ListedChannel[]
  /** The values of a refused form for a new channel. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

const FIELDS = ['kind', 'name', 'address', 'token', 'chat', 'sender', 'topics', ...CONFIRM_FIELDS]

/** The channels of the operators. */
export function NoticesPage({ view, channels, fields, problem }: NoticesProps) {
  const t = view.t.channels
  const ofForm = fields === undefined ? undefined : problem
  return (
    <AccountPage view={view} title={view.t.nav.channels}>
      <Heading title={view.t.nav.channels} lead={t.adminLead} />
      {fields === undefined && <Alert problem={problem} fields={[]} />}
      <Rows
        rows={channels.map((channel) => (
          <ChannelRow view={view} channel={channel} />
        ))}
        none={<Empty icon="channels" title={t.none} hint={t.noneHint} />}
        actions="below"
      />
      <article>
        <h2>{t.addTitle}</h2>
        <form method="post" action={`${NOTICES_PATH}/add`}>
          <Alert problem={ofForm} fields={FIELDS} />
          <Field
            name="kind"
            label={t.kind}
            options={CHANNEL_KINDS.map((kind) => [kind, t.kinds[kind]] as const)}
            value={echo(fields, 'kind') || 'webhook'}
            problem={ofForm}
          />
          {(['name', 'address', 'token', 'chat', 'sender'] as const).map((name) => (
            <Field
              name={name}
              label={t[name]}
              hint={t[`${name}Hint`]}
              value={name === 'token' ? '' : echo(fields, name)}
              problem={ofForm}
              optional={name !== 'name'}
            />
          ))}
          <TopicBoxes
            view={view}
            topics={TOPICS}
            chosen={fields === undefined ? TOPICS : chosenTopics(TOPICS, fields)}
            problem={ofForm}
          />
          <ConfirmFields view={view} form="add" problem={ofForm} />
          <button>{t.add}</button>
        </form>
      </article>
    </AccountPage>
  )
}

function ChannelRow({ view, channel }: { view: View; channel: ListedChannel }) {
  const t = view.t.channels
  const id = String(channel.id)
  return (
    <li>
      <h2>{channel.name}</h2>
      <ChannelFacts view={view} channel={channel} />
      <div class="pair">
        <form method="post" action={`${NOTICES_PATH}/test`}>
          <button class="secondary" name="id" value={id}>
            {t.test}
          </button>
        </form>
        <Change
          view={view}
          label={t.topicsLabel}
          action={`${NOTICES_PATH}/topics`}
          values={{ id }}
          submit={t.save}
          confirmedAs={`topics-${id}`}
          isHarmless
        >
          <TopicBoxes view={view} topics={TOPICS} chosen={channel.topics} isLabelled />
        </Change>
        <Change
          view={view}
          label={t.delete}
          question={t.deleteQuestion(channel.name)}
          action={`${NOTICES_PATH}/delete`}
          values={{ id }}
          submit={t.deleteSubmit}
          confirmedAs={`delete-${id}`}
        />
      </div>
    </li>
  )
}
