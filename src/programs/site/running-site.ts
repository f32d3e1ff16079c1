import { randomBytes } from 'node:crypto'
import { request as requestTo } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import {
  dataAnswerSchema,
  type KeyOptions,
  type SiteBindings,
  type StatementValue,
} from './local-data.ts'
import type { SiteCall } from './local-worker.ts'

/**
 * The Unix socket by which commands reach the data of the site that `npm start` serves. Only the
 * user who runs the site can open its folder. The path is relative, because systems limit the path
 * of a socket to about 100 bytes.
 */
export const DATA_SOCKET = '.wrangler/latchkey.sock'

const SECRET_BYTES = 32

/** Makes what a Worker here obeys to: any local user can connect to workerd's port. */
export function makeFrontSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** Tells whether `npm start` serves the site of this folder now. */
export function isSiteRunning(): Promise<boolean> {
  const socket = connect(DATA_SOCKET)
  const connected = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  return connected.finally(() => socket.destroy())
}

/** Sends the text of a call to the Worker that serves the site, and returns that of its answer. */
export type Send = (call: string) => Promise<string>

/**
 * Returns the data of the local site, as a Worker knows it. A site that runs does the work itself,
 * so that only one program writes. The data has only the methods that `openDatabase` and the
 * settings use.
 *
 * @param send How calls reach the Worker: by the socket, unless the caller names another way.
 */
export function localSiteBindings(send: Send = sendBySocket): SiteBindings {
  const session = {
    prepare: (query: string) => statementOf(query),
    batch: (statements: Statement[]) => askSite({ batch: statements }, send),
    getBookmark: () => null,
  }
  const settings = {
    getWithMetadata: (key: string) => askSite({ readKey: key }, send),
    put: (key: string, value: string, options: KeyOptions = {}) =>
      askSite({ writeKey: key, value, options }, send),
  }
  return {
    DB: Object.assign(Object.create(null), { withSession: () => session }),
    SETTINGS: Object.assign(Object.create(null), settings),
  }
}

interface Statement {
  query: string
  values: StatementValue[]
  bind: (...values: StatementValue[]) => Statement
}

function statementOf(query: string, values: StatementValue[] = []): Statement {
  return { query, values, bind: (...bound) => statementOf(query, bound) }
}

/** @throws {Error} With the message of the Worker, D1 or KV, or when the site stops meanwhile. */
export async function askSite(call: SiteCall, send: Send = sendBySocket): Promise<unknown> {
  const answer = v.parse(dataAnswerSchema, JSON.parse(await send(JSON.stringify(call))))
  if ('error' in answer) throw new Error(answer.error)
  return answer.answer
}

/** Begins the answer of a site that does not know a call (valibot). */
const UNKNOWN_CALL = 'Invalid type: '

const OLDER_SITE =
  'The site that is running is older than this command: end it, and run npm start again.'

/**
 * Asks the site that `npm start` serves for what only it knows.
 *
 * @throws {CommandError} When it was started before an update, and does not know the question.
 */
export async function askRunningSite<Answer>(
  question: Extract<SiteCall, { ask: unknown }>['ask'],
  schema: v.GenericSchema<unknown, Answer>,
): Promise<Answer> {
  try {
    return v.parse(schema, await askSite({ ask: question }))
  } catch (error) {
    const isOlder =
      v.isValiError(error) || (error instanceof Error && error.message.startsWith(UNKNOWN_CALL))
    throw isOlder ? new CommandError(OLDER_SITE) : error
  }
}

function sendBySocket(call: string): Promise<string> {
  const request = requestTo({ socketPath: DATA_SOCKET, method: 'POST', agent: false })
  const answered = new Promise<string>((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      text(response).then(resolve, reject)
    })
  })
  request.end(call)
  return answered
}
