import type { OpenidClient } from '../../openid/client-store.ts'
import {
  pastedSettings,
  type Preset,
  PRESET_FILES,
  PRESETS,
  type PresetSetting,
} from '../../openid/presets.ts'
import type { listReservedNames } from '../../users/reserved-names.ts'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../confirm.tsx'
import { echo, type Fields, type Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, CopyButton, Empty, Field, Heading, Rows } from '../parts.tsx'
import type { View } from '../view.ts'

const PATH = '/account/admin/programs'

interface ProgramsProps {
  view: View
  clients: OpenidClient[]
  names: Awaited<ReturnType<typeof listReservedNames>>
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** The programs that sign users in through this site, for operators. */
export function AdminProgramsPage({ view, clients, names, fields, problem }: ProgramsProps) {
  const t = view.t.adminPrograms
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      <Rows
        rows={clients.map((client) => (
          <ProgramRow view={view} client={client} />
        ))}
        none={<Empty icon="programs" title={t.none} hint={t.noneHint} />}
        actions="below"
      />
      <article>
        <h2>{t.add}</h2>
        <NewProgramForm view={view} fields={fields} problem={problem} />
      </article>
      {names.length > 0 && <ReservedNames view={view} names={names} />}
    </AccountPage>
  )
}

function ProgramRow({ view, client }: { view: View; client: OpenidClient }) {
  const t = view.t.adminPrograms
  const { id, name, redirectUris, secretHash } = client
  const flags = [
    client.firstParty && t.isFirstParty,
    client.adminsOnly && t.adminsOnly,
    secretHash === null && t.isPublicShort,
  ].filter((flag) => flag !== false)
  return (
    <li>
      <h2>{name}</h2>
      <p>
        client_id <code>{id}</code>
      </p>
      <p class="facts lines">
        {redirectUris.map((uri) => (
          <span>{uri}</span>
        ))}
      </p>
      {flags.length > 0 && (
        <p class="facts">
          {flags.map((flag) => (
            <span>{flag}</span>
          ))}
        </p>
      )}
      <div class="pair">
        {secretHash !== null && (
          <Change
            view={view}
            label={t.secret}
            question={t.secretQuestion}
            action={`${PATH}/secret`}
            values={{ id }}
            submit={t.secretSubmit}
            confirmedAs={`secret-${id}`}
            isHarmless
          />
        )}
        <Change
          view={view}
          label={t.delete}
          question={t.deleteQuestion}
          action={`${PATH}/delete`}
          values={{ id }}
          submit={t.deleteSubmit}
          confirmedAs={`delete-${id}`}
        />
      </div>
    </li>
  )
}

const SHOWN = ['name', 'preset', 'site', 'redirect_uris', 'post_logout_uris', 'logout_uri']

function NewProgramForm({
  view,
  fields,
  problem,
}: Pick<ProgramsProps, 'view' | 'fields' | 'problem'>) {
  const t = view.t.adminPrograms
  const kinds = [...PRESETS, 'other' as const]
  const field = (name: string) => ({ name, form: 'new', value: echo(fields, name), problem })
  return (
    <form method="post" action={`${PATH}/add`}>
      <Alert problem={problem} fields={[...SHOWN, ...CONFIRM_FIELDS]} />
      <Field {...field('name')} label={t.name} spellcheck />
      <Field
        {...field('preset')}
        label={t.kind}
        options={kinds.map((kind) => [kind, t.presets[kind]] as const)}
      />
      <Field {...field('site')} label={t.site} hint={t.siteHint} optional />
      <Field
        {...field('redirect_uris')}
        label={t.redirects}
        hint={t.redirectsHint}
        rows={3}
        optional
      />
      <Field {...field('post_logout_uris')} label={t.postLogout} rows={2} optional />
      <Field {...field('logout_uri')} label={t.logout} optional />
      <fieldset>
        {(['first_party', 'admins_only', 'is_public'] as const).map((name) => (
          <label>
            <input type="checkbox" name={name} checked={echo(fields, name) !== ''} />
            {{ first_party: t.firstParty, admins_only: t.adminsOnly, is_public: t.isPublic }[name]}
          </label>
        ))}
      </fieldset>
      <ConfirmFields view={view} form="new" problem={problem} />
      <button>{t.submit}</button>
    </form>
  )
}

function ReservedNames({ view, names }: Pick<ProgramsProps, 'view' | 'names'>) {
  const t = view.t.adminPrograms
  return (
    <section>
      <h2>{t.namesTitle}</h2>
      <p class="hint">{t.namesLead}</p>
      <ul class="rows compact">
        {names.map(({ username }) => (
          <li class="bar">
            <h3>{username}</h3>
            <form method="post" action={`${PATH}/release`}>
              <button class="secondary" name="username" value={username}>
                {t.release}
              </button>
            </form>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface SettingsProps {
  view: View
  name: string
  preset?: Preset | undefined
  settings: PresetSetting[]
  /** A public program has no secret. */
  hasSecret?: boolean
}

/** The characters of a value that fit into a line on a phone. */
const PHONE_COLUMNS = 30

/** Shows what an operator copies into a program, with the secret, once. */
export function ProgramSettingsPage(props: SettingsProps) {
  const { view, name, preset, settings, hasSecret = true } = props
  const t = view.t.adminPrograms
  const file = preset && PRESET_FILES[preset]
  const fields =
    file === undefined
      ? settings.map(([label, value]) => [label, String(value)] as const)
      : [[file, pastedSettings(preset, settings)] as const]
  return (
    <AccountPage view={view} title={t.createdTitle}>
      <h1>{t.createdTitle}</h1>
      <article>
        <h2>{name}</h2>
        <p>{hasSecret ? t.createdLead : t.createdLeadPublic}</p>
        {fields.map(([label, value], place) => (
          <div class="field">
            <label for={`setting-${place}`}>{label}</label>
            <textarea
              id={`setting-${place}`}
              class="codes"
              readonly
              rows={rowsOf(value)}
              spellcheck={false}
            >
              {value}
            </textarea>
            <CopyButton view={view} from={`setting-${place}`} />
          </div>
        ))}
        {preset !== undefined && t.notes[preset] !== '' && <p class="hint">{t.notes[preset]}</p>}
        <p class="buttons">
          <a role="button" href={PATH}>
            {t.createdDone}
          </a>
        </p>
      </article>
    </AccountPage>
  )
}

function rowsOf(text: string): number {
  const rows = text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / PHONE_COLUMNS)))
  return rows.reduce((sum, count) => sum + count, 0)
}
