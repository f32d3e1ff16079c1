import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, jsonBody, query } from '../../../web/http/input.ts'
import { channelTopicsSchema, newChannelSchema } from '../channels.ts'
import { of } from '../../../core/access/subject.ts'
import { chooseTopics, deleteChannel, listChannels, saveChannel, testChannel } from '../manage.ts'
import { channelRecord, testRecord } from '../record.ts'

/** Routes for the channels of the operators, under `/api/admin/notice`. */
export const adminNoticeRoutes = new Hono<App>()
  .get('/list', admin(), async (c) => {
    const { channels } = await listChannels(c.get('deps'), of(actorOf(c)))
    return ok(c, { content: channels.map(channelRecord), total: channels.length })
  })
  .post('/create', admin(), jsonBody(newChannelSchema), async (c) => {
    const { origin } = new URL(c.req.url)
    const request = c.req.valid('json')
    const { id, secret } = await saveChannel(c.get('deps'), of(actorOf(c)), request, origin)
    return ok(c, { id, secret })
  })
  .post('/topics', admin(), jsonBody(channelTopicsSchema), async (c) => {
    const { id, topics } = c.req.valid('json')
    await chooseTopics(c.get('deps'), of(actorOf(c)), topics, id)
    return ok(c, null)
  })
  .post('/delete', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await deleteChannel(c.get('deps'), of(actorOf(c)), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/test', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    const { id } = c.req.valid('query')
    return ok(c, testRecord(await testChannel(c.get('deps'), of(actorOf(c)), id)))
  })
