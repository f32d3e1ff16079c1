import { own } from '../../../../core/base/own.ts'
import type { SettingKey } from '../../defaults.ts'
import type { Setting } from '../../manage-settings.ts'
import { Field } from '../../../../web/kit/fields.tsx'
import type { Fields, Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { PermissionField } from '../../../users/pages/admin/permission-fields.tsx'
import { isTableKey, rowsOf } from '../../tables.ts'
import { Preview } from './setting-preview.tsx'
import { SettingTable, shownRows } from './setting-table.tsx'

const [MIN_ROWS, MAX_ROWS] = [3, 12]
/** One address for light pages, one for dark ones. */
const LOGO_ROWS = 2

interface SettingFieldProps {
  view: View
  setting: Setting
  /** The value in the input; differs from the saved one after a refusal. */
  value: string
  problem: Problem | undefined
  /** The form that is shown again. */
  fields: Fields | undefined
  /** The setting whose table is shown as text. */
  asText: string | undefined
}

/** An input for a setting, with its label and help; the setting's type decides the kind of input. */
export function SettingField(props: SettingFieldProps) {
  const { view, setting, value, problem } = props
  const { key } = setting
  const help = hintOf(view, key)
  if (setting.isReadOnly) return <ReadOnly {...props} />
  if (setting.type === 'bool') return <Switch {...props} />
  if (PERMISSION_SETTINGS.includes(key)) return <PermissionSetting {...props} />
  const rows =
    isTableKey(key) && key !== props.asText ? shownRows(key, value, props.fields) : undefined
  if (isTableKey(key) && rows !== undefined) {
    return (
      <SettingTable
        view={view}
        name={key}
        legend={view.t.settings.labels[key]}
        hint={help ?? ''}
        value={props.fields?.[key] ?? setting.value}
        rows={rows}
        problem={problem}
      />
    )
  }
  return (
    <Field
      name={key}
      label={view.t.settings.labels[key]}
      value={setting.isSecret ? '' : value}
      problem={problem}
      optional
      {...(help !== undefined && { hint: help })}
      {...inputOf(props)}
    >
      <Preview view={view} of={key} value={value} />
      <Example view={view} of={key} />
      {isTableKey(key) && rowsOf(key, setting.value) !== undefined && (
        <p>
          <a href={`?#${key}`}>{view.t.adminSettings.asTable}</a>
        </p>
      )}
    </Field>
  )
}

/** Examples of the values that are typed by hand. */
const EXAMPLES: Partial<Record<SettingKey, string>> = {
  hide_files: String.raw`/\.tmp$/i
/^\/private\//`,
  external_previews: '{"pdf,epub": {"My viewer": "https://viewer.example.org/?file=$e_url"}}',
  iframe_previews: '{"dwg,dxf": {"My viewer": "https://viewer.example.org/?file=$e_url"}}',
  filename_char_mapping: '{"/": "|", ":": "-"}',
  sso_group_map: '{"staff": "finance"}',
  passkey_related_origins: 'https://photos.example.org',
}

function Example({ view, of: key }: { view: View; of: SettingKey }) {
  const example = EXAMPLES[key]
  if (example === undefined) return <></>
  return (
    <details class="older">
      <summary>{view.t.adminSettings.example}</summary>
      <pre>
        <code>{example}</code>
      </pre>
    </details>
  )
}

function inputOf({ view, setting: { key, type, options, isSecret }, value }: SettingFieldProps) {
  if (isSecret) return { type: 'password', autocomplete: 'new-password' } as const
  if (type === 'number') return { type } as const
  if (isTableKey(key)) {
    const hint = `${view.t.settings.help[key] ?? ''}${view.t.adminSettings.asJson}`
    return { rows: rowsFor(value), hint }
  }
  if (key === 'announcement') return { rows: rowsFor(value), spellcheck: true }
  if (key === 'logo') return { rows: LOGO_ROWS }
  if (type === 'text') return { rows: rowsFor(value) }
  if (type === 'select') {
    const words = view.t.settings.choices[key] ?? {}
    // A value that this version does not know stays selectable.
    const values = options.includes(value) ? options : [value, ...options]
    return { options: values.map((option) => [option, own(words, option) ?? option] as const) }
  }
  return key === 'main_color' && isPickable(value) ? ({ type: 'color' } as const) : {}
}

/** A colour input holds `#rrggbb` only; other colours get a text input. */
function isPickable(colour: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(colour)
}

function rowsFor(value: string): number {
  return Math.min(Math.max(value.split('\n').length, MIN_ROWS), MAX_ROWS)
}

/** The settings whose number is a set of permissions. */
export const PERMISSION_SETTINGS: readonly SettingKey[] = [
  'sso_default_permission',
  'register_permission',
]

/** Their labels say it all. */
const WITHOUT_HINT: readonly SettingKey[] = [
  ...PERMISSION_SETTINGS,
  'default_page_size',
  'audio_autoplay',
  'video_autoplay',
  'home_container',
  'settings_layout',
  'device_evict_policy',
  'event_retention_days',
  'favicon',
]

function hintOf({ t }: View, key: SettingKey): string | undefined {
  return WITHOUT_HINT.includes(key) ? undefined : t.settings.help[key]
}

/** Asks for permissions, whose number the route puts into the setting's field. */
function PermissionSetting(props: SettingFieldProps) {
  const { view, setting, value, problem } = props
  return (
    <PermissionField
      view={view}
      name={setting.key}
      label={view.t.settings.labels[setting.key]}
      permission={Number(value)}
      problem={problem}
    >
      <input id={setting.key} type="hidden" name={setting.key} value={value} />
    </PermissionField>
  )
}

/** A cleared box sends nothing, so a hidden field of the same name sends `false`. */
function Switch({ view, setting, value, problem }: SettingFieldProps) {
  const { key } = setting
  const isWrong = problem?.field === key
  const help = hintOf(view, key)
  const described = [isWrong && `${key}-problem`, help !== undefined && `${key}-hint`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class="field">
      <label>
        <input
          type="checkbox"
          role="switch"
          name={key}
          value="true"
          checked={value === 'true'}
          aria-describedby={described || undefined}
        />
        {view.t.settings.labels[key]}
      </label>
      <input type="hidden" name={key} value="false" />
      {isWrong && (
        <p class="problem" id={`${key}-problem`}>
          {problem.message}
        </p>
      )}
      {help !== undefined && (
        <p class="hint" id={`${key}-hint`}>
          {help}
        </p>
      )}
    </div>
  )
}

function ReadOnly({ view: { t }, setting }: SettingFieldProps) {
  return (
    <dl class="field">
      <dt>{t.settings.labels[setting.key]}</dt>
      <dd>{setting.value}</dd>
    </dl>
  )
}
