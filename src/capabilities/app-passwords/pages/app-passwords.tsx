import { type AppPasswordScope, scopesText } from '../../../core/access/scopes.ts'
import { ADMIN } from '../../../core/accounts/roles.ts'
import type { listAppPasswordsWithClosed } from '../app-passwords.ts'
import { shellWord } from '../../../core/base/shell-word.ts'
import { SFTP_PORT, type SftpAddress } from '../../settings/sftp-address.ts'
import { sftpCommand } from '../../ssh-keys/sftp-command.ts'
import { CONFIRM_FIELDS, Change, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert, Field, FormButtons, OptionCards } from '../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../web/kit/form.ts'
import { ListPage } from '../../../web/kit/frames.tsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { CopyButton, Heading, ShownOnce } from '../../../web/kit/parts.tsx'
import { Empty, Menu, NEWEST, Row } from '../../../web/kit/rows.tsx'
import { Time, TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { type Closed, ClosedBadge, ClosedNote } from '../../me/pages/closed-credentials.tsx'

type AppPassword = Awaited<ReturnType<typeof listAppPasswordsWithClosed>>['appPasswords'][number]

/** The uses that the form offers. Each is a set of scopes, with a text of its own. */
const USES = {
  read: ['files:read'],
  write: ['files:write'],
  look: ['account:read'],
  manage: ['account:read', 'account:write'],
  admin: ['account:read', 'admin'],
} as const satisfies Record<string, readonly AppPasswordScope[]>

type Use = keyof typeof USES

const USE_NAMES: readonly Use[] = ['read', 'write', 'look', 'manage', 'admin']

export function findUse(name: string): Use | undefined {
  return USE_NAMES.find((known) => known === name)
}

/** Returns the scopes of a use, as `scopesText` does. */
export function scopesOfUse(use: Use): string {
  return scopesText(USES[use])
}

/** Days until the end; `never` has none. */
export const LIFETIME_DAYS = { month: 30, quarter: 90, year: 365, never: null } as const

type Lifetime = keyof typeof LIFETIME_DAYS

const LIFETIME_NAMES: readonly Lifetime[] = ['month', 'quarter', 'year', 'never']

export function findLifetime(name: string): Lifetime | undefined {
  return LIFETIME_NAMES.find((known) => known === name)
}

const PATH = '/account/app-passwords'

interface AppPasswordsProps extends Closed {
  view: View
  appPasswords: AppPassword[]
  problem?: Problem | undefined
}

export function AppPasswordsPage({ view, appPasswords, problem, ...closed }: AppPasswordsProps) {
  const t = view.t.appPasswords
  const newestFirst = appPasswords.toSorted((a, b) => b.id - a.id)
  return (
    <ListPage
      view={view}
      title={t.title}
      lead={t.lead}
      problem={problem}
      note={<ClosedNote view={view} {...closed} />}
      add={{ href: `${PATH}/add`, label: t.add }}
      rows={newestFirst.map((item, place) => (
        <AppPasswordRow
          view={view}
          item={item}
          action={`${PATH}/delete`}
          id={place === 0 ? NEWEST : undefined}
        />
      ))}
      none={<Empty icon="app-passwords" title={t.none} hint={t.noneHint} />}
    >
      {appPasswords.length > 0 && (
        <p class="hint">
          {t.staysValid} <a href="/account/sessions#everything">{t.endAll}</a>
        </p>
      )}
    </ListPage>
  )
}

interface AppPasswordRowProps extends DeleteProps {
  id?: string | undefined
  level?: 2 | 3
}

/** An app password in a list, with the form that deletes it. */
export function AppPasswordRow({ view, item, action, ...props }: AppPasswordRowProps) {
  const isExpired = item.expiresAt !== null && item.expiresAt <= view.now
  return (
    <Row icon="app-passwords" tone={isExpired ? 'red' : 'teal'} title={item.name} {...props}>
      <AppPasswordFacts view={view} item={item} />
      <Menu label={view.t.actionsFor(item.name)}>
        <DeleteAppPassword view={view} item={item} action={action} />
      </Menu>
    </Row>
  )
}

interface NewAppPasswordProps {
  view: View
  /** The values of a refused form. */
  fields?: Fields | undefined
  problem?: Problem | undefined
}

export function NewAppPasswordPage(props: NewAppPasswordProps) {
  const { view } = props
  const t = view.t.appPasswords
  return (
    <AccountPage view={view} title={t.addTitle}>
      <Heading title={t.addTitle} lead={t.addLead} />
      <article>
        <CreateForm {...props} />
      </article>
    </AccountPage>
  )
}

function CreateForm({ view, fields, problem }: NewAppPasswordProps) {
  const t = view.t.appPasswords
  const uses = USE_NAMES.filter((use) => use !== 'admin' || view.account?.role === ADMIN)
  return (
    <form class="wide" method="post" action="/account/app-passwords/create">
      <Alert problem={problem} fields={['name', 'use', 'lifetime', ...CONFIRM_FIELDS]} />
      <Field
        name="name"
        label={t.name}
        hint={t.nameHint}
        value={echo(fields, 'name')}
        problem={problem}
        focus
        spellcheck
      />
      <OptionCards
        name="use"
        legend={t.use}
        hint={t.useHint}
        options={uses.map((use) => ({ value: use, ...t.uses[use] }))}
        value={findUse(echo(fields, 'use')) ?? 'read'}
      />
      <Field
        name="lifetime"
        label={t.lifetime}
        options={LIFETIME_NAMES.map((name) => [name, t.lifetimes[name]] as const)}
        value={echo(fields, 'lifetime') || 'year'}
        problem={problem}
      />
      <ConfirmFields view={view} form="create" problem={problem} />
      <FormButtons view={view} submit={t.submit} back={PATH} />
    </form>
  )
}

/** The words of `files:write` say that it reads, too. */
function isIncluded(scope: AppPasswordScope, scopes: readonly AppPasswordScope[]): boolean {
  return scope === 'files:read' && scopes.includes('files:write')
}

/** The facts of an app password in lists, beside its name. */
export function AppPasswordFacts({ view, item }: { view: View; item: AppPassword }) {
  const t = view.t.appPasswords
  const isExpired = item.expiresAt !== null && item.expiresAt <= view.now
  return (
    <>
      <p class="facts">
        <ClosedBadge view={view} isClosed={item.isClosed} />
        {item.scopes
          .filter((scope) => !isIncluded(scope, item.scopes))
          .map((scope) => (
            <span>{t.scopes[scope]}</span>
          ))}
      </p>
      <p class="facts">
        <TimeFact view={view} at={item.createdAt} phrase={t.created} isMinor />
        <span>
          {item.lastUsedAt === null ? (
            t.neverUsed
          ) : (
            <Time
              view={view}
              at={item.lastUsedAt}
              phrase={(when) =>
                item.lastNetwork === null
                  ? t.lastUsed(when)
                  : t.lastUsedFrom(when, item.lastNetwork)
              }
            />
          )}
        </span>
        <span class={isExpired ? 'problem' : undefined}>
          {item.expiresAt === null ? (
            t.neverExpires
          ) : (
            <Time view={view} at={item.expiresAt} phrase={isExpired ? t.expired : t.expires} />
          )}
        </span>
      </p>
    </>
  )
}

interface DeleteProps {
  view: View
  item: AppPassword
  action: string
}

function DeleteAppPassword({ view, item, action }: DeleteProps) {
  const t = view.t.appPasswords
  return (
    <Change
      view={view}
      label={t.delete}
      question={t.deleteQuestion(item.name)}
      action={action}
      values={{ id: item.id }}
      named={item.name}
      submit={t.deleteSubmit}
    />
  )
}

interface CreatedProps {
  view: View
  name: string
  token: string
  use: Use
  /** Where this service answers, such as `https://accounts.example.org`. */
  origin: string
  /** `undefined` when the operator has not said where the SFTP server is. */
  sftp: SftpAddress | undefined
  /** The WebDAV address of the file server behind this site; `undefined` without one. */
  webdav: string | undefined
}

/** Stands for the user's file server in examples. */
const EXAMPLE_HOST = 'files.example.org'

/** Shows an app password once, in the answer to the form that created it, and how to use it. */
export function CreatedAppPasswordPage(props: CreatedProps) {
  const { view, name, token, use, origin, sftp, webdav } = props
  const t = view.t.appPasswords
  const username = view.account?.username ?? ''
  return (
    <AccountPage view={view} title={t.createdTitle}>
      <h1>{t.createdTitle}</h1>
      <article>
        <p>{t.createdLead}</p>
        <ShownOnce
          view={view}
          id="token"
          label={name}
          secret={token}
          rows={2}
          next={`${PATH}#${NEWEST}`}
          done={t.createdDone}
        />
      </article>
      <article>
        <h2>{t.howTo}</h2>
        {use === 'read' || use === 'write' ? (
          <FileUse view={view} username={username} sftp={sftp} webdav={webdav} />
        ) : (
          <ProgramUse view={view} origin={origin} />
        )}
      </article>
    </AccountPage>
  )
}

interface FileUseProps extends Pick<CreatedProps, 'view' | 'sftp' | 'webdav'> {
  username: string
}

function FileUse({ view, username, sftp, webdav }: FileUseProps) {
  const t = view.t.appPasswords
  const isKnown = webdav !== undefined
  // The file server behind this site takes app passwords over WebDAV only.
  const shownSftp = sftp ?? (isKnown ? undefined : { host: EXAMPLE_HOST, port: SFTP_PORT })
  return (
    <>
      <p>{t.webdavHow}</p>
      <dl>
        <dt>{t.address}</dt>
        {isKnown ? <Copied view={view} id="address" text={webdav} /> : <dd>{t.addressOf}</dd>}
        <dt>{view.t.signIn.username}</dt>
        <Copied view={view} id="user" text={username} />
        <dt>{view.t.signIn.password}</dt>
        <dd>{t.passwordOf}</dd>
      </dl>
      <details class="older">
        <summary>{t.inTerminal}</summary>
        {!isKnown && <p>{t.placeholder(EXAMPLE_HOST)}</p>}
        <dl>
          {shownSftp !== undefined && (
            <>
              <dt>SFTP</dt>
              <dd>
                {t.sftpHow}
                <pre>{sftpCommand(username, shownSftp)}</pre>
              </dd>
            </>
          )}
          <dt>rclone</dt>
          <dd>
            {t.rcloneHow}
            <pre>{`rclone config create files webdav \\
  url=${webdav ?? `https://${EXAMPLE_HOST}`} \\
  vendor=other user=${shellWord(username)} \\
  pass="$(rclone obscure -)"`}</pre>
          </dd>
        </dl>
      </details>
    </>
  )
}

/** A value to put into a program. */
function Copied({ view, id, text }: { view: View; id: string; text: string }) {
  return (
    <dd class="command">
      <code id={id}>{text}</code>
      <CopyButton view={view} from={id} />
    </dd>
  )
}

function ProgramUse({ view, origin }: { view: View; origin: string }) {
  const t = view.t.appPasswords
  return (
    <dl>
      <dt>{t.tools}</dt>
      <dd>{t.toolsHow}</dd>
      <dt>curl</dt>
      <dd>
        {t.readHow}
        <pre>read -rs APP_PASSWORD</pre>
        {t.curlHow}
        <pre>{`curl -H "Authorization: Bearer $APP_PASSWORD" ${origin}/api/me`}</pre>
      </dd>
    </dl>
  )
}
