import type { EndpointFigure } from './compare.ts'

const ROW = 34
const BAR = 18
const LEFT = 96
const WIDTH = 640
/** The right end of the axis: a little above the limit, for what a cache makes faster than it. */
const MAX_RATIO = 1.2

/**
 * A bar per endpoint: its throughput as a part of the limit's, with the spread of the rounds as a
 * line. The colours are the reader's: dark pages get light text.
 */
export function toChart(endpoints: EndpointFigure[]): string {
  const height = endpoints.length * ROW + 58
  const scale = (ratio: number) =>
    LEFT + (Math.min(ratio, MAX_RATIO) / MAX_RATIO) * (WIDTH - LEFT - 70)
  const bars = endpoints.map(({ name, ratios }, i) => {
    const { median = 0, least = 0, most = 0 } = ratios['limit'] ?? {}
    const y = 30 + i * ROW
    const middle = y + BAR / 2
    return `  <text x="${LEFT - 10}" y="${middle}" text-anchor="end" dominant-baseline="central">${name}</text>
  <rect class="bar" x="${LEFT}" y="${y}" width="${(scale(median) - LEFT).toFixed(1)}" height="${BAR}" rx="3"/>
  <line class="spread" x1="${scale(least).toFixed(1)}" x2="${scale(most).toFixed(1)}" y1="${middle}" y2="${middle}"/>
  <text class="figure" x="${(Math.max(scale(median), scale(most)) + 8).toFixed(1)}" y="${middle}" dominant-baseline="central">${median.toFixed(2)}</text>`
  })
  const axis = [0, 0.25, 0.5, 0.75, 1].map((ratio) => {
    const x = scale(ratio).toFixed(1)
    return `  <line class="${ratio === 1 ? 'limit' : 'grid'}" x1="${x}" x2="${x}" y1="22" y2="${height - 30}"/>
  <text class="axis" x="${x}" y="${height - 16}" text-anchor="middle">${ratio === 1 ? '1.00 = the limit' : ratio.toFixed(2)}</text>`
  })
  const spoken = endpoints
    .map(({ name, ratios }) => `${name} ${ratios['limit']?.median.toFixed(2) ?? '–'}`)
    .join(', ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Throughput as a part of the limit: ${spoken}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2933; }
    .axis { font-size: 11px; fill: #66727f; }
    .figure { font-weight: 600; }
    .bar { fill: #2f7fd6; }
    .spread { stroke: #1f2933; stroke-width: 1.5; }
    .grid { stroke: #d8dee5; }
    .limit { stroke: #8a5a00; stroke-dasharray: 4 3; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e3e9ef; }
      .axis { fill: #9aa7b4; }
      .bar { fill: #4b97e8; }
      .spread { stroke: #f2f5f8; }
      .grid { stroke: #3a4653; }
      .limit { stroke: #e0a93b; }
    }
  </style>
${axis.join('\n')}
${bars.join('\n')}
</svg>
`
}
