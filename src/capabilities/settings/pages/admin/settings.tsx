import { own } from '../../../../core/base/own.ts'
import type { Setting } from '../../manage-settings.ts'
import type { Credentials, MadeWithPassword } from '../../../../core/access/kept-credentials.ts'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert } from '../../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../../web/kit/form.ts'
import { Fold } from '../../../../web/kit/rows.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import type { Checked, View } from '../../../../web/kit/view.ts'
import { SettingField } from './setting-field.tsx'
import {
  FOLDED,
  OF_FILE_LIST,
  PAGE_NAMES,
  partsOf,
  type SettingPage,
  type SettingPart,
} from './setting-pages.ts'

/** Of a default, such as a list of viewers in JSON. */
const MAX_DEFAULT_CHARACTERS = 80

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
  const { view, page, settings, problem, asText } = props
  const t = view.t.adminSettings
  const path = `/account/admin/settings/${page}`
  const articles = partsOf(page)
    .map(([name, keys]) => ({
      name,
      shown: keys.flatMap((key) => settings.find((setting) => setting.key === key) ?? []),
    }))
    .filter(({ shown }) => shown.length > 0)
  const opened = articles.filter(({ name }) => !FOLDED.includes(name))
  const folded = articles.filter(({ name }) => FOLDED.includes(name))
  const changed = articles.flatMap(({ shown }) => shown.filter(({ isChanged }) => isChanged))
  const firstOfFileList = articles.find(({ name }) => OF_FILE_LIST.includes(name))
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
          {opened.map((part) => (
            <article>
              <h2>{t.parts[part.name]}</h2>
              <Part {...props} {...part} hasHint={part === firstOfFileList} />
            </article>
          ))}
          {folded.length + changed.length > 0 && (
            <div class="folds">
              {folded.map((part) => (
                <Fold
                  title={t.parts[part.name]}
                  about={part.shown.map(({ key }) => view.t.settings.labels[key]).join(' · ')}
                  open={part.shown.some(({ key }) => key === asText || isAbout(problem, key))}
                >
                  <Part {...props} {...part} hasHint={part === firstOfFileList} />
                </Fold>
              ))}
              <Resets view={view} changed={changed} />
            </div>
          )}
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

interface PartProps extends SettingsProps {
  name: SettingPart
  shown: Setting[]
  /** Whether it says for whom its settings are: the first of these parts does. */
  hasHint: boolean
}

/** The fields of one part of a page. */
function Part({ shown, hasHint, ...props }: PartProps) {
  const { view, fields, problem, asText } = props
  return (
    <>
      {hasHint && <p class="hint">{view.t.adminSettings.ofFileList}</p>}
      {shown.map((setting) => (
        <>
          <SettingField
            view={view}
            setting={setting}
            value={setting.key in (fields ?? {}) ? echo(fields, setting.key) : setting.value}
            problem={problem}
            fields={fields}
            asText={asText}
          />
          {setting.key === 'require_second_factor' && <WhatCloses {...props} />}
        </>
      ))}
    </>
  )
}

/** Gives changed settings their defaults; the fields of the form keep their input. */
function Resets({ view, changed }: { view: View; changed: Setting[] }) {
  const t = view.t.adminSettings
  const labelOf = ({ key }: Setting) => view.t.settings.labels[key]
  if (changed.length === 0) return <></>
  return (
    <Fold title={t.default} about={changed.map(labelOf).join(' · ')}>
      <ul class="rows">
        {changed.map((setting) => (
          <li class="bar">
            <div>
              {labelOf(setting)}
              <p class="facts">{defaultOf(view, setting)}</p>
            </div>
            <button
              class="secondary"
              name="reset"
              value={setting.key}
              aria-label={t.resetOf(labelOf(setting))}
              formnovalidate
            >
              {t.reset}
            </button>
          </li>
        ))}
      </ul>
    </Fold>
  )
}

/** Names the default in the words of the input. */
function defaultOf({ t }: View, { key, type, default: value }: Setting): string {
  if (value === '') return t.adminSettings.defaultIsEmpty
  const words = { ...t.settings.choices[key], true: t.security.on, false: t.security.off }
  const word = type === 'bool' || type === 'select' ? own(words, value) : undefined
  const text = word ?? value
  const isLong = text.length > MAX_DEFAULT_CHARACTERS
  return t.adminSettings.defaultIs(isLong ? `${text.slice(0, MAX_DEFAULT_CHARACTERS)}…` : text)
}

/** Says what a demand for a second factor closes; nothing when it closes nothing. */
function WhatCloses({ view, madeWithPassword }: SettingsProps) {
  const t = view.t.adminSettings
  const { admins, everybody } = madeWithPassword ?? {}
  if (!admins || !everybody || everybody.appPasswords + everybody.keys === 0) return <></>
  const words = ({ appPasswords, keys }: Credentials) => t.credentials(appPasswords, keys)
  return <p class="note">{t.madeWithPassword(words(admins), words(everybody))}</p>
}
