import { randomUUID } from 'node:crypto'
import { networkOf } from '../../core/base/network.ts'
import { loggedPath } from '../../core/base/logged-path.ts'
import { isoTime } from '../../core/base/time.ts'
import type { Answered } from './exchange.ts'
import type { LogForm } from './options.ts'
import { terminalJson } from '../../core/base/text.ts'

/** A longer path comes from scanners. */
const MAX_PATH_CHARACTERS = 200

/** Control characters, and those that change the direction or place of others on a terminal. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Formats a request for people: method, path, HTTP status with the envelope's code when that
 * differs, milliseconds, and the name of the user.
 *
 * @param name `undefined` when the caller is not known.
 */
export function requestLine(answer: Answered, name: string | undefined): string {
  const { method, path, status, code, milliseconds } = answer
  const outcome = code === undefined || code === status ? '' : `/${code}`
  return [
    printable(method) || '-',
    printable(loggedPath(path)) || '-',
    status === undefined ? 'aborted' : `${status}${outcome}`,
    `${Math.round(milliseconds)} ms`,
    ...(name === undefined ? [] : [printable(name)]),
  ].join(' ')
}

/** Formats a request that the Worker has not logged as the Worker does (`http/request-log.ts`). */
function jsonLine({ method, path, status, code, address, milliseconds }: Answered): string {
  return terminalJson({
    event: 'request',
    id: randomUUID(),
    network: networkOf(address),
    method,
    route: loggedPath(path).slice(0, MAX_PATH_CHARACTERS),
    code: code ?? status,
    ms: Math.round(milliseconds),
  })
}

function printable(text: string): string {
  return text
    .slice(0, MAX_PATH_CHARACTERS)
    .replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/**
 * Returns the log of the front server.
 *
 * @param nameOf Finds the name of a user.
 */
export function requestLog(
  form: LogForm,
  nameOf: (userId: number) => Promise<string | undefined>,
): (answer: Answered) => Promise<void> {
  return async (answer) => {
    const { userId, isLogged } = answer
    if (form === 'json' && !isLogged) console.log(jsonLine(answer))
    if (form !== 'lines') return
    const name = userId === undefined ? undefined : await nameOf(userId).catch(() => undefined)
    // In UTC, as all times of the site are.
    const time = isoTime(Date.now()).slice(0, 19)
    console.log(`${time}Z ${requestLine(answer, name)}`)
  }
}
