import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { ownChannelSchema } from '../channels.ts'
import { own } from '../../../core/access/subject.ts'
import { deleteChannel, listChannels, saveOwnChannel, testChannel } from '../manage.ts'
import { channelRecord, testRecord } from '../record.ts'

/** Routes for the notices that a user gets about the own account, under `/api/me/notices`. */
export const noticeRoutes = new Hono<App>()
  .get('/', signedIn('guestNotices', 'session'), async (c) => {
    const { channels } = await listChannels(c.get('deps'), own(sessionOf(c)))
    const [channel] = channels
    return ok(c, channel === undefined ? null : channelRecord(channel))
  })
  .post('/save', signedIn('guestNotices', 'session'), jsonBody(ownChannelSchema), async (c) => {
    const { origin } = new URL(c.req.url)
    const request = c.req.valid('json')
    const { secret } = await saveOwnChannel(c.get('deps'), own(sessionOf(c)), request, origin)
    return ok(c, { secret })
  })
  .post('/delete', signedIn('guestNotices', 'session'), async (c) => {
    await deleteChannel(c.get('deps'), own(sessionOf(c)))
    return ok(c, null)
  })
  .post('/test', signedIn('guestNotices', 'session'), async (c) =>
    ok(c, testRecord(await testChannel(c.get('deps'), own(sessionOf(c))))),
  )
