import * as v from 'valibot'
import type { Deps } from '../../../../core/deps.ts'
import { idQuery, validate } from '../../../../web/http/input.ts'
import { unlockUser } from '../../unlock.ts'
import { deleteAppPassword } from '../../../app-passwords/app-passwords.ts'
import { removeKeys } from '../../../ssh-keys/keys.ts'
import { removePasskey } from '../../../passkeys/manage.ts'
import { unlinkIdentity } from '../../../sso/manage.ts'
import { text } from '../../../../core/base/text.ts'
import type { Language } from '../../../../core/base/language.ts'
import { changeDetails } from '../../../joining/details.ts'
import { approveUser, rejectUser } from '../../../joining/waiting.ts'
import type { Operator } from '../../../../core/access/operators.ts'
import { of } from '../../../../core/access/subject.ts'
import { endEverything, endSession } from '../../../sessions/manage.ts'
import { cancelUserTwoFactor, changeUser, removeUser } from '../../manage-users.ts'
import type { Fields } from '../../../../web/kit/form.ts'
import type { DoneNotice } from '../../../../web/kit/view.ts'
import { parseDetails } from './user-details.tsx'
import { parseUser } from './user-fields.tsx'
import type { UserForm } from './user-props.ts'

/** The action of a form on a user's page. */
interface UserAction {
  /** @throws {Refusal} */
  run: (
    deps: Deps,
    operator: Operator,
    userId: number,
    fields: Fields,
    language: Language,
  ) => Promise<unknown>
  notice: DoneNotice
}

/** The id of a session or a passkey. */
const textIdSchema = v.object({ id: text() })

const identitySchema = v.object({ issuer: text(), subject: text() })

/** Every form except those that answer with a page of their own. */
type UserActionName = Exclude<UserForm, 'password' | 'reset-link'>

export const USER_ACTIONS: Record<UserActionName, UserAction> = {
  change: {
    run: (deps, operator, userId, fields) => changeUser(deps, operator, userId, parseUser(fields)),
    notice: 'user-changed',
  },
  details: {
    run: (deps, operator, userId, fields, language) =>
      changeDetails(deps, operator, userId, parseDetails(userId, fields), language),
    notice: 'user-changed',
  },
  approve: { run: approveUser, notice: 'user-approved' },
  reject: { run: rejectUser, notice: 'user-rejected' },
  disable: {
    run: (deps, operator, userId) => changeUser(deps, operator, userId, { disabled: true }),
    notice: 'user-disabled',
  },
  enable: {
    run: (deps, operator, userId) => changeUser(deps, operator, userId, { disabled: false }),
    notice: 'user-enabled',
  },
  unlock: { run: unlockUser, notice: 'user-unlocked' },
  'cancel-two-factor': {
    run: (deps, operator, userId, fields) =>
      cancelUserTwoFactor(deps, operator, userId, {
        withPasskeys: fields['with_passkeys'] === 'true',
      }),
    notice: 'user-two-factor-off',
  },
  'end-sessions': {
    run: (deps, operator, userId) => endEverything(deps, of(operator, userId)),
    notice: 'user-sessions-ended',
  },
  'end-session': {
    run: (deps, operator, userId, fields) =>
      endSession(deps, of(operator, userId), validate(textIdSchema, fields).id),
    notice: 'session-ended',
  },
  'delete-key': {
    run: (deps, operator, userId, fields) =>
      removeKeys(deps, of(operator, userId), validate(idQuery, fields).id),
    notice: 'key-deleted',
  },
  'delete-app-password': {
    run: (deps, operator, userId, fields) =>
      deleteAppPassword(deps, of(operator, userId), validate(idQuery, fields).id),
    notice: 'app-password-deleted',
  },
  'delete-passkey': {
    run: (deps, operator, userId, fields) =>
      removePasskey(deps, of(operator, userId), validate(textIdSchema, fields).id),
    notice: 'passkey-deleted',
  },
  'unlink-identity': {
    run: (deps, operator, userId, fields) => {
      const mayBeLast = fields['last_way_in'] === 'true'
      const identity = validate(identitySchema, fields)
      return unlinkIdentity(deps, of(operator, userId), identity, { mayBeLast })
    },
    notice: 'identity-unlinked',
  },
  delete: { run: removeUser, notice: 'user-deleted' },
}

export function isUserAction(name: string): name is UserActionName {
  return Object.hasOwn(USER_ACTIONS, name)
}
