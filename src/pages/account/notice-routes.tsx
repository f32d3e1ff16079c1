import { Hono } from 'hono'
import type { App, AppContext } from '../../http/context.ts'
import { Refusal } from '../../base/refusals.ts'
import { ownChannelSchema, ownTopicsSchema } from '../../notices/channels.ts'
import {
  chooseOwnTopics,
  deleteOwnChannel,
  findOwnChannel,
  saveOwnChannel,
  testOwnChannel,
} from '../../notices/manage.ts'
import { OWN_TOPICS } from '../../notices/topics.ts'
import { sessionOf } from '../../http/guard.ts'
import { validate } from '../../http/input.ts'
import { chosenTopics, testProblem, WebhookSecret } from '../channel-parts.tsx'
import { confirmWith } from '../confirm.tsx'
import { attempt, type Fields, problemOf, readForm } from '../form.ts'
import { languageOf, TEXTS } from '../language.ts'
import { AccountPage } from '../layout.tsx'
import { goTo, readView, showPage } from '../view.ts'
import { OWN_NOTICES_PATH, OwnNoticesPage } from './notices.tsx'

/** The page of the notices that a user gets about the own account, under `/account/notices`. */
export const noticePages = new Hono<App>()
  .get('/', (c) => showNotices(c))
  .post('/save', async (c) => {
    const fields = await readForm(c)
    const saved = await attempt(async () => {
      const topics = chosenTopics(OWN_TOPICS, fields)
      const wish = validate(ownChannelSchema, { ...fields, topics, language: languageOf(c) })
      await confirmWith(c, fields)
      return saveOwnChannel(c.get('deps'), sessionOf(c), wish, new URL(c.req.url).origin)
    })
    if (saved instanceof Refusal) return showNotices(c, { refusal: saved, fields })
    if (saved.secret === '') return goTo(c, OWN_NOTICES_PATH, 'channel-saved')
    const { account } = await findOwnChannel(c.get('deps'), sessionOf(c))
    const view = await readView(c, account)
    return showPage(
      c,
      <AccountPage view={view} title={view.t.channels.secretTitle}>
        <WebhookSecret view={view} secret={saved.secret} back={OWN_NOTICES_PATH} />
      </AccountPage>,
    )
  })
  .post('/topics', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { topics } = validate(ownTopicsSchema, { topics: chosenTopics(OWN_TOPICS, fields) })
      await confirmWith(c, fields)
      await chooseOwnTopics(c.get('deps'), sessionOf(c), topics)
    })
    if (refusal instanceof Refusal) return showNotices(c, { refusal })
    return goTo(c, OWN_NOTICES_PATH, 'channel-saved')
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      await deleteOwnChannel(c.get('deps'), sessionOf(c))
    })
    if (refusal instanceof Refusal) return showNotices(c, { refusal })
    return goTo(c, OWN_NOTICES_PATH, 'channel-deleted')
  })
  .post('/test', async (c) => {
    const outcome = await attempt(() => testOwnChannel(c.get('deps'), sessionOf(c)))
    if (outcome instanceof Refusal) return showNotices(c, { refusal: outcome })
    if (outcome === undefined) return goTo(c, OWN_NOTICES_PATH, 'channel-tested')
    return showNotices(c, { failure: outcome })
  })
  // A refused form leaves its path in the address bar; opening it leads back to the page.
  .get('/:form', (c) => goTo(c, OWN_NOTICES_PATH))

interface Shown {
  refusal?: Refusal
  fields?: Fields
  /** Why a test was not delivered. */
  failure?: string
}

async function showNotices(c: AppContext, { refusal, fields, failure }: Shown = {}) {
  const { account, channel } = await findOwnChannel(c.get('deps'), sessionOf(c))
  const t = TEXTS[languageOf(c)]
  const failed = failure === undefined ? undefined : testProblem(t, failure)
  const problem = refusal === undefined ? failed : problemOf(t, refusal)
  const props = { view: await readView(c, account), channel, fields, problem }
  return showPage(c, <OwnNoticesPage {...props} />, refusal)
}
