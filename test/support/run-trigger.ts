import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { DATA_SOCKET } from '../../src/programs/site/running-site.ts'
import type { Clone } from './clone.ts'

/** Asks the running site, as commands do, to do what a trigger does. */
export async function runTrigger(clone: Pick<Clone, 'path'>, cron: string): Promise<void> {
  const socketPath = clone.path(DATA_SOCKET)
  const call = request({ socketPath, method: 'POST', agent: false })
  call.end(JSON.stringify({ cron }))
  const answered = Promise.withResolvers<IncomingMessage>()
  call.once('response', answered.resolve).once('error', answered.reject)
  const answer = await text(await answered.promise)
  if (answer.includes('error')) throw new Error(answer)
}
