import type { Setting } from '../../manage-settings.ts'
import type { Credentials, MadeWithPassword } from '../../../../core/access/kept-credentials.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../../web/kit/form.ts'
import { Fold } from '../../../../web/kit/rows.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import type { Checked, View } from '../../../../web/kit/view.ts'
import { SettingField } from './setting-field.tsx'
import { FOLDED, OF_FILE_LIST, PAGE_NAMES, partsOf, type SettingPage } from './setting-pages.ts'

export interface SettingsProps {
  view: View
  page: SettingPage
  settings: Setting[]
  /** The values of a form that was not saved. */
  fields?: Fields | undefined
  problem?: Problem | undefined
  /** The setting whose table is shown as text. */
  asText?: string | undefined
  /** The result of a test of the saved settings. */
  checked?: Checked | undefined
  /** Credentials that a demand for a second factor closes; only on the page with the demand. */
  madeWithPassword?: MadeWithPassword | undefined
  /** An address of the site. */
  site: string
}

export function SettingsPage(props: SettingsProps) {
  const { view, page, settings, fields, problem, asText } = props
  const t = view.t.adminSettings
  const path = `/account/admin/settings/${page}`
  const articles = partsOf(page)
    .map(([name, keys]) => ({
      name,
      shown: keys.flatMap((key) => settings.find((setting) => setting.key === key) ?? []),
    }))
    .filter(({ shown }) => shown.length > 0)
  return (
    <AccountPage view={view} title={`${t.pages[page]} · ${t.title}`}>
      <h1>{t.title}</h1>
      <div class="tabs" role="navigation" aria-label={t.title}>
        {PAGE_NAMES.map((name) => (
          <a
            href={`/account/admin/settings/${name}`}
            aria-current={name === page ? 'page' : undefined}
          >
            {t.pages[name]}
          </a>
        ))}
      </div>
      {view.parts.map(({ aboveSettings }) => aboveSettings?.(props))}
      {articles.length > 0 && (
        <form class="wide beside" method="post" action={path} data-keep="">
          {/* The enter key presses the first button, which must not be a reset. */}
          <button class="skip" tabindex={-1} aria-hidden="true">
            {t.save}
          </button>
          <Alert
            problem={settings.some(({ key }) => isAbout(problem, key)) ? undefined : problem}
            fields={CONFIRM_FIELDS}
          />
          {articles.map(({ name, shown }) => {
            const content = (
              <>
                {name === 'signIn' && <WhatCloses {...props} />}
                {OF_FILE_LIST.includes(name) && <p class="hint">{t.ofFileList}</p>}
                {shown.map((setting) => (
                  <SettingField
                    view={view}
                    setting={setting}
                    value={
                      setting.key in (fields ?? {}) ? echo(fields, setting.key) : setting.value
                    }
                    problem={problem}
                    fields={fields}
                    asText={asText}
                  />
                ))}
              </>
            )
            if (!FOLDED.includes(name)) {
              return (
                <article>
                  <h2>{t.parts[name]}</h2>
                  {content}
                </article>
              )
            }
            return (
              <Fold
                title={t.parts[name]}
                about={shown.map(({ key }) => view.t.settings.labels[key]).join(' · ')}
                open={shown.some(({ key }) => key === asText || isAbout(problem, key))}
              >
                {content}
              </Fold>
            )
          })}
          <ConfirmFields view={view} form="settings" problem={problem} onlyWhenAsked />
          <p class="buttons sticky">
            <button>{t.save}</button>
          </p>
        </form>
      )}
      {view.parts.map(({ settings: part }) => part?.(props))}
    </AccountPage>
  )
}

/** Tells whether a setting, or a cell of its table, is what is wrong. */
function isAbout(problem: Problem | undefined, key: string): boolean {
  return problem?.field === key || problem?.field?.startsWith(`${key}.`) === true
}

/** Says what a demand for a second factor closes; nothing when it closes nothing. */
function WhatCloses({ view, madeWithPassword }: SettingsProps) {
  const t = view.t.adminSettings
  const { admins, everybody } = madeWithPassword ?? {}
  if (!admins || !everybody || everybody.appPasswords + everybody.keys === 0) return <></>
  const words = ({ appPasswords, keys }: Credentials) => t.credentials(appPasswords, keys)
  const ofAdmins = admins.appPasswords + admins.keys === 0 ? '' : t.ofAdmins(words(admins))
  return <p class="note">{t.madeWithPassword(words(everybody) + ofAdmins)}</p>
}
