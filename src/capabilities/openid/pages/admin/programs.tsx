import type { OpenidClient } from '../../client-store.ts'
import {
  pastedSettings,
  type Preset,
  PRESET_FILES,
  PRESETS,
  type PresetSetting,
} from '../../presets.ts'
import type { listReservedNames } from '../../../users/reserved-names.ts'
import { Monogram } from '../../../../web/kit/avatar.tsx'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert, Choice, Field, type FieldProps, FormButtons } from '../../../../web/kit/fields.tsx'
import {
  echo,
  type Fields,
  isOfRow,
  type Problem,
  problemIn,
  type ShownRefused,
} from '../../../../web/kit/form.ts'
import { KindPage, ListPage } from '../../../../web/kit/frames.tsx'
import { Tile } from '../../../../web/kit/icons.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Back, CopyButton } from '../../../../web/kit/parts.tsx'
import { Empty, Fold, Menu, NEWEST, Row } from '../../../../web/kit/rows.tsx'
import type { View } from '../../../../web/kit/view.ts'

const PATH = '/account/admin/programs'

interface ProgramsProps {
  view: View
  clients: OpenidClient[]
  names: Awaited<ReturnType<typeof listReservedNames>>
  refused: ShownRefused<ProgramForm> | undefined
}

/** The forms of the page, by the last segment of their path. */
export type ProgramForm = 'add' | 'edit' | 'secret' | 'delete' | 'release'

/** The programs that sign users in through this site, for operators. */
export function AdminProgramsPage(props: ProgramsProps) {
  const { view, clients, names, refused } = props
  const t = view.t.adminPrograms
  const isInRow =
    clients.some(({ id, secretHash }) => {
      return isOfRow(refused, { id }) && (secretHash !== null || refused?.form !== 'secret')
    }) || names.some(({ username }) => isOfRow(refused, { username }))
  const newestFirst = clients.toSorted((a, b) => b.createdAt - a.createdAt)
  return (
    <ListPage
      view={view}
      title={t.title}
      lead={t.lead}
      problem={isInRow ? undefined : refused?.problem}
      add={{ href: `${PATH}/add`, label: t.add }}
      rows={newestFirst.map((client, place) => (
        <ProgramRow
          view={view}
          client={client}
          id={place === 0 ? NEWEST : undefined}
          refused={refused}
        />
      ))}
      none={<Empty icon="registered" title={t.none} hint={t.noneHint} />}
    >
      {names.length > 0 && <ReservedNames {...props} />}
    </ListPage>
  )
}

interface ProgramRowProps {
  view: View
  client: OpenidClient
  id: string | undefined
  refused: ShownRefused<ProgramForm> | undefined
}

function ProgramRow({ view, client, id: place, refused }: ProgramRowProps) {
  const t = view.t.adminPrograms
  const { id, name, redirectUris, secretHash } = client
  const editPath = `${PATH}/edit?id=${encodeURIComponent(id)}`
  const flags = [
    client.firstParty && t.isFirstParty,
    client.adminsOnly && t.adminsOnly,
    secretHash === null && t.isPublicShort,
    client.emailInIdToken && t.hasEmailInIdToken,
  ].filter((flag) => flag !== false)
  return (
    <Row id={place} icon="registered" program={name} title={<a href={editPath}>{name}</a>}>
      <p class="facts">
        {[...new Set(redirectUris.map(hostOrScheme))].map((host) => (
          <span>{host}</span>
        ))}
        {flags.map((flag) => (
          <span>{flag}</span>
        ))}
      </p>
      <Menu label={view.t.actionsFor(name)} open={isOfRow(refused, { id })}>
        <a href={editPath}>{t.edit}</a>
        {secretHash !== null && (
          <Change
            view={view}
            label={t.secret}
            question={t.secretQuestion}
            action={`${PATH}/secret`}
            values={{ id }}
            submit={t.secretSubmit}
            problem={problemIn(refused, 'secret', { id })}
            confirmedAs={`secret-${id}`}
            isHarmless
          />
        )}
        <Change
          view={view}
          label={t.delete}
          question={t.deleteQuestion(name)}
          action={`${PATH}/delete`}
          values={{ id }}
          named={name}
          submit={t.deleteSubmit}
          problem={problemIn(refused, 'delete', { id })}
          confirmedAs={`delete-${id}`}
        />
      </Menu>
    </Row>
  )
}

/** Returns what a reader recognises of an address: the host, or the scheme of a program's own. */
function hostOrScheme(uri: string): string {
  const { host, protocol } = new URL(uri)
  return host === '' ? protocol : host
}

const SHOWN_OF_PRESET = ['name', 'site', 'redirect_uris', 'post_logout_uris', 'logout_uri']
const SHOWN_OF_OTHER = ['name', 'redirect_uris', 'post_logout_uris', 'logout_uri']
const KINDS = [...PRESETS, 'other' as const]

interface NewProgramProps {
  view: View
  /** A preset or `other`; a choice among them for any other name. */
  kind: string | undefined
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** Asks which program is registered, then for the fields that are not known of it. */
export function NewProgramPage({ view, kind: name, fields, problem }: NewProgramProps) {
  const t = view.t.adminPrograms
  const kind = KINDS.find((known) => known === name)
  return (
    <KindPage
      view={view}
      title={t.add}
      problem={problem}
      choices={KINDS.map((item) => ({
        href: `${PATH}/add?preset=${item}`,
        icon: 'programs',
        program: item === 'other' ? undefined : t.presets[item],
        title: t.presets[item],
        hint: item === 'other' ? t.otherHint : t.presetHints[item],
      }))}
      back={{ href: PATH, label: t.title }}
      form={kind && <NewProgramForm view={view} kind={kind} fields={fields} problem={problem} />}
    />
  )
}

function NewProgramForm(props: NewProgramProps & { kind: Preset | 'other' }) {
  const { view, kind, fields, problem } = props
  const t = view.t.adminPrograms
  const isOther = kind === 'other'
  const field = (name: string) => ({ name, form: 'new', value: echo(fields, name), problem })
  const name = fields === undefined && !isOther ? t.presets[kind] : echo(fields, 'name')
  const redirects = (
    <Field
      {...field('redirect_uris')}
      label={t.redirects}
      hint={t.redirectsHint}
      rows={3}
      optional={!isOther}
    />
  )
  const state = { isChecked: (flag: Flag) => echo(fields, flag) !== '' }
  const folded = ['post_logout_uris', 'logout_uri', ...(isOther ? [] : ['redirect_uris'])]
  const isOpen = folded.includes(problem?.field ?? '')
  return (
    <article>
      <header>
        {isOther ? <Tile icon="programs" /> : <Monogram name={t.presets[kind]} />}
        <h2>{t.presets[kind]}</h2>
      </header>
      <form class="wide beside" method="post" action={`${PATH}/add`}>
        <Alert
          problem={problem}
          fields={[...(isOther ? SHOWN_OF_OTHER : SHOWN_OF_PRESET), ...CONFIRM_FIELDS]}
        />
        <input type="hidden" name="preset" value={kind} />
        <Field {...field('name')} value={name} label={t.name} focus spellcheck />
        {!isOther && (
          <Field
            {...field('site')}
            label={t.site}
            hint={kind === 'cloudflare-access' ? t.teamHint : t.siteHint}
          />
        )}
        {isOther && redirects}
        <Options t={t} legend={t.flagsTitle} flags={['first_party', 'admins_only']} {...state} />
        <details class="older" open={isOpen}>
          <summary>{t.more}</summary>
          {!isOther && redirects}
          <SignOutFields {...{ t, field }} />
          <Options t={t} legend={t.seldom} flags={['is_public', 'email_in_id_token']} {...state} />
        </details>
        <ConfirmFields view={view} form="new" problem={problem} />
        <FormButtons view={view} submit={t.submit} back={PATH} />
      </form>
    </article>
  )
}

interface AddressProps {
  t: View['t']['adminPrograms']
  field: (name: string) => Pick<FieldProps, 'name' | 'form' | 'value' | 'problem'>
}

/** The addresses of an app that matter at a sign-out. */
function SignOutFields({ t, field }: AddressProps) {
  return (
    <>
      <Field
        {...field('post_logout_uris')}
        label={t.postLogout}
        hint={t.postLogoutHint}
        rows={2}
        optional
      />
      <Field {...field('logout_uri')} label={t.logout} hint={t.logoutHint} optional />
    </>
  )
}

type Flag = keyof View['t']['adminPrograms']['flags']

interface OptionsProps {
  t: View['t']['adminPrograms']
  legend: string
  flags: Flag[]
  isChecked: (flag: Flag) => boolean
}

function Options({ t, legend, flags, isChecked }: OptionsProps) {
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {flags.map((flag) => (
        <Choice type="checkbox" name={flag} isChecked={isChecked(flag)} {...t.flags[flag]} />
      ))}
    </fieldset>
  )
}

interface EditProps {
  view: View
  client: OpenidClient
  /** Those of a refused form. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

/** The name, the addresses and the options of a registered program, to be changed. */
export function EditProgramPage({ view, client, fields: typed, problem }: EditProps) {
  const t = view.t.adminPrograms
  const fields = typed ?? fieldsOf(client)
  const field = (name: string) => ({ name, form: 'edit', value: echo(fields, name), problem })
  const title = t.editTitle(client.name)
  const state = { isChecked: (flag: Flag) => echo(fields, flag) !== '' }
  const isOpen = ['post_logout_uris', 'logout_uri'].includes(problem?.field ?? '')
  return (
    <AccountPage view={view} title={title}>
      <Back href={PATH}>{t.title}</Back>
      <h1>{title}</h1>
      <article>
        <p>{client.secretHash === null ? t.editLeadPublic : t.editLead}</p>
        <form class="wide beside" method="post" action={`${PATH}/edit`}>
          <Alert problem={problem} fields={[...SHOWN_OF_OTHER, ...CONFIRM_FIELDS]} />
          <input type="hidden" name="id" value={client.id} />
          <dl class="field">
            <dt>{t.clientId}</dt>
            <dd class="command">
              <code id="client-id">{client.id}</code>
              <CopyButton view={view} from="client-id" />
            </dd>
          </dl>
          <Field {...field('name')} label={t.name} spellcheck />
          <Field {...field('redirect_uris')} label={t.redirects} hint={t.redirectsHint} rows={3} />
          <Options t={t} legend={t.flagsTitle} flags={['first_party', 'admins_only']} {...state} />
          <details class="older" open={isOpen}>
            <summary>{t.more}</summary>
            <SignOutFields t={t} field={field} />
            <Options t={t} legend={t.seldom} flags={['email_in_id_token']} {...state} />
          </details>
          <ConfirmFields view={view} form="edit" problem={problem} />
          <FormButtons view={view} submit={t.save} back={PATH} />
        </form>
      </article>
    </AccountPage>
  )
}

/** The fields of the form, as they are stored. */
function fieldsOf(client: OpenidClient): Fields {
  return {
    name: client.name,
    redirect_uris: client.redirectUris.join('\n'),
    post_logout_uris: client.postLogoutUris.join('\n'),
    logout_uri: client.logoutUri,
    ...(client.firstParty && { first_party: 'on' }),
    ...(client.adminsOnly && { admins_only: 'on' }),
    ...(client.emailInIdToken && { email_in_id_token: 'on' }),
  }
}

function ReservedNames({ view, names, refused }: ProgramsProps) {
  const t = view.t.adminPrograms
  return (
    <Fold
      title={t.namesTitle}
      count={names.length}
      open={names.some(({ username }) => isOfRow(refused, { username }))}
    >
      <p class="facts">{t.namesLead}</p>
      <ul class="rows">
        {names.map(({ username }) => (
          <Row icon="lock" tone="amber" title={username} level={3}>
            <Change
              view={view}
              label={t.release}
              question={t.releaseQuestion(username)}
              action={`${PATH}/release`}
              values={{ username }}
              submit={t.release}
              problem={problemIn(refused, 'release', { username })}
              confirmedAs={`release-${username}`}
              isHarmless
            />
          </Row>
        ))}
      </ul>
    </Fold>
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

/** Shows what an operator copies into a program, with the secret, once. */
export function ProgramSettingsPage(props: SettingsProps) {
  const { view, name, preset, settings, hasSecret = true } = props
  const t = view.t.adminPrograms
  const note = preset === undefined ? '' : t.notes[preset]
  const file = preset && PRESET_FILES[preset]
  const pasted = pastedSettings(preset, settings)
  return (
    <AccountPage view={view} title={t.createdTitle}>
      <h1>{t.createdTitle}</h1>
      <article>
        <h2>{name}</h2>
        <p>{hasSecret ? t.createdLead : t.createdLeadPublic}</p>
        {note !== '' && <p class="hint">{note}</p>}
        {file === undefined ? (
          <ul class="rows">
            {settings.map(([label, value], place) => (
              <li class="bar">
                <div>
                  <p class="facts">{label}</p>
                  <code id={`setting-${place}`}>{String(value)}</code>
                </div>
                <CopyButton view={view} from={`setting-${place}`} />
              </li>
            ))}
          </ul>
        ) : (
          <>
            <label for="settings">{file}</label>
            <textarea id="settings" class="codes" readonly rows={rowsOf(pasted)} spellcheck={false}>
              {pasted}
            </textarea>
          </>
        )}
        <p
          class="buttons"
          id={file === undefined ? 'settings' : undefined}
          data-text={file === undefined ? pasted : undefined}
        >
          <CopyButton
            view={view}
            from="settings"
            label={file === undefined ? t.copyAll : view.t.copy}
            isPrimary
          />
          <a role="button" class="secondary" href={`${PATH}#${NEWEST}`}>
            {t.createdDone}
          </a>
        </p>
      </article>
    </AccountPage>
  )
}

/** The characters of a value that fit into a line on a phone. */
const PHONE_COLUMNS = 30

function rowsOf(text: string): number {
  const rows = text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / PHONE_COLUMNS)))
  return rows.reduce((sum, count) => sum + count, 0)
}
