import * as v from 'valibot'
import type { Account } from '../../../../core/accounts/accounts.ts'
import { basePathSchema, emailSchema } from '../../../../core/accounts/fields.ts'
import { ADMIN, GENERAL, GUEST } from '../../../../core/accounts/roles.ts'
import { usernameSchema } from '../../../../core/accounts/username.ts'
import { reason } from '../../../../core/base/reasons.ts'
import { possiblyEmptyText } from '../../../../core/base/text.ts'
import type { Deps } from '../../../../core/deps.ts'
import { generatePassword } from '../../../../core/passwords/generated-password.ts'
import { validate } from '../../../../web/http/input.ts'
import { Field } from '../../../../web/kit/fields.tsx'
import { echo, type Fields, type Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import { permissionIn } from './permission-fields.tsx'

const ROLES = [String(GENERAL), String(ADMIN)]
const roleSchema = v.pipe(v.picklist(ROLES, reason('role')), v.transform(Number))

const userSchema = v.object({
  username: usernameSchema,
  /** Missing in the guest's form. */
  role: v.optional(roleSchema),
  base_path: basePathSchema,
})
const emailOfNew = v.object({ email: v.optional(emailSchema, '') })
const passwordSchema = v.object({ password: possiblyEmptyText() })

/** Names of the fields that `UserFields` renders. */
export const USER_FIELDS = ['username', 'role', 'base_path']

/** Returns the initial values of the form for a new user. */
export function newUser({ usualFolder }: View): Fields {
  return { role: String(GENERAL), base_path: usualFolder }
}

/** Returns the initial values of a user's form. */
export function fieldsOf(user: Account): Fields {
  return { username: user.username, role: String(user.role), base_path: user.basePath }
}

/** @throws {Refusal} `invalidBody`. */
export function parseUser(fields: Fields) {
  const { username, role, base_path: basePath } = validate(userSchema, fields)
  const permission = permissionIn(fields, 'permission')
  return { username, basePath, permission, ...(role !== undefined && { role }) }
}

/** @throws {Refusal} `invalidBody`. */
export function parseNewUser(fields: Fields) {
  return { ...parseUser(fields), ...validate(emailOfNew, fields) }
}

/**
 * Reads the new password; generates one when the field is empty, which the answer shows once.
 *
 * @throws {Refusal} `invalidBody`.
 */
export function readNewPassword(deps: Pick<Deps, 'randomBytes'>, fields: Fields) {
  const { password: typed } = validate(passwordSchema, fields)
  if (typed !== '') return { password: typed, generated: undefined }
  const generated = generatePassword(deps)
  return { password: generated, generated }
}

interface UserFieldsProps {
  view: View
  fields: Fields
  problem: Problem | undefined
}

/** The fields for name, role and base folder. */
export function UserFields({
  view,
  fields,
  problem,
  nameHint,
  isNew = false,
}: UserFieldsProps & { nameHint?: string | undefined; isNew?: boolean }) {
  const t = view.t.adminUsers
  const { roles } = view.t.overview
  return (
    <>
      <Field
        name="username"
        label={t.name}
        value={echo(fields, 'username')}
        problem={problem}
        focus={isNew}
        {...(nameHint !== undefined && { hint: nameHint })}
      />
      {fields['role'] !== String(GUEST) && (
        <Field
          name="role"
          label={t.role}
          value={echo(fields, 'role')}
          options={[GENERAL, ADMIN].map((role) => [String(role), roles[role] ?? ''])}
          problem={problem}
        />
      )}
      <Field
        name="base_path"
        label={t.basePath}
        hint={isNew ? t.newBasePathHint : t.basePathHint}
        value={echo(fields, 'base_path')}
        problem={problem}
        optional
      />
    </>
  )
}

/** The field for a new password; left empty, one is generated. A refusal does not echo the input. */
export function PasswordField({ view, problem }: Omit<UserFieldsProps, 'fields'>) {
  const t = view.t.adminUsers
  return (
    <Field
      name="password"
      label={t.password}
      hint={t.passwordHint}
      type="password"
      autocomplete="new-password"
      problem={problem}
      optional
    />
  )
}
