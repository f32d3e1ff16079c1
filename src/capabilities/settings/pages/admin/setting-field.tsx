import { own } from '../../../../core/base/own.ts'
import type { SettingKey } from '../../defaults.ts'
import type { Setting } from '../../manage-settings.ts'
import { Confirm, Field } from '../../../../web/kit/fields.tsx'
import type { Fields, Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { PermissionField } from '../../../users/pages/admin/permission-fields.tsx'
import { isTableKey, rowsOf } from '../../tables.ts'
import { Preview } from './setting-preview.tsx'
import { SettingTable, shownRows } from './setting-table.tsx'

const [MIN_ROWS, MAX_ROWS] = [3, 12]

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
        legend={<Label {...props} />}
        hint={help ?? ''}
        value={props.fields?.[key] ?? setting.value}
        rows={rows}
        problem={problem}
      >
        <Reset view={view} setting={setting} />
      </SettingTable>
    )
  }
  return (
    <Field
      name={key}
      label={<Label {...props} />}
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
      <Reset view={view} setting={setting} />
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

function inputOf({
  view,
  setting: { key, type, options, isSecret, value: current },
  value,
}: SettingFieldProps) {
  if (isSecret) return { type: 'password', autocomplete: 'new-password' } as const
  if (type === 'number') return { type } as const
  if (isTableKey(key)) {
    const hint = `${view.t.settings.help[key] ?? ''}${view.t.adminSettings.asJson}`
    return { rows: rowsFor(value), hint }
  }
  if (type === 'text') return { rows: rowsFor(value) }
  if (type === 'select') {
    const words = view.t.settings.choices[key] ?? {}
    // A value that this version does not know stays selectable.
    const values = options.includes(value) ? options : [value, ...options]
    return { options: values.map((option) => [option, own(words, option) ?? option] as const) }
  }
  if (key !== 'main_color' || !isPickable(value)) return {}
  const hint = `${view.t.settings.help[key] ?? ''}${view.t.adminSettings.colourHint(current)}`
  return { type: 'color', hint } as const
}

/** A colour input holds `#rrggbb` only; other colours get a text input. */
function isPickable(colour: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(colour)
}

function rowsFor(value: string): number {
  return Math.min(Math.max(value.split('\n').length, MIN_ROWS), MAX_ROWS)
}

function Label({ view: { t }, setting }: Pick<SettingFieldProps, 'view' | 'setting'>) {
  return (
    <>
      {t.settings.labels[setting.key]}
      {setting.isChanged && (
        <>
          {' '}
          <span class="badge">{t.adminSettings.changed}</span>
        </>
      )}
    </>
  )
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
      label={<Label {...props} />}
      permission={Number(value)}
      problem={problem}
    >
      <input id={setting.key} type="hidden" name={setting.key} value={value} />
      <Reset view={view} setting={setting} />
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
        <Label view={view} setting={setting} />
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
      <Reset view={view} setting={setting} />
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

/** A button that resets a changed setting; the other fields of the form keep their input. */
function Reset({ view, setting }: Pick<SettingFieldProps, 'view' | 'setting'>) {
  const t = view.t.adminSettings
  if (!setting.isChanged) return <></>
  const isEmpty = setting.default === ''
  return (
    <Confirm
      label={t.default}
      cancel={view.t.cancel}
      question={isEmpty ? t.defaultIsEmpty : t.defaultIs}
    >
      {!isEmpty && <DefaultValue view={view} setting={setting} />}
      <p class="buttons">
        <button class="secondary" name="reset" value={setting.key} formnovalidate>
          {t.reset}
        </button>
      </p>
    </Confirm>
  )
}

/** The default, in the words of the input. */
function DefaultValue({ view: { t }, setting }: Pick<SettingFieldProps, 'view' | 'setting'>) {
  const words = { ...t.settings.choices[setting.key], true: t.security.on, false: t.security.off }
  const word = setting.type === 'bool' || setting.type === 'select' ? setting.default : ''
  return (
    <pre>
      <code>{Object.entries(words).find(([value]) => value === word)?.[1] ?? setting.default}</code>
    </pre>
  )
}
