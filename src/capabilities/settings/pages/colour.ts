/** Red, green and blue, 0 to 255. */
type Rgb = [number, number, number]

/** Minimum contrast of text. @see WCAG 2.2 success criterion 1.4.3 */
const TEXT_CONTRAST = 4.5
const STEPS = 20

/**
 * Parses `#rgb`, `#rrggbb` or `#rrggbbaa`; the alpha is dropped.
 *
 * @returns `undefined` for every other text, which must not get into a style sheet.
 */
export function parseColour(text: string): Rgb | undefined {
  const [, short, long] =
    /^#(?:([0-9a-f]{3})|([0-9a-f]{6})(?:[0-9a-f]{2})?)$/i.exec(text.trim()) ?? []
  const digits = long ?? short?.replaceAll(/./g, '$&$&')
  if (digits === undefined) return undefined
  const value = parseInt(digits, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/**
 * Mixes a colour with black or white until it has enough contrast on every background.
 *
 * @param towards Black or white.
 * @param grounds The backgrounds.
 */
export function toReadable(colour: Rgb, towards: Rgb, grounds: Rgb[]): Rgb {
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(colour, towards, step / STEPS)
    if (grounds.every((ground) => contrast(mixed, ground) >= TEXT_CONTRAST)) return mixed
  }
  return towards
}

export function toHex(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** @param share Share of the second colour, 0 to 1. */
export function mix([r, g, b]: Rgb, second: Rgb, share: number): Rgb {
  const blend = (from: number, to: number) => Math.round(from + (to - from) * share)
  return [blend(r, second[0]), blend(g, second[1]), blend(b, second[2])]
}

/** @returns 1 to 21. @see WCAG 2.2, definition of contrast ratio */
export function contrast(a: Rgb, b: Rgb): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((low, high) => high - low)
  return (light + 0.05) / (dark + 0.05)
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

function linear(part: number): number {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
