import type { EndpointFigure } from './compare.ts'
import { type Bill, MIX } from './cost.ts'
import type { StepFigure } from './journey.ts'
import type { PasskeyFigure } from './passkeys.ts'
import type { RowFigure } from './rows.ts'
import type { Figure } from './statistics.ts'
import type { Weight } from './weight.ts'

/** Everything one run has found. */
export interface Results {
  /** What was measured, on what, how long. */
  setting: { commit: string; before: string | null; machine: string; rounds: number; date: string }
  endpoints: EndpointFigure[]
  /** With 50 ms added to every D1 call; by step, then by side. */
  far: Map<string, Map<string, StepFigure>>
  bill: Bill
  /** By step, then by number of users. */
  growth: Map<string, Map<string, StepFigure>>
  weight: Weight
  rows: RowFigure[]
  passkeys: PasskeyFigure
}

/** What each request that writes wrote. */
export function toRowTable(rows: RowFigure[]): string {
  return table(
    ['request', 'answer', 'rows written'],
    rows.map(({ request, code, rows: written }) => [request, String(code), round(written)]),
  )
}

/** The tables of a run, in Markdown. */
export function toMarkdown(results: Results): string {
  const { setting, endpoints, far, bill, growth, weight, rows, passkeys } = results
  const sides = Object.keys(endpoints[0]?.sides ?? {})
  const hasBefore = sides.includes('before')
  const signIn = endpoints.find(({ name }) => name === 'sign-in')
  const sizes = Array.from(growth.values().next().value?.keys() ?? [])
  return `# Measured

${setting.date}, commit ${setting.commit}${setting.before === null ? '' : `, before: ${setting.before}`}; ${setting.machine}. ${setting.rounds} rounds (short answers: twice as
many), all sides in one workerd, in random turn; medians, in brackets the least and the most of the rounds.

## Throughput and CPU, against the limit

The limit is a bare handler that does the least the job needs. CPU is that of workerd, its simulated D1 and KV included.

${table(
  [
    'endpoint',
    'of the limit',
    ...(hasBefore ? ['of before'] : []),
    'requests a second',
    'CPU µs',
    'CPU µs, limit',
  ],
  endpoints.map(({ name, sides: by, ratios }) => [
    name,
    spread(ratios['limit']),
    ...(hasBefore ? [spread(ratios['before'])] : []),
    round(by['now']?.perSecond.median),
    round(by['now']?.cpuMicroseconds),
    round(by['limit']?.cpuMicroseconds),
  ]),
)}

## Far away: 50 ms added to every D1 call

${table(
  [
    'endpoint',
    'p50 ms',
    ...(hasBefore ? ['p50 ms before'] : []),
    'D1 trips',
    'rows read',
    'rows written',
    'KV reads',
  ],
  Array.from(far, ([name, by]) => [
    name,
    round(by.get('now')?.p50Milliseconds, 1),
    ...(hasBefore ? [round(by.get('before')?.p50Milliseconds, 1)] : []),
    ...costCells(by.get('now')),
  ]),
)}

## Sign-ins

${round(signIn?.sides['now']?.perSecond.median, 1)} a second, ${round(milliseconds(signIn?.sides['now']?.cpuMicroseconds), 1)} ms of CPU each; ${round(milliseconds(signIn?.sides['limit']?.cpuMicroseconds), 1)} ms of them are the
hash in its object (the limit does nothing else).

## Rows written

Indexes included, as D1 counts and limits them.

${toRowTable(rows)}

## Cost

Dollars per million requests, of which ${Object.entries(MIX)
    .map(([name, percent]) => `${percent} % ${name}`)
    .join(', ')}; list prices.

${table(Object.keys(bill), [Object.values(bill).map((part: number) => part.toFixed(2))])}

## Growth

${table(
  [
    'endpoint',
    ...sizes.map((size) => `p50 ms at ${size}`),
    ...sizes.map((size) => `rows at ${size}`),
  ],
  Array.from(growth, ([name, by]) => [
    name,
    ...sizes.map((size) => round(by.get(size)?.p50Milliseconds, 2)),
    ...sizes.map((size) => round(by.get(size)?.rowsRead)),
  ]),
)}

The most that any that asks D1, but for the sign-in, takes at ${sizes.at(-1)} users over ${sizes[0]}: ${growthRatio(growth, sizes)}.

## Sign-ins with a passkey and with a password

One workerd does both; a passkey needs no scrypt.

${table(
  ['sign-in', 'a second', 'times a password', 'CPU µs'],
  [
    [
      'passkey',
      spread(passkeys.passkey, 0),
      spread(passkeys.ratio, 1),
      round(passkeys.cpuMicroseconds),
    ],
    ['password', spread(passkeys.password, 1), '1', ''],
  ],
)}

## Weight

${table(
  ['what', 'figure'],
  [
    ['bundle, minified', `${(weight.bundleBytes / 1024).toFixed(1)} KiB`],
    ['bundle, gzip', `${(weight.gzipBytes / 1024).toFixed(1)} KiB`],
    ['start-up CPU beyond a bare handler', `${spread(weight.startMilliseconds, 1)} ms`],
    [
      'CPU of workerd until its first answer, beyond a bare Worker with the same bindings',
      `${spread(weight.firstAnswerMilliseconds, 1)} ms`,
    ],
    ['live heap of the isolate, idle', `${round(weight.idleHeapMebibytes, 1)} MiB`],
    ['live heap of the isolate, after load', `${round(weight.loadedHeapMebibytes, 1)} MiB`],
    ['live heap of the bare handler, after load', `${round(weight.limitHeapMebibytes, 1)} MiB`],
  ],
)}
`
}

/** The largest ratio of the steps that ask D1, but for those of a hash, which has noise of its own. */
function growthRatio(growth: Results['growth'], sizes: string[]): string {
  const ratios = Array.from(growth, ([name, by]) => {
    const [first, last] = [by.get(sizes[0] ?? ''), by.get(sizes.at(-1) ?? '')]
    if (name === 'sign-in' || first?.d1Trips === 0) return 0
    return (last?.p50Milliseconds ?? NaN) / (first?.p50Milliseconds ?? NaN)
  })
  return round(Math.max(...ratios), 2)
}

function costCells(figure: StepFigure | undefined): string[] {
  return [figure?.d1Trips, figure?.rowsRead, figure?.rowsWritten, figure?.kvReads].map((cell) =>
    round(cell),
  )
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function spread(figure: Figure | undefined, digits = 2): string {
  if (figure === undefined) return '–'
  const { median, least, most } = figure
  return `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

function milliseconds(microseconds: number | undefined): number | undefined {
  return microseconds === undefined ? undefined : microseconds / 1000
}

function round(value: number | undefined, digits = 0): string {
  return value === undefined || Number.isNaN(value)
    ? '–'
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
