import { Hono } from 'hono'
import type { App, AppContext } from '../../../web/http/context.ts'
import { toBase32 } from '../../../core/base/base32.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { OWN_CHANNEL_KINDS, ownChannelSchema, ownTopicsSchema } from '../channels.ts'
import {
  chooseOwnTopics,
  deleteOwnChannel,
  findOwnChannel,
  saveOwnChannel,
  testOwnChannel,
} from '../manage.ts'
import { OWN_TOPICS } from '../../../core/audit/topics.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate } from '../../../web/http/input.ts'
import { chosenTopics, testProblem, WebhookSecretPage } from './channel-parts.tsx'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { attempt, type Fields, problemOf, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { languageOf, textsFor } from '../../../web/kit/language.ts'
import { backTo, goTo, readView, showPage } from '../../../web/kit/view.ts'
import { OWN_NOTICES_PATH, OwnChannelPage, type OwnKind, OwnNoticesPage } from './notices.tsx'

/** The page of the notices that a user gets about the own account, under `/account/notices`. */
export const noticePages = new Hono<App>()
  .get('/', (c) => {
    const kind = findKind(c.req.query('kind'))
    return kind === undefined ? showNotices(c) : showChannelForm(c, kind)
  })
  .post('/save', async (c) => {
    const fields = await readForm(c)
    const saved = await attempt(async () => {
      const topics = chosenTopics(OWN_TOPICS, fields)
      const request = validate(ownChannelSchema, { ...fields, topics, language: languageOf(c) })
      await confirmWith(c, fields)
      return saveOwnChannel(c.get('deps'), sessionOf(c), request, new URL(c.req.url).origin)
    })
    if (saved instanceof Refusal) {
      const kind = findKind(fields['kind'])
      const refusal = saved
      return kind === undefined
        ? showNotices(c, { refusal })
        : showChannelForm(c, kind, fields, refusal)
    }
    if (saved.secret === '') return goTo(c, OWN_NOTICES_PATH, 'notices-on')
    const { account } = await findOwnChannel(c.get('deps'), sessionOf(c))
    const view = await readView(c, account)
    const { secret } = saved
    return showPage(c, <WebhookSecretPage view={view} secret={secret} back={OWN_NOTICES_PATH} />)
  })
  .post('/topics', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { topics } = validate(ownTopicsSchema, { topics: chosenTopics(OWN_TOPICS, fields) })
      await confirmWith(c, fields)
      await chooseOwnTopics(c.get('deps'), sessionOf(c), topics)
    })
    if (refusal instanceof Refusal) return showNotices(c, { refusal })
    return goTo(c, OWN_NOTICES_PATH, 'topics-saved')
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      await deleteOwnChannel(c.get('deps'), sessionOf(c))
    })
    if (refusal instanceof Refusal) return showNotices(c, { refusal })
    return goTo(c, OWN_NOTICES_PATH, 'notices-off')
  })
  .post('/test', async (c) => {
    const outcome = await attempt(() => testOwnChannel(c.get('deps'), sessionOf(c)))
    if (outcome instanceof Refusal) return showNotices(c, { refusal: outcome })
    if (outcome === undefined) return goTo(c, OWN_NOTICES_PATH, 'channel-tested')
    return showNotices(c, { failure: outcome })
  })
  .get('/:form', backTo(OWN_NOTICES_PATH))

function findKind(name: string | undefined): OwnKind | undefined {
  return OWN_CHANNEL_KINDS.find((kind) => kind === name)
}

async function showChannelForm(c: AppContext, kind: OwnKind, fields?: Fields, refusal?: Refusal) {
  const deps = c.get('deps')
  const { account, channel } = await findOwnChannel(deps, sessionOf(c))
  const newTopic = topicIn(fields) ?? toBase32(deps.randomBytes(TOPIC_BYTES)).toLowerCase()
  const props = { view: await readView(c, account), channel, kind, fields, newTopic }
  return showForm(c, OwnChannelPage, props, refusal)
}

/** Random bytes of the topic that the form offers; nobody can guess so many. */
const TOPIC_BYTES = 10

/** Reads the topic of a refused form, to which the app may have subscribed. */
function topicIn(fields: Fields | undefined): string | undefined {
  return /^https:\/\/[^/]+\/([\w-]+)$/.exec(fields?.['address'] ?? '')?.[1]
}

interface Shown {
  refusal?: Refusal
  /** Why a test was not delivered. */
  failure?: string
}

async function showNotices(c: AppContext, { refusal, failure }: Shown = {}) {
  const { account, channel } = await findOwnChannel(c.get('deps'), sessionOf(c))
  const t = textsFor(c)
  const failed = failure === undefined ? undefined : testProblem(t, failure)
  const problem = refusal === undefined ? failed : problemOf(t, refusal)
  const props = { view: await readView(c, account), channel, problem }
  return showPage(c, <OwnNoticesPage {...props} />, refusal)
}
