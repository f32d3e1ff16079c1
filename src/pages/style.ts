import { sha256Hex } from '../base/encoding.ts'
import { DEFAULT_SETTINGS } from '../settings/defaults.ts'
import { STYLE_SHEET } from './assets.ts'
import { mix, parseColour, toReadable, toHex } from './colour.ts'

/** 64 bits, so that two style sheets do not share a path by chance. */
const HASH_DIGITS = 16

/** A style sheet whose path changes with its content. */
interface Style {
  path: string
  css: string
}

const WHITE = [255, 255, 255] as const
const BLACK = [0, 0, 0] as const
/** The backgrounds of text in the site's colour, as in style.css: page, card, warning. */
const LIGHT_GROUNDS = ['#f5f6f8', '#ffffff', '#fff4dc'] as const
const DARK_GROUNDS = ['#11141a', '#1a1f28', '#33290f'] as const

let last: { colour: string; style: Promise<Style> } | undefined

/** Returns the style sheet in the site's colour, or in the default colour if it is not valid. */
export function styleOf(mainColour: string): Promise<Style> {
  if (last?.colour !== mainColour) last = { colour: mainColour, style: makeStyle(mainColour) }
  return last.style
}

async function makeStyle(mainColour: string): Promise<Style> {
  const css = STYLE_SHEET + themeOf(mainColour)
  return { path: `/account/style-${(await sha256Hex(css)).slice(0, HASH_DIGITS)}.css`, css }
}

/** Sets Pico's variables to shades of the site's colour that have enough contrast. */
function themeOf(mainColour: string): string {
  const colour = parseColour(mainColour) ?? parseColour(DEFAULT_SETTINGS.main_color) ?? [0, 0, 0]
  const onLight = toReadable(colour, [...BLACK], grounds(LIGHT_GROUNDS))
  const onDark = toReadable(colour, [...WHITE], grounds(DARK_GROUNDS))
  const button = `--pico-primary-background:${toHex(onLight)};--pico-primary-border:${toHex(onLight)};--pico-primary-hover-background:${toHex(mix(onLight, [...BLACK], 0.15))};--pico-primary-hover-border:${toHex(mix(onLight, [...BLACK], 0.15))};--pico-primary-inverse:#fff;--site:${toHex(colour)}`
  const text = (shade: typeof onLight) =>
    `--pico-primary:${toHex(shade)};--pico-primary-hover:${toHex(shade)};--pico-primary-focus:${toHex(shade)}80;--pico-primary-underline:${toHex(shade)}80`
  return (
    `:root:not([data-theme=dark]),[data-theme=light]{${button};${text(onLight)}}` +
    `@media(prefers-color-scheme:dark){:root:not([data-theme]){${button};${text(onDark)}}}`
  )
}

function grounds(colours: readonly string[]) {
  return colours.flatMap((colour) => {
    const parsed = parseColour(colour)
    return parsed === undefined ? [] : [parsed]
  })
}
