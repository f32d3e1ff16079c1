import { own } from '../../../core/access/subject.ts'
import { OWN_TOPICS } from '../../../core/audit/topics.ts'
import { toBase32 } from '../../../core/base/base32.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate } from '../../../web/http/input.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import type { Fields, Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { languageOf } from '../../../web/kit/language.ts'
import { goTo, readView, showPage } from '../../../web/kit/view.ts'
import { OWN_CHANNEL_KINDS, ownChannelSchema, ownTopicsSchema } from '../channels.ts'
import {
  chooseTopics,
  deleteChannel,
  readOwnChannel,
  saveOwnChannel,
  testChannel,
} from '../manage.ts'
import { chosenTopics, WebhookSecretPage } from './channel-parts.tsx'
import { OWN_NOTICES_PATH, OwnChannelPage, OwnNoticesPage } from './notices.tsx'

/** The page of the notices that a user gets about the own account, under `/account/notices`. */
export const noticePages = formsOf(OWN_NOTICES_PATH, showNotices, {
  save: action({
    refused: showChannelForm,
    reads: (fields, c) => {
      const topics = chosenTopics(OWN_TOPICS, fields)
      return validate(ownChannelSchema, { ...fields, topics, language: languageOf(c) })
    },
    confirms: true,
    run: (c, request) =>
      saveOwnChannel(c.get('deps'), own(sessionOf(c)), request, new URL(c.req.url).origin),
    async done(c, { secret }) {
      if (secret === '') return goTo(c, OWN_NOTICES_PATH, 'notices-on')
      const { view } = await readChannel(c)
      return showPage(c, <WebhookSecretPage view={view} secret={secret} back={OWN_NOTICES_PATH} />)
    },
  }),
  topics: action({
    reads: (fields) => validate(ownTopicsSchema, { topics: chosenTopics(OWN_TOPICS, fields) }),
    confirms: true,
    run: (c, { topics }) => chooseTopics(c.get('deps'), own(sessionOf(c)), topics),
    done: 'topics-saved',
  }),
  delete: action({
    confirms: true,
    run: (c) => deleteChannel(c.get('deps'), own(sessionOf(c))),
    done: 'notices-off',
  }),
  test: action({
    run: (c) => testChannel(c.get('deps'), own(sessionOf(c))),
    done: (c, failure) =>
      failure === undefined
        ? goTo(c, OWN_NOTICES_PATH, 'channel-tested')
        : showNotices(c, undefined, failure),
  }),
}).get('/', (c) => showChannelForm(c))

/** Shows the form for a kind of channel; without a kind, the present channel. */
async function showChannelForm(c: AppContext, refused?: Refused) {
  const name = refused === undefined ? c.req.query('kind') : refused.fields['kind']
  const kind = OWN_CHANNEL_KINDS.find((known) => known === name)
  if (kind === undefined) return showNotices(c, refused)
  const shown = await readChannel(c)
  if (kind === 'email' && shown.address === undefined) return showNotices(c, refused)
  const newTopic =
    topicIn(refused?.fields) ?? toBase32(c.get('deps').randomBytes(TOPIC_BYTES)).toLowerCase()
  return showForm(c, OwnChannelPage, { ...shown, kind, newTopic }, refused)
}

/** Random bytes of the topic that the form offers; nobody can guess so many. */
const TOPIC_BYTES = 10

/** Reads the topic of a refused form, to which the app may have subscribed. */
function topicIn(fields: Fields | undefined): string | undefined {
  return /^https:\/\/[^/]+\/([\w-]+)$/.exec(fields?.['address'] ?? '')?.[1]
}

/** @param failure Why a test was not delivered. */
async function showNotices(c: AppContext, refused?: Refused, failure?: string) {
  return showForm(c, OwnNoticesPage, { ...(await readChannel(c)), failure }, refused)
}

async function readChannel(c: AppContext) {
  const { account, channels, addresses } = await readOwnChannel(c.get('deps'), own(sessionOf(c)))
  const view = await readView(c, account)
  return { view, channel: channels[0], address: view.hasMail ? addresses[0]?.email : undefined }
}
