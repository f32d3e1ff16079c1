import {
  ADDRESS,
  DETAIL_FIELDS,
  type Fields,
  type Guard,
  NAME,
  OPENS,
  SETTING_FIELDS,
  SSO_ID,
  USER_FIELDS,
} from './field-guards.ts'

/**
 * Every field of every change that a session can make, with what it needs of the session
 * (docs/interface.md, Fresh sessions, is made from it). What gives access needs a fresh session at
 * every door; what takes access away does not, except where it can not be undone or where it takes
 * protection away as well.
 *
 * The statements that write read the fields of users and settings (`field-guards.ts`). A change
 * that is guarded as a whole carries `isFresh` or `isFreshOperator`. The Worker does not load this
 * list. `test/access/guarded-changes.test.ts` compares the list with the request schemas, the
 * settings and the forms of pages, and sends each change with a session that is not fresh.
 */

const ENDS = 'it takes access away'
const NO_ACCESS = 'it gives no access'
const CONFIRMS = 'it proves the address that the account has'

interface GuardedChange {
  /** Its requests, and the forms of pages that do the same. */
  doors: readonly string[]
  /** Fields that say what is changed, or prove something: they are no values. */
  beside?: readonly string[]
  /** By the names of the request. The empty name is a change without a value. */
  fields: Fields
}

const WHOLE = ''

/** Values, or with no name the change as a whole, that need a fresh session. */
function always(reason: string, ...names: string[]): Fields {
  return each({ needs: 'always', reason }, names)
}

function never(reason: string, ...names: string[]): Fields {
  return each({ needs: 'never', reason }, names)
}

function each(guard: Guard, names: string[]): Fields {
  return Object.fromEntries((names.length === 0 ? [WHOLE] : names).map((name) => [name, guard]))
}

/** The fields that users change of their own account. */
const OWN_FIELDS = {
  username: USER_FIELDS.username,
  password: USER_FIELDS.password,
  sso_id: USER_FIELDS.sso_id,
} satisfies Fields

const NEW_WAY_IN = 'it is a new way in'
const PROTECTS = 'it protects the account'
const GIVES_RIGHTS = 'it says who may see and change which files'
const GETS_NOTICES = 'what happens is told there'

/** Every change of a session, by what it does. */
export const GUARDED_CHANGES: Readonly<Record<string, GuardedChange>> = {
  'own record': {
    doors: [
      'POST /api/me/update',
      'POST /account/security/password',
      'POST /account/security/check/password',
    ],
    beside: ['old_password'],
    fields: OWN_FIELDS,
  },
  'own address: change': {
    doors: ['POST /api/me/email', 'POST /account/email'],
    fields: always(ADDRESS, 'email'),
  },
  'own address: confirm': {
    doors: [
      'POST /api/me/email/send',
      'POST /api/me/email/confirm',
      'POST /account/email/send',
      'POST /account/link',
    ],
    beside: ['link'],
    fields: never(CONFIRMS),
  },
  'confirmation of a session': {
    doors: ['POST /api/me/confirm', 'POST /account/security/passkeys/confirm'],
    beside: ['password', 'otp_code', 'assertion'],
    fields: never('it shows the password, a code or a passkey'),
  },
  'two-step verification: begin': {
    doors: ['POST /api/auth/2fa/generate', 'POST /account/security/start'],
    fields: never('the secret counts once a code of it is verified'),
  },
  'two-step verification: turn on': {
    doors: ['POST /api/auth/2fa/verify', 'POST /account/security/confirm'],
    beside: ['code'],
    fields: always(NEW_WAY_IN, 'secret'),
  },
  'two-step verification: turn off': {
    doors: ['POST /api/auth/2fa/disable', 'POST /account/security/off'],
    beside: ['otp_code'],
    fields: always(PROTECTS),
  },
  'two-step verification: move to another phone': {
    doors: ['POST /account/security/phone'],
    fields: always(PROTECTS),
  },
  'recovery codes': {
    doors: ['POST /api/auth/2fa/recovery_codes', 'POST /account/security/codes'],
    beside: ['otp_code'],
    fields: always(NEW_WAY_IN),
  },
  'passkey: add': {
    doors: ['POST /api/authn/webauthn_finish_registration', 'POST /account/security/passkeys/add'],
    beside: ['session'],
    fields: always(NEW_WAY_IN, 'id', 'rawId', 'type', 'response'),
  },
  'passkey: rename': {
    doors: ['POST /api/authn/rename_authn', 'POST /account/security/passkeys/rename'],
    beside: ['id'],
    fields: never(NO_ACCESS, 'name'),
  },
  'passkey: delete': {
    doors: ['POST /api/authn/delete_authn', 'POST /account/security/passkeys/delete'],
    beside: ['id'],
    fields: always(PROTECTS),
  },
  'account at an identity provider: link': {
    doors: ['POST /account/security/identities/link'],
    fields: always(NEW_WAY_IN),
  },
  'account at an identity provider: unlink': {
    doors: ['POST /account/security/identities/unlink'],
    fields: always(SSO_ID),
  },
  'SSH key: add': {
    doors: ['POST /api/me/sshkey/add', 'POST /account/keys/add'],
    fields: always(NEW_WAY_IN, 'title', 'key'),
  },
  'a deletion: undo': {
    doors: ['POST /account/undo/bring-back'],
    fields: always(NEW_WAY_IN, 'id'),
  },
  'SSH keys: delete': {
    doors: [
      'POST /api/me/sshkey/delete',
      'POST /account/keys/delete',
      'POST /account/keys/delete-all',
    ],
    beside: ['id'],
    fields: never(ENDS),
  },
  'app password: create': {
    doors: ['POST /api/me/tokens/create', 'POST /account/app-passwords/create'],
    fields: always(NEW_WAY_IN, 'name', 'scopes', 'expires_at'),
  },
  'app password: delete': {
    doors: ['POST /api/me/tokens/delete', 'POST /account/app-passwords/delete'],
    beside: ['id'],
    fields: never(ENDS),
  },
  'app passwords and SSH keys: keep': {
    doors: ['POST /api/me/credentials/keep', 'POST /account/security/keep'],
    fields: always(NEW_WAY_IN),
  },
  'sessions: end': {
    doors: [
      'POST /api/me/sessions/delete',
      'POST /api/me/sessions/delete_others',
      'POST /api/me/sessions/delete_all',
      'POST /account/sign-out',
      'POST /account/sessions/end',
      'POST /account/sessions/end-others',
      'POST /account/sessions/end-everything',
      'POST /account/programs/remove',
    ],
    beside: ['id'],
    fields: never(ENDS),
  },
  'new networks: confirm': {
    doors: ['POST /account/sessions/known', 'POST /account/security/check/done'],
    beside: ['network'],
    fields: always(PROTECTS),
  },
  'own channel for notices': {
    doors: [
      'POST /api/me/notices/save',
      'POST /account/notices/save',
      'POST /account/notices/topics',
    ],
    fields: always(GETS_NOTICES, 'kind', 'address', 'topics', 'language'),
  },
  'own channel for notices: delete': {
    doors: ['POST /api/me/notices/delete', 'POST /account/notices/delete'],
    fields: always(GETS_NOTICES),
  },
  'channel for notices: test': {
    doors: [
      'POST /api/me/notices/test',
      'POST /account/notices/test',
      'POST /api/admin/notice/test',
      'POST /account/admin/notices/test',
    ],
    beside: ['id'],
    fields: never(NO_ACCESS),
  },
  'user: create': {
    doors: ['POST /api/admin/user/create', 'POST /account/admin/users/new'],
    fields: always(
      NEW_WAY_IN,
      'username',
      'password',
      'base_path',
      'role',
      'disabled',
      'permission',
      'sso_id',
    ),
  },
  user: {
    doors: [
      'POST /api/admin/user/update',
      'POST /account/admin/users/:id{[0-9]+}/change',
      'POST /account/admin/users/:id{[0-9]+}/password',
      'POST /account/admin/users/:id{[0-9]+}/disable',
      'POST /account/admin/users/:id{[0-9]+}/enable',
    ],
    beside: ['id'],
    fields: USER_FIELDS,
  },
  'user: address and end': {
    doors: ['POST /api/admin/user/details', 'POST /account/admin/users/:id{[0-9]+}/details'],
    beside: ['id'],
    fields: DETAIL_FIELDS,
  },
  'users whom an administrator has selected': {
    doors: ['POST /account/admin/users/selected'],
    beside: ['do', 'sure', 'name'],
    fields: always('it is the change of many users at once'),
  },
  'user: approve': {
    doors: ['POST /api/admin/user/approve', 'POST /account/admin/users/:id{[0-9]+}/approve'],
    beside: ['id'],
    fields: always(OPENS),
  },
  'user: reject': {
    doors: ['POST /api/admin/user/reject', 'POST /account/admin/users/:id{[0-9]+}/reject'],
    beside: ['id'],
    fields: always('what the user has registered can not be had back'),
  },
  'user: delete': {
    doors: ['POST /api/admin/user/delete', 'POST /account/admin/users/:id{[0-9]+}/delete'],
    beside: ['id'],
    fields: always('the account can not be had back'),
  },
  'user: link for a new password': {
    doors: ['POST /api/admin/user/reset_link', 'POST /account/admin/users/:id{[0-9]+}/reset-link'],
    beside: ['id'],
    fields: always(NEW_WAY_IN, 'second_factor', 'ends_at'),
  },
  'user: unlock': {
    doors: ['POST /account/admin/users/:id{[0-9]+}/unlock'],
    fields: always('it lets a thief go on guessing'),
  },
  'user: turn two-step verification off': {
    doors: [
      'POST /api/admin/user/cancel_2fa',
      'POST /account/admin/users/:id{[0-9]+}/cancel-two-factor',
    ],
    beside: ['id', 'passkeys'],
    fields: always(PROTECTS),
  },
  'user: delete a passkey': {
    doors: [
      'POST /api/admin/user/passkey/delete',
      'POST /account/admin/users/:id{[0-9]+}/delete-passkey',
    ],
    beside: ['uid', 'id'],
    fields: always(PROTECTS),
  },
  'user: unlink an account at an identity provider': {
    doors: [
      'POST /api/admin/user/identity/delete',
      'POST /account/admin/users/:id{[0-9]+}/unlink-identity',
    ],
    beside: ['uid', 'issuer', 'subject', 'last_way_in'],
    fields: always(SSO_ID),
  },
  'user: end sessions, delete SSH keys and app passwords': {
    doors: [
      'POST /api/admin/user/sshkey/delete',
      'POST /api/admin/user/token/delete',
      'POST /account/admin/users/:id{[0-9]+}/end-sessions',
      'POST /account/admin/users/:id{[0-9]+}/end-session',
      'POST /account/admin/users/:id{[0-9]+}/delete-key',
      'POST /account/admin/users/:id{[0-9]+}/delete-app-password',
    ],
    beside: ['id', 'uid'],
    fields: never(ENDS),
  },
  'invitation: mail again': {
    doors: ['POST /account/admin/invitations/again'],
    fields: always(NEW_WAY_IN, 'id'),
  },
  'invitation: create': {
    doors: ['POST /api/admin/invitation/create', 'POST /account/admin/invitations/add'],
    fields: always(
      NEW_WAY_IN,
      'name',
      'username',
      'email',
      'permission',
      'base_path',
      'uses',
      'ends_at',
      'account_ends_at',
      'account_days',
      'groups',
    ),
  },
  'link: withdraw': {
    doors: ['POST /api/admin/link/delete', 'POST /account/admin/invitations/withdraw'],
    beside: ['id'],
    fields: never(ENDS),
  },
  'name of a former user: release': {
    doors: ['POST /account/admin/programs/release'],
    fields: always(NAME),
  },
  'app: add': {
    doors: ['POST /account/admin/programs/add'],
    fields: always('tokens of users are sent there'),
  },
  'app: change': {
    doors: ['POST /account/admin/programs/edit'],
    beside: ['id'],
    fields: always('tokens of users are sent there'),
  },
  'app: new secret': {
    doors: ['POST /account/admin/programs/secret'],
    fields: always('who has it gets tokens of users'),
  },
  'app: delete': {
    doors: ['POST /account/admin/programs/delete'],
    fields: always('it can not be had back: a new app has another id'),
  },
  'group: create, change, delete': {
    doors: [
      'POST /api/admin/group/create',
      'POST /api/admin/group/update',
      'POST /api/admin/group/delete',
      'POST /account/admin/groups/add',
      'POST /account/admin/groups/:id{[0-9]+}/save',
      'POST /account/admin/groups/:id{[0-9]+}/delete',
    ],
    beside: ['id'],
    fields: { ...always(GIVES_RIGHTS, 'name', 'note'), ...always(GIVES_RIGHTS) },
  },
  'group: add and remove users': {
    doors: [
      'POST /api/admin/group/member/add',
      'POST /api/admin/group/member/remove',
      'POST /account/admin/groups/:id{[0-9]+}/join',
      'POST /account/admin/groups/:id{[0-9]+}/remove',
    ],
    beside: ['id'],
    fields: always(GIVES_RIGHTS, 'users', 'username', 'uid'),
  },
  'folder rule: adopt, move, sync': {
    doors: [
      'POST /api/admin/folder_rule/adopt',
      'POST /api/admin/folder_rule/move',
      'POST /api/admin/folder_rule/sync',
      'POST /account/admin/folders/adopt',
      'POST /account/admin/folders/move',
      'POST /account/admin/folders/sync',
    ],
    fields: { ...always(GIVES_RIGHTS, 'path', 'to'), ...always(GIVES_RIGHTS) },
  },
  'folder rule: create, change, delete': {
    doors: [
      'POST /api/admin/folder_rule/create',
      'POST /api/admin/folder_rule/update',
      'POST /api/admin/folder_rule/delete',
      'POST /account/admin/folders/add',
      'POST /account/admin/folders/change',
    ],
    beside: ['id', 'rule', 'delete'],
    fields: {
      ...always(GIVES_RIGHTS, 'path', 'group', 'uid', 'who', 'username', 'access'),
      ...always(GIVES_RIGHTS),
    },
  },
  'channel for notices: create, change, delete': {
    doors: [
      'POST /api/admin/notice/create',
      'POST /api/admin/notice/topics',
      'POST /api/admin/notice/delete',
      'POST /account/admin/notices/add',
      'POST /account/admin/notices/topics',
      'POST /account/admin/notices/delete',
    ],
    beside: ['id'],
    fields: always(
      GETS_NOTICES,
      'kind',
      'name',
      'address',
      'token',
      'chat',
      'sender',
      'topics',
      'language',
    ),
  },
  setting: {
    doors: ['POST /api/admin/setting/save', 'POST /account/admin/settings/:page'],
    beside: ['key', 'value'],
    fields: SETTING_FIELDS,
  },
  'the checklist of a new site': {
    doors: ['POST /account/admin/checklist/hide'],
    fields: never(NO_ACCESS),
  },
  'nothing: reads, checks and what one browser keeps': {
    doors: [
      'POST /api/admin/setting/default',
      'POST /api/admin/user/del_cache',
      'POST /account/admin/settings/sso/check',
      'POST /account/security/factor',
      'POST /account/language',
      'POST /account/announcement',
    ],
    beside: ['group', 'groups', 'username'],
    fields: never(NO_ACCESS),
  },
}
