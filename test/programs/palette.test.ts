import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DRAWINGS, ICONS, LOGO, PASSKEY_SCRIPT, SCRIPT, STYLE_SHEET } from '../../.build/assets.ts'
import { TINTS } from '../../src/web/kit/avatar.tsx'
import { contrast, parseColour } from '../../src/capabilities/settings/pages/colour.ts'

const MAX_STYLE_BYTES = 16 * 1024
/** What a page loads beside itself; a page with 25 users has 4 KiB. */
const MAX_LOADED_BYTES = 28 * 1024

const styles = readFileSync('src/web/sources/style.css', 'utf8')

const bytesOf = (path: string) => gzipSync(readFileSync(join('.build/assets', path))).length

/** Reads `light-dark(…, …)` or one colour of a custom property. */
function coloursOf(property: string) {
  const [, text = ''] = new RegExp(`${property}: ([^;]+);`).exec(styles) ?? []
  const colours = Array.from(text.matchAll(/#[0-9a-f]{3,6}\b/g), ([one]) => parseColour(one))
  const [light, dark = light] = colours
  if (light === undefined || dark === undefined) throw new Error(`no colour ${property}`)
  return { light, dark }
}

describe('the palette', () => {
  const grounds = ['--pico-background-color', '--pico-card-background-color', '--warn-ground']
  const words = ['--pico-color', '--pico-muted-color', '--pico-h1-color', '--bad', '--brass-text']
  const pairs = [
    ...grounds.flatMap((ground) => words.map((word) => [word, ground] as const)),
    ['--good', '--good-ground'] as const,
    ['--good', '--pico-card-background-color'] as const,
    ['--brass-text', '--brass-ground'] as const,
    ['--pico-color', '--pico-code-background-color'] as const,
  ]

  test.each(pairs)('lets %s be read on %s', (word, ground) => {
    for (const scheme of ['light', 'dark'] as const)
      expect(
        contrast(coloursOf(word)[scheme], coloursOf(ground)[scheme]),
        scheme,
      ).toBeGreaterThanOrEqual(4.5)
  })

  test('lets white initials be read on every colour', () => {
    const tints = Array.from(styles.matchAll(/\.tint-\d+ \{ --tint: (#[0-9a-f]{6}); \}/g))
    expect(tints).toHaveLength(TINTS)
    for (const [rule, tint = ''] of tints) {
      const colour = parseColour(tint)
      if (colour === undefined) throw new Error(rule)
      expect(contrast(colour, [255, 255, 255]), rule).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('moves nothing for those who do not want it', () => {
    const outside = styles.replaceAll(
      /@media \(prefers-reduced-motion: no-preference\) \{\n(?:  .*\n)+\}/g,
      '',
    )
    expect(outside).not.toMatch(/animation|@view-transition/)
    expect(styles).toMatch(/animation: turn/)
  })
})

describe('what a page loads', () => {
  test('is a style sheet of at most 14 KiB, and at most 26 KiB in all, compressed', () => {
    expect(bytesOf(STYLE_SHEET)).toBeLessThanOrEqual(MAX_STYLE_BYTES)
    const all = [STYLE_SHEET, ICONS, DRAWINGS, LOGO, SCRIPT, PASSKEY_SCRIPT].map(bytesOf)
    expect(all.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(MAX_LOADED_BYTES)
  })
})

test('the drawings and icons are XML that browsers read: no comment has two hyphens', () => {
  for (const name of ['drawings', 'icons', 'latchkey', 'logo']) {
    const text = readFileSync(`src/web/sources/${name}.svg`, 'utf8')
    for (const [, comment] of text.matchAll(/<!--(.*?)-->/gs))
      expect(comment, name).not.toContain('--')
    const ids = Array.from(text.matchAll(/<symbol id="([^"]+)"/g), ([, id]) => id)
    expect(new Set(ids).size, name).toBe(ids.length)
  }
})
