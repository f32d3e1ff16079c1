import type { Child, PropsWithChildren } from 'hono/jsx'
import { isLevel, LEVELS } from '../../../../core/accounts/permission-levels.ts'
import { own } from '../../../../core/base/own.ts'
import { OptionList } from '../../../../web/kit/fields.tsx'
import type { Fields, Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'

export type PermissionLevel = keyof typeof LEVELS | 'custom'

const LEVEL_NAMES = [...Object.keys(LEVELS).filter(isLevel), 'custom' as const]

/** The bits of each group, in the order of the page. */
const GROUPS = {
  look: [0, 1, 12],
  change: [3, 4, 5, 6, 7, 13, 2],
  programs: [8, 9, 10, 11],
  share: [14, 15],
} as const

export type PermissionGroup = keyof typeof GROUPS

const GROUP_NAMES = ['look', 'change', 'programs', 'share'] as const

interface PermissionFieldProps {
  view: View
  /** Begins the names of the fields. */
  name: string
  label: Child
  /** The stored permissions. */
  permission: number
  /** The form that was refused, which counts instead. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** A list of levels; the last one has a box for each permission. */
export function PermissionField(props: PropsWithChildren<PermissionFieldProps>) {
  const { view, name, label, fields, problem, children } = props
  const t = view.t.adminUsers
  const permission = fields === undefined ? props.permission : boxesIn(fields, name)
  const level = fields && own(fields, levelField(name))
  const chosen = LEVEL_NAMES.find((item) => item === level) ?? levelOf(permission)
  return (
    <div class="field levels">
      <label for={levelField(name)}>{label}</label>
      <select id={levelField(name)} name={levelField(name)} autocomplete="off">
        <OptionList options={LEVEL_NAMES.map((item) => [item, t.levels[item]])} value={chosen} />
      </select>
      {problem?.field === name && <p class="problem">{problem.message}</p>}
      <div class="boxes">
        {GROUP_NAMES.map((group) => (
          <fieldset>
            <legend>{t.permissionGroups[group]}</legend>
            {GROUPS[group].map((bit) => (
              <label>
                <input
                  type="checkbox"
                  name={boxOf(name, bit)}
                  checked={(permission & (1 << bit)) !== 0}
                />
                {view.t.permissions[bit]}
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      {children}
    </div>
  )
}

/** Reads the fields of `PermissionField`. Without a level, the boxes count. */
export function permissionIn(fields: Fields, name: string): number {
  const level = own(fields, levelField(name)) ?? 'custom'
  return isLevel(level) ? LEVELS[level] : boxesIn(fields, name)
}

/** Tells whether a form has the fields of `PermissionField`. */
export function hasPermission(fields: Fields, name: string): boolean {
  return levelField(name) in fields
}

function boxesIn(fields: Fields, name: string): number {
  const bits = Array.from({ length: 16 }, (_, bit) => (boxOf(name, bit) in fields ? 1 << bit : 0))
  return bits.reduce((sum, bit) => sum | bit, 0)
}

function levelOf(permission: number): PermissionLevel {
  return LEVEL_NAMES.find((level) => level !== 'custom' && LEVELS[level] === permission) ?? 'custom'
}

function levelField(name: string): string {
  return `${name}-level`
}

function boxOf(name: string, bit: number): string {
  return `${name}-${bit}`
}
