import type { Child } from 'hono/jsx'
import * as v from 'valibot'
import { own } from '../../../core/base/own.ts'
import type { ChannelKind } from '../channels.ts'
import type { ListedChannel } from '../store.ts'
import type { Topic } from '../../../core/audit/topics.ts'
import type { Fields, Problem } from '../../../web/kit/form.ts'
import type { IconName } from '../../../web/kit/icons.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { ShownOnce } from '../../../web/kit/parts.tsx'
import type { Texts } from '../../../web/kit/texts.ts'
import { Time, TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'

/** The groups of topics, in their order. */
const TOPIC_GROUP_NAMES = ['signIns', 'protection', 'accounts'] as const

export type TopicGroup = (typeof TOPIC_GROUP_NAMES)[number]

const GROUP_OF_TOPIC: Record<Topic, TopicGroup> = {
  new_network: 'signIns',
  new_country: 'signIns',
  locked_out: 'signIns',
  many_refusals: 'signIns',
  second_factor_off: 'protection',
  password: 'protection',
  credential_added: 'protection',
  reset_link: 'protection',
  passkey_cloned: 'protection',
  access_replayed: 'protection',
  new_admin: 'accounts',
  registration: 'accounts',
  account_end: 'accounts',
  groups: 'accounts',
  program_registered: 'accounts',
}

const boxOf = (topic: Topic) => `topic-${topic}`

/** Reads the boxes that `TopicBoxes` renders. */
export function chosenTopics<Name extends Topic>(names: readonly Name[], fields: Fields): Name[] {
  return names.filter((topic) => boxOf(topic) in fields)
}

interface BoxesProps {
  view: View
  topics: readonly Topic[]
  chosen: readonly Topic[]
  problem?: Problem | undefined
  /** The label of each topic; without it, that for operators. */
  words?: Partial<Record<Topic, string>>
  /** The text before them is their legend already. */
  isLabelled?: boolean
}

/** A checkbox for every topic. */
export function TopicBoxes({ isLabelled = false, ...props }: BoxesProps) {
  const { view, topics, chosen, problem, words } = props
  const t = view.t.channels
  const isWrong = problem?.field === 'topics'
  const groups = TOPIC_GROUP_NAMES.filter((group) =>
    topics.some((topic) => GROUP_OF_TOPIC[topic] === group),
  )
  return (
    <fieldset aria-label={isLabelled ? t.topicsLabel : undefined}>
      {!isLabelled && <legend>{t.topicsLabel}</legend>}
      {isWrong && <p class="problem">{problem.message}</p>}
      <div class="boxes">
        {groups.map((group) => (
          <fieldset>
            <legend>{t.topicGroups[group]}</legend>
            {topics
              .filter((topic) => GROUP_OF_TOPIC[topic] === group)
              .map((topic) => (
                <label>
                  <input type="checkbox" name={boxOf(topic)} checked={chosen.includes(topic)} />
                  {words?.[topic] ?? t.topics[topic]}
                </label>
              ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  )
}

const ICONS: Record<ChannelKind, IconName> = {
  webhook: 'channels',
  ntfy: 'notices',
  slack: 'chat',
  discord: 'chat',
  telegram: 'chat',
  bark: 'phone',
  email: 'mail',
}

export function channelIcon(kind: ChannelKind): IconName {
  return ICONS[kind]
}

/** The facts of a channel in lists, beside its name. */
export function ChannelFacts({ view, channel }: { view: View; channel: ListedChannel }) {
  const t = view.t.channels
  const { lastSentAt, lastFailedAt, failure, waiting, lost } = channel
  return (
    <>
      <p class="facts">
        <span>{t.kinds[channel.kind]}</span>
        <span>{channel.target}</span>
      </p>
      <p class="facts">
        <TimeFact view={view} at={lastSentAt} phrase={t.lastSent} none={t.neverSent} />
        {waiting > 0 && <span>{t.waiting(waiting)}</span>}
        {lost > 0 && <span class="problem">{t.lost(lost)}</span>}
      </p>
      {failure !== '' && lastFailedAt !== null && (
        <p class="facts">
          <span class="problem">
            <Time view={view} at={lastFailedAt} phrase={t.lastFailed} />
          </span>
          <span class="problem">{failureText(view.t, failure)}</span>
        </p>
      )}
    </>
  )
}

/** @param failure A code of `notices/post.ts`. */
function failureText({ channels: t }: Texts, failure: string): string {
  return own(t.failures, failure) ?? t.failedStatus(failure.replace(/\D/g, ''))
}

/** Returns the problem of a test that was not delivered; `undefined` without a failure. */
export function testProblem(t: Texts, failure: string | undefined): Problem | undefined {
  if (failure === undefined) return undefined
  return { field: undefined, message: t.channels.testFailed(failureText(t, failure)) }
}

/** Shows the secret of a webhook once, in the answer to the form that created it. */
export function WebhookSecretPage({ view, secret, back }: SecretProps): Child {
  const t = view.t.channels
  return (
    <AccountPage view={view} title={t.secretTitle}>
      <h1>{t.secretTitle}</h1>
      <article>
        <p>{t.secretLead}</p>
        <ShownOnce
          view={view}
          id="secret"
          label={t.secret}
          secret={secret}
          rows={2}
          next={back}
          done={t.secretDone}
        />
      </article>
    </AccountPage>
  )
}

interface SecretProps {
  view: View
  secret: string
  back: string
}

/** The id of a channel in a form. */
export const channelIdForm = v.object({
  id: v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number)),
})
