/** The number of colours in style.css, `.tint-0` and on. */
export const TINTS = 10

/** FNV-1a, 32 bits. */
const OFFSET_BASIS = 0x811c9dc5
const PRIME = 0x01000193

/** Made at the first name: loading its tables takes several milliseconds of every start. */
let segmenter: Intl.Segmenter | undefined

/**
 * A disc in the user's colour, with the initial of the name. The name itself stands beside it, so
 * that screen readers and copied texts do without.
 */
export function Avatar({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  const classes = ['avatar', `tint-${tintOf(name)}`, ...(isLarge ? ['large'] : [])]
  return <span class={classes.join(' ')} data-initial={initialOf(name)} aria-hidden="true" />
}

/** The initial of a program, or of a user, in its colour, where a row has its icon. */
export function Monogram({ name, isUser = false }: { name: string; isUser?: boolean }) {
  return (
    <span
      class={`tile initial tint-${tintOf(name)}${isUser ? ' round' : ''}`}
      data-initial={initialOf(name)}
      aria-hidden="true"
    />
  )
}

/** Returns the first character that a reader sees as one, in upper case: `A`, `王`, `🦊`. */
export function initialOf(name: string): string {
  return firstOf(firstOf(name).toLocaleUpperCase('und'))
}

/** Returns the colour of a name, the same for every spelling with other cases. */
export function tintOf(name: string): number {
  let hash = OFFSET_BASIS
  for (const byte of new TextEncoder().encode(name.normalize('NFKC').toLowerCase()))
    hash = Math.imul(hash ^ byte, PRIME)
  return (hash >>> 0) % TINTS
}

/** The upper case of one character may be several, as that of ß. */
function firstOf(text: string): string {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' })
  for (const { segment } of segmenter.segment(text.trim())) return segment
  return ''
}
