import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** One request, sent over and over. */
export interface Request {
  method: 'GET' | 'POST'
  path: string
  token?: string
  body?: object
  /** Tells a good body from another; the API's envelope without it. */
  isGood?: (body: string) => boolean
}

export interface Load {
  perSecond: number
  /** Of workerd; it runs the simulated D1 and KV as well. None where there is no /proc. */
  cpuMicroseconds: number | undefined
}

/** The kernel counts in hundredths of a second. @see proc(5), USER_HZ */
export const TICK_MICROSECONDS = 10_000

interface Pressure {
  seconds: number
  connections: number
  /** Of workerd. */
  pid: number | undefined
}

/**
 * Puts one Worker under load for a while; longer where nothing was answered in that time.
 *
 * @throws When an answer is not the expected one.
 */
export async function load(url: URL, request: Request, pressure: Pressure): Promise<Load> {
  const { seconds, connections, pid } = pressure
  const before = cpuTicks(pid)
  const result = await autocannon({
    url: new URL(request.path, url).href,
    method: request.method,
    headers: headersOf(request),
    ...(request.body && { body: JSON.stringify(request.body) }),
    connections,
    duration: seconds,
    sampleInt: 100,
    timeout: 30,
    verifyBody: (body) => (request.isGood ?? isGood)(String(body)),
  })
  const after = cpuTicks(pid)
  const wrong = result.errors + result.timeouts + result.non2xx + result.mismatches
  if (wrong > 0) throw new Error(`${request.path}: ${wrong} of the answers are wrong`)
  const answers = result['2xx']
  if (answers === 0) return load(url, request, { ...pressure, seconds: seconds * 2 + 1 })
  return {
    perSecond: answers / result.duration,
    cpuMicroseconds:
      before === undefined || after === undefined
        ? undefined
        : ((after - before) * TICK_MICROSECONDS) / answers,
  }
}

export function headersOf({ token }: Pick<Request, 'token'>): Record<string, string> {
  return {
    'CF-Connecting-IP': '192.0.2.1',
    ...(token !== undefined && { Authorization: token }),
  }
}

export function isGood(body: string): boolean {
  return body === 'pong' || /^\{"(?:code":200|status":1),/.test(body)
}

export function cpuTicks(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** What a process holds in memory, MiB. */
export function residentMebibytes(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}
