/** A figure of several rounds. */
export interface Figure {
  median: number
  least: number
  most: number
}

export function figureOf(values: number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.round((sorted.length - 1) * part)] ?? NaN
  return { median: at(0.5), least: at(0), most: at(1) }
}
