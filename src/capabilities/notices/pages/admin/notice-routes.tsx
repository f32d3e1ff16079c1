import { Hono } from 'hono'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { validate } from '../../../../web/http/input.ts'
import { newChannelSchema } from '../../channels.ts'
import {
  chooseTopics,
  createNoticeChannel,
  deleteNoticeChannel,
  listNoticeChannels,
  testNoticeChannel,
} from '../../manage.ts'
import { TOPICS } from '../../../../core/audit/topics.ts'
import { channelIdForm, chosenTopics, testProblem, WebhookSecretPage } from '../channel-parts.tsx'
import { confirmWith } from '../../../../web/kit/confirm.tsx'
import {
  attempt,
  type Fields,
  type Problem,
  problemOf,
  readForm,
} from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { NEWEST } from '../../../../web/kit/rows.tsx'
import { backTo, goTo, showPage } from '../../../../web/kit/view.ts'
import { NewChannelPage, NOTICES_PATH, NoticesPage } from './notices.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

/** The page of the operators' channels, under `/account/admin/notices`. */
export const noticeAdminPages = new Hono<App>()
  .get('/', (c) => showNotices(c))
  .get('/add', (c) => showNewChannel(c, c.req.query('kind')))
  .post('/add', async (c) => {
    const { language } = await adminView(c)
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const topics = chosenTopics(TOPICS, fields)
      const request = validate(newChannelSchema, { ...fields, topics, language })
      await confirmWith(c, fields)
      return createNoticeChannel(c.get('deps'), actorOf(c), request, new URL(c.req.url).origin)
    })
    if (made instanceof Refusal) return showNewChannel(c, fields['kind'], fields, made)
    if (made.secret === '') return goTo(c, `${NOTICES_PATH}#${NEWEST}`, 'channel-added')
    const view = await adminView(c)
    const { secret } = made
    return showPage(c, <WebhookSecretPage view={view} secret={secret} back={NOTICES_PATH} />)
  })
  .post('/topics', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { id } = validate(channelIdForm, fields)
      await confirmWith(c, fields)
      const topics = chosenTopics(TOPICS, fields)
      await chooseTopics(c.get('deps'), actorOf(c), id, topics)
    })
    if (refusal instanceof Refusal) return showNotices(c, refusal)
    return goTo(c, NOTICES_PATH, 'channel-saved')
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { id } = validate(channelIdForm, fields)
      await confirmWith(c, fields)
      await deleteNoticeChannel(c.get('deps'), actorOf(c), id)
    })
    if (refusal instanceof Refusal) return showNotices(c, refusal)
    return goTo(c, NOTICES_PATH, 'channel-deleted')
  })
  .post('/test', async (c) => {
    const fields = await readForm(c)
    const outcome = await attempt(async () =>
      testNoticeChannel(c.get('deps'), actorOf(c), validate(channelIdForm, fields).id),
    )
    if (outcome instanceof Refusal) return showNotices(c, outcome)
    if (outcome === undefined) return goTo(c, NOTICES_PATH, 'channel-tested')
    const { t } = await adminView(c)
    return showNotices(c, undefined, testProblem(t, outcome))
  })
  .get('/:form', backTo(NOTICES_PATH))

async function showNewChannel(
  c: AppContext,
  kind: string | undefined,
  fields?: Fields,
  refusal?: Refusal,
) {
  return showForm(c, NewChannelPage, { view: await adminView(c), kind, fields }, refusal)
}

async function showNotices(c: AppContext, refusal?: Refusal, failed?: Problem) {
  const view = await adminView(c)
  const channels = await listNoticeChannels(c.get('deps'), actorOf(c))
  const problem = refusal === undefined ? failed : problemOf(view.t, refusal)
  const props = { view, channels, problem }
  return showPage(c, <NoticesPage {...props} />, refusal)
}
