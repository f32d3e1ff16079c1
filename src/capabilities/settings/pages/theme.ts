import { sha256Hex } from '../../../core/base/encoding.ts'
import { DEFAULT_SETTINGS } from '../defaults.ts'
import { mix, parseColour, toReadable, toHex } from './colour.ts'

/** 64 bits, so that two themes do not share a path by chance. */
const HASH_DIGITS = 16

/**
 * A style sheet with the site's colours; it follows the style sheet of all sites. Its path changes
 * with its content.
 */
interface Theme {
  path: string
  css: string
}

const WHITE = [255, 255, 255] as const
const BLACK = [0, 0, 0] as const
/** The backgrounds of text in the site's colour, as in style.css: page, card, warning. */
const LIGHT_GROUNDS = ['#f7f4ee', '#fffefb', '#fdf0d3'] as const
const DARK_GROUNDS = ['#161411', '#211e19', '#372c13'] as const

let last: { colour: string; theme: Promise<Theme> } | undefined

/** Returns the theme in the site's colour, or in the default colour if it is not valid. */
export function themeOf(mainColour: string): Promise<Theme> {
  if (last?.colour !== mainColour) last = { colour: mainColour, theme: makeTheme(mainColour) }
  return last.theme
}

async function makeTheme(mainColour: string): Promise<Theme> {
  const css = variablesOf(mainColour)
  return { path: `/account/theme-${(await sha256Hex(css)).slice(0, HASH_DIGITS)}.css`, css }
}

/** Returns the shades of a colour that have enough contrast: on light pages, and on dark ones. */
export function shadesOf(mainColour: string) {
  const colour = parseColour(mainColour) ?? parseColour(DEFAULT_SETTINGS.main_color) ?? [0, 0, 0]
  const onLight = toReadable(colour, [...BLACK], grounds(LIGHT_GROUNDS))
  const onDark = toReadable(colour, [...WHITE], grounds(DARK_GROUNDS))
  return { colour, onLight, onDark }
}

/** Sets Pico's variables to shades of the site's colour. */
function variablesOf(mainColour: string): string {
  const { colour, onLight, onDark } = shadesOf(mainColour)
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
