import { DRAWINGS, ICONS, type IconName } from '../../../.build/assets.ts'

export type { IconName }

/** A decorative icon beside a text; screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${ICONS}#${name}`} />
    </svg>
  )
}

/** The tints of icons in style.css, `t0` and so on. */
const TONES = { blue: 0, green: 1, amber: 2, red: 3, violet: 4, teal: 5 } as const

export type Tone = keyof typeof TONES

/** An icon on a tinted ground, at the left of a row. */
export function Tile({ icon, tone = 'blue' }: { icon: IconName; tone?: Tone }) {
  return (
    <span class={`tile tint t${TONES[tone]}`}>
      <Icon name={icon} />
    </span>
  )
}

/** The symbols of drawings.svg with the name of an icon; a list of another kind has its icon. */
export const DRAWN = [
  'keys',
  'app-passwords',
  'programs',
  'channels',
  'users',
  'groups',
  'folders',
  'invitations',
  'activity',
  'done',
] as const

/** @param name A symbol of drawings.svg. */
export function Drawing({ name }: { name: (typeof DRAWN)[number] | 'door' }) {
  return (
    <svg class="drawing" aria-hidden="true">
      <use href={`${DRAWINGS}#${name}`} />
    </svg>
  )
}
