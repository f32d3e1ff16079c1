import type { EndpointFigure } from './compare.ts'
import type { StepFigure } from './journey.ts'

/** List prices of 2026 as we know them, dollars. */
const PRICES = {
  request: 0.3 / 1e6,
  cpuMillisecond: 0.02 / 1e6,
  rowRead: 0.001 / 1e6,
  rowWritten: 1 / 1e6,
  kvRead: 0.5 / 1e6,
  objectRequest: 0.15 / 1e6,
  objectGigabyteSecond: 12.5 / 1e6,
}

/** What an object is charged for while it runs. */
const OBJECT_GIGABYTES = 0.128

/** Of a hundred requests. */
export const MIX: Record<string, number> = {
  settings: 45,
  me: 30,
  'key list': 15,
  ping: 5,
  'sign-in': 5,
}

/** Dollars per million requests of the mix, by what they are paid for. */
export interface Bill {
  requests: number
  cpu: number
  rowsRead: number
  rowsWritten: number
  kvReads: number
  objects: number
  total: number
}

/**
 * What a million requests of the mix cost. The counted CPU is that of workerd with its simulated D1
 * and KV in it, so it is more than anybody is charged for. The hash of a sign-in is charged as time
 * of the object it runs in.
 */
export function billOf(
  endpoints: EndpointFigure[],
  steps: Map<string, Map<string, StepFigure>>,
): Bill {
  const bill = { requests: 0, cpu: 0, rowsRead: 0, rowsWritten: 0, kvReads: 0, objects: 0 }
  for (const [name, percent] of Object.entries(MIX)) {
    const requests = percent * 10_000
    const sides = endpoints.find((endpoint) => endpoint.name === name)?.sides ?? {}
    const cost = steps.get(name)?.get('now')
    if (cost === undefined) continue
    const cpuMilliseconds = (sides['now']?.cpuMicroseconds ?? 0) / 1000
    const hashMilliseconds =
      cost.objectCalls > 0 ? (sides['limit']?.cpuMicroseconds ?? 0) / 1000 : 0
    const gigabyteSeconds = (hashMilliseconds / 1000) * OBJECT_GIGABYTES
    bill.requests += requests * PRICES.request
    bill.cpu += requests * Math.max(0, cpuMilliseconds - hashMilliseconds) * PRICES.cpuMillisecond
    bill.rowsRead += requests * cost.rowsRead * PRICES.rowRead
    bill.rowsWritten += requests * cost.rowsWritten * PRICES.rowWritten
    bill.kvReads += requests * cost.kvReads * PRICES.kvRead
    bill.objects +=
      requests * cost.objectCalls * PRICES.objectRequest +
      requests * gigabyteSeconds * PRICES.objectGigabyteSecond
  }
  return { ...bill, total: Object.values(bill).reduce((sum, part) => sum + part, 0) }
}
