import { OWN_CHANNEL_KINDS } from '../../notices/channels.ts'
import type { ListedChannel } from '../../notices/store.ts'
import { OWN_TOPICS } from '../../notices/topics.ts'
import { ChannelFacts, channelIcon, chosenTopics, TopicBoxes } from '../channel-parts.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Field, Fold, Heading, Menu, Row } from '../parts.tsx'
import type { View } from '../view.ts'

export const OWN_NOTICES_PATH = '/account/notices'

interface OwnNoticesProps {
  view: View
  channel: ListedChannel | undefined
  /** The values of a refused form. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** The channel of a user, who is told what happens to the own account. */
export function OwnNoticesPage({ view, channel, fields, problem }: OwnNoticesProps) {
  const t = view.t.channels
  const form = <ChannelForm view={view} channel={channel} fields={fields} problem={problem} />
  return (
    <AccountPage view={view} title={view.t.nav.notices}>
      <Heading title={view.t.nav.notices} lead={t.ownLead} />
      {fields === undefined && <Alert problem={problem} fields={[]} />}
      {channel === undefined ? (
        <article>
          <h2>{t.addTitle}</h2>
          {form}
        </article>
      ) : (
        <>
          <OwnChannel view={view} channel={channel} />
          <Fold title={t.replaceTitle} about={t.replaceHint} open={fields !== undefined}>
            {form}
          </Fold>
        </>
      )}
    </AccountPage>
  )
}

function OwnChannel({ view, channel }: { view: View; channel: ListedChannel }) {
  const t = view.t.channels
  return (
    <ul class="rows">
      <Row
        icon={channelIcon(channel.kind)}
        tone={channel.failure === '' ? 'blue' : 'red'}
        title={t.ownTitle}
      >
        <ChannelFacts view={view} channel={channel} />
        <Menu label={view.t.actionsFor(t.ownTitle)}>
          <form method="post" action={`${OWN_NOTICES_PATH}/test`}>
            <button class="secondary">{t.test}</button>
          </form>
          <Change
            view={view}
            label={t.topicsLabel}
            action={`${OWN_NOTICES_PATH}/topics`}
            submit={t.save}
            confirmedAs="topics"
            isHarmless
          >
            <TopicBoxes view={view} topics={OWN_TOPICS} chosen={channel.topics} isLabelled />
          </Change>
          <Change
            view={view}
            label={t.delete}
            question={t.deleteOwnQuestion}
            action={`${OWN_NOTICES_PATH}/delete`}
            submit={t.deleteSubmit}
            confirmedAs="delete"
          />
        </Menu>
      </Row>
    </ul>
  )
}

function ChannelForm({ view, channel, fields, problem }: OwnNoticesProps) {
  const t = view.t.channels
  const ofForm = fields === undefined ? undefined : problem
  const chosen =
    fields === undefined ? (channel?.topics ?? OWN_TOPICS) : chosenTopics(OWN_TOPICS, fields)
  return (
    <form class="wide" method="post" action={`${OWN_NOTICES_PATH}/save`}>
      <Alert problem={ofForm} fields={['kind', 'address', 'topics', ...CONFIRM_FIELDS]} />
      <Field
        name="kind"
        label={t.kind}
        hint={t.ntfy}
        options={OWN_CHANNEL_KINDS.map((kind) => [kind, t.kinds[kind]] as const)}
        value={echo(fields, 'kind') || channel?.kind || 'ntfy'}
        problem={ofForm}
      />
      <Field
        name="address"
        label={t.address}
        hint={t.ownAddressHint}
        value={echo(fields, 'address')}
        problem={ofForm}
      />
      <TopicBoxes view={view} topics={OWN_TOPICS} chosen={chosen} problem={ofForm} />
      <ConfirmFields view={view} form="save" problem={ofForm} />
      <button>{channel === undefined ? t.add : t.replace}</button>
    </form>
  )
}
