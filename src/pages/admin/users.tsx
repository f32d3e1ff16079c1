import type { listKeysOf } from '../../ssh-keys/keys.ts'
import type { Account } from '../../accounts/accounts.ts'
import { GENERAL } from '../../accounts/roles.ts'
import { SurvivingKeys } from '../account/surviving-keys.tsx'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import type { Fields, Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Alert, Empty, Pager } from '../parts.tsx'
import type { View } from '../view.ts'
import { PasswordField, PermissionBoxes, USER_FIELDS, UserFields } from './user-fields.tsx'

interface UsersProps {
  view: View
  users: Account[]
  total: number
  /** Part of the name; empty lists all users. */
  search: string
  page: number
  pages: number
}

export function UsersPage({ view, users, total, search, page, pages }: UsersProps) {
  const t = view.t.adminUsers
  return (
    <AccountPage view={view} title={t.title}>
      <header class="bar">
        <hgroup>
          <h1>{t.title}</h1>
          <p>{t.total(total)}</p>
        </hgroup>
        <a role="button" href="/account/admin/users/new">
          {t.add}
        </a>
      </header>
      <form class="filter" action="/account/admin/users" role="search">
        <input
          type="search"
          name="search"
          value={search}
          aria-label={t.search}
          maxlength={255}
          placeholder={t.search}
        />
        <button class="secondary">{t.searchSubmit}</button>
      </form>
      {users.length === 0 ? (
        <>
          <Empty icon="users" title={t.none} hint={search === '' ? '' : t.noneHint(search)} />
          <p class="aside">
            <a href="/account/admin/users">{t.showAll}</a>
          </p>
        </>
      ) : (
        <ul class="rows compact">
          {users.map((user) => (
            <UserRow view={view} user={user} />
          ))}
        </ul>
      )}
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(to) => `/account/admin/users?${String(addressOf(search, to))}`}
        words={{ newer: t.previous, older: t.next, page: view.t.activity.page }}
      />
    </AccountPage>
  )
}

function addressOf(search: string, page: number): URLSearchParams {
  return new URLSearchParams({ ...(search !== '' && { search }), page: String(page) })
}

function UserRow({ view, user }: { view: View; user: Account }) {
  return (
    <li>
      <h2>
        <a href={`/account/admin/users/${user.id}`}>{user.username}</a>
        <UserBadges view={view} user={user} />
      </h2>
      <p class="facts">
        <span>{user.basePath}</span>
      </p>
    </li>
  )
}

/** Badges for role, second factor and a disabled account. */
export function UserBadges({ view: { t }, user }: { view: View; user: Account }) {
  return (
    <>
      {user.role !== GENERAL && <span class="badge">{t.overview.roles[user.role]}</span>}
      {user.hasTwoFactor && <span class="badge good">{t.adminUsers.twoFactor}</span>}
      {user.disabled && <span class="badge bad">{t.adminUsers.disabled}</span>}
    </>
  )
}

interface NewUserProps {
  view: View
  fields: Fields
  problem?: Problem | undefined
}

export function NewUserPage({ view, fields, problem }: NewUserProps) {
  const t = view.t.adminUsers
  return (
    <AccountPage view={view} title={t.add}>
      <h1>{t.add}</h1>
      <article>
        <form class="wide" method="post" action="/account/admin/users/new">
          <Alert problem={problem} fields={[...USER_FIELDS, 'password', ...CONFIRM_FIELDS]} />
          <UserFields view={view} fields={fields} problem={problem} />
          <PasswordField view={view} problem={problem} />
          <PermissionBoxes view={view} fields={fields} />
          <ConfirmFields view={view} form="new" problem={problem} />
          <button>{t.create}</button>
        </form>
      </article>
    </AccountPage>
  )
}

interface GeneratedProps {
  view: View
  user: { id: number; username: string }
  /** The SSH keys that still work after a new password. */
  keys: Awaited<ReturnType<typeof listKeysOf>>['keys']
  password: string
}

/** Shows a generated password once, in the answer to the form that asked for it. */
export function GeneratedPasswordPage({ view, user, keys, password }: GeneratedProps) {
  const t = view.t.adminUsers
  return (
    <AccountPage view={view} title={t.generatedTitle}>
      <h1>{t.generatedTitle}</h1>
      <article>
        <p>{t.generatedLead}</p>
        <label for="password">{t.generatedLabel(user.username)}</label>
        <textarea id="password" class="codes" readonly rows={1} spellcheck={false}>
          {password}
        </textarea>
        <p class="buttons">
          <button
            type="button"
            class="secondary"
            data-copy="password"
            data-done={view.t.copied}
            hidden
          >
            {view.t.copy}
          </button>
          <a role="button" href={`/account/admin/users/${user.id}`}>
            {t.generatedDone}
          </a>
        </p>
      </article>
      {keys.length > 0 && (
        <article>
          <p>{t.survivingKeys}</p>
          <SurvivingKeys view={view} keys={keys} />
        </article>
      )}
    </AccountPage>
  )
}
