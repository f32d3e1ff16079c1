import { of } from '../../../../core/access/subject.ts'
import { TOPICS } from '../../../../core/audit/topics.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { validate } from '../../../../web/http/input.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import type { Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { languageOf } from '../../../../web/kit/language.ts'
import { NEWEST } from '../../../../web/kit/rows.tsx'
import { goTo, showPage } from '../../../../web/kit/view.ts'
import { newChannelSchema, topicsSchema } from '../../channels.ts'
import {
  chooseTopics,
  deleteChannel,
  listChannels,
  saveChannel,
  testChannel,
} from '../../manage.ts'
import { channelIdForm, chosenTopics, WebhookSecretPage } from '../channel-parts.tsx'
import { type ChannelForm, NewChannelPage, NOTICES_PATH, NoticesPage } from './notices.tsx'

/** The page of the operators' channels, under `/account/admin/notices`. */
export const noticeAdminPages = formsOf(NOTICES_PATH, showNotices, {
  add: action({
    page: showNewChannel,
    reads: (fields, c) => {
      const topics = chosenTopics(TOPICS, fields)
      return validate(newChannelSchema, { ...fields, topics, language: languageOf(c) })
    },
    confirms: true,
    run: (c, request) =>
      saveChannel(c.get('deps'), of(actorOf(c)), request, new URL(c.req.url).origin),
    async done(c, { secret }) {
      if (secret === '') return goTo(c, `${NOTICES_PATH}#${NEWEST}`, 'channel-added')
      const view = await adminView(c)
      return showPage(c, <WebhookSecretPage view={view} secret={secret} back={NOTICES_PATH} />)
    },
  }),
  topics: action({
    reads: (fields) => ({
      ...validate(channelIdForm, fields),
      ...validate(topicsSchema, { topics: chosenTopics(TOPICS, fields) }),
    }),
    confirms: true,
    run: (c, { id, topics }) => chooseTopics(c.get('deps'), of(actorOf(c)), topics, id),
    done: 'channel-saved',
  }),
  delete: action({
    reads: channelIdForm,
    confirms: true,
    run: (c, { id }) => deleteChannel(c.get('deps'), of(actorOf(c)), id),
    done: 'channel-deleted',
  }),
  test: action({
    reads: channelIdForm,
    run: (c, { id }) => testChannel(c.get('deps'), of(actorOf(c)), id),
    done: (c, failure) =>
      failure === undefined
        ? goTo(c, NOTICES_PATH, 'channel-tested')
        : showNotices(c, undefined, failure),
  }),
}).get('/', (c) => showNotices(c))

async function showNewChannel(c: AppContext, refused?: Refused) {
  const kind = refused === undefined ? c.req.query('kind') : refused.fields['kind']
  return showForm(c, NewChannelPage, { view: await adminView(c), kind }, refused)
}

/** @param failure Why a test was not delivered. */
async function showNotices(c: AppContext, refused?: Refused<ChannelForm>, failure?: string) {
  const view = await adminView(c)
  const { channels } = await listChannels(c.get('deps'), of(actorOf(c)))
  return showForm(c, NoticesPage, { view, channels, failure }, refused)
}
