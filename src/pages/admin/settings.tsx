import type { Setting } from '../../settings/manage-settings.ts'
import { GROUP_NUMBERS, type SettingGroup } from '../../settings/definitions.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert } from '../parts.tsx'
import type { View } from '../view.ts'
import type { SsoCheck } from '../../sso/check.ts'
import { SsoSetup } from './sso-setup.tsx'
import { SettingField } from './setting-field.tsx'

export interface SettingsProps {
  view: View
  group: SettingGroup
  settings: Setting[]
  /** The values of a form that was not saved. */
  fields?: Fields | undefined
  problem?: Problem | undefined
  /** What the identity provider answered. */
  checked?: SsoCheck | undefined
  /** An address of the site. */
  site: string
}

const GROUPS = Object.keys(GROUP_NUMBERS).filter(isGroup)

export function isGroup(name: string): name is SettingGroup {
  return Object.hasOwn(GROUP_NUMBERS, name)
}

export function SettingsPage(props: SettingsProps) {
  const { view, group, settings, fields, problem } = props
  const t = view.t.adminSettings
  const path = `/account/admin/settings/${group}`
  return (
    <AccountPage view={view} title={`${t.groups[group]} · ${t.title}`}>
      <h1>{t.title}</h1>
      <div class="tabs" role="navigation" aria-label={t.title}>
        {GROUPS.map((name) => (
          <a
            href={`/account/admin/settings/${name}`}
            aria-current={name === group ? 'page' : undefined}
          >
            {t.groups[name]}
          </a>
        ))}
      </div>
      <article>
        <form class="wide" method="post" action={path}>
          {/* The enter key presses the first button, which must not be a reset. */}
          <button class="skip" tabindex={-1} aria-hidden="true">
            {t.save}
          </button>
          <Alert
            problem={problem}
            fields={[...settings.map(({ key }) => key), ...CONFIRM_FIELDS]}
          />
          {settings.map((setting) => (
            <SettingField
              view={view}
              setting={setting}
              value={setting.key in (fields ?? {}) ? echo(fields, setting.key) : setting.value}
              problem={problem}
            />
          ))}
          <ConfirmFields view={view} form="settings" problem={problem} onlyWhenAsked />
          <p class="buttons sticky">
            <button>{t.save}</button>
          </p>
        </form>
      </article>
      {group === 'sso' && <SsoSetup {...props} />}
    </AccountPage>
  )
}
