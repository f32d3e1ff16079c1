import * as v from 'valibot'
import {
  basePathSchema,
  emailSchema,
  permissionSchema,
  timeSchema,
  userIdSchema,
} from '../../core/accounts/fields.ts'
import { possiblyEmptyUsername } from '../../core/accounts/username.ts'
import { reason } from '../../core/base/reasons.ts'
import { maxCharacters, possiblyEmptyName, possiblyEmptyText, text } from '../../core/base/text.ts'
import { MAX_GROUPS_OF_USER } from '../../core/accounts/groups.ts'
import type { InvitationRequest } from './invitations.ts'

const MAX_NOTE_CHARACTERS = 100
export const MAX_USES = 1000
export const MAX_ACCOUNT_DAYS = 3650
/** Secrets are hashed and looked up, so they are bounded. */
const MAX_SECRET_CHARACTERS = 64
const MAX_TURNSTILE_CHARACTERS = 2048
const MAX_NAME_CHARACTERS = 255
const MAX_GROUP_NAME_CHARACTERS = 255

function wholeNumber(min: number, max: number) {
  const range = reason('range', { min, max })
  return v.pipe(
    v.number(),
    v.integer(reason('integer')),
    v.minValue(min, range),
    v.maxValue(max, range),
  )
}

/** The fields of an invitation; all may be missing. */
export const invitationSchema = v.object({
  name: v.nullish(possiblyEmptyName(MAX_NOTE_CHARACTERS), ''),
  // An empty name leaves the choice to the user.
  username: v.nullish(possiblyEmptyUsername, ''),
  email: v.nullish(emailSchema, ''),
  permission: v.nullish(permissionSchema, 0),
  base_path: v.nullish(basePathSchema),
  uses: v.nullish(wholeNumber(1, MAX_USES)),
  ends_at: v.nullish(timeSchema),
  account_ends_at: v.nullish(timeSchema),
  account_days: v.nullish(wholeNumber(1, MAX_ACCOUNT_DAYS)),
  groups: v.nullish(
    v.pipe(
      v.array(v.pipe(possiblyEmptyText(), maxCharacters(MAX_GROUP_NAME_CHARACTERS))),
      v.maxLength(MAX_GROUPS_OF_USER, reason('maxEntries', { max: MAX_GROUPS_OF_USER })),
    ),
    [],
  ),
})

/** Gives the fields of an invitation the names of the decision. */
export function invitationRequest(
  fields: v.InferOutput<typeof invitationSchema>,
): InvitationRequest {
  return {
    name: fields.name,
    username: fields.username,
    email: fields.email,
    permission: fields.permission,
    basePath: fields.base_path ?? undefined,
    uses: fields.uses ?? undefined,
    endsAt: fields.ends_at ?? undefined,
    accountEndsAt: fields.account_ends_at ?? undefined,
    accountDays: fields.account_days ?? undefined,
    groups: fields.groups,
  }
}

export const resetLinkSchema = v.object({
  id: userIdSchema,
  second_factor: v.nullish(v.boolean(), false),
  ends_at: v.nullish(timeSchema),
})

export const addressSchema = v.object({ email: emailSchema })

const secretSchema = v.pipe(text(), maxCharacters(MAX_SECRET_CHARACTERS))

export const linkSchema = v.object({ link: secretSchema })

export const registrationSchema = v.object({
  username: v.nullish(possiblyEmptyUsername, ''),
  password: text(),
  invitation: v.nullish(v.pipe(possiblyEmptyText(), maxCharacters(MAX_SECRET_CHARACTERS)), ''),
  turnstile: v.nullish(v.pipe(possiblyEmptyText(), maxCharacters(MAX_TURNSTILE_CHARACTERS)), ''),
})

export const forgottenSchema = v.object({
  name: v.pipe(text(), maxCharacters(MAX_NAME_CHARACTERS)),
})

export const resetSchema = v.object({ link: secretSchema, password: text() })
