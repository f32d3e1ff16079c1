import * as v from 'valibot'
import { parseEmail } from '../base/email.ts'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../base/text.ts'
import { parseTime } from '../base/time.ts'
import { MAX_PERMISSION } from './roles.ts'
import { reason } from '../base/reasons.ts'

const MAX_PATH_CHARACTERS = 1024
const MAX_SSO_ID_CHARACTERS = 255
const PERMISSION_RANGE = `must be 0 to ${MAX_PERMISSION}`

/** Returns a path as the file server keeps it; it takes a backslash for a slash. */
export function cleanPath(path: string): string {
  const segments = path.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.')
  return `/${segments.join('/')}`
}

/** An empty path becomes `/`, the whole tree. The result is clean. */
export const basePathSchema = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_PATH_CHARACTERS),
  noControlCharacters(),
  v.transform((path) => path || '/'),
  v.check(
    (path) => path.startsWith('/') && !cleanPath(path).split('/').includes('..'),
    reason('basePath'),
  ),
  v.transform(cleanPath),
)

export const permissionSchema = v.pipe(
  v.number(),
  v.integer(reason('integer')),
  v.minValue(0, PERMISSION_RANGE),
  v.maxValue(MAX_PERMISSION, PERMISSION_RANGE),
)

/** Empty when the user has no SSO id. */
export const ssoIdSchema = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_SSO_ID_CHARACTERS),
  noControlCharacters(),
)

export const userIdSchema = v.pipe(v.number(), v.integer(reason('integer')))

/** A time of RFC 3339 as Unix time, milliseconds. */
export const timeSchema = v.pipe(
  v.string(),
  v.check((time) => parseTime(time) !== undefined, reason('time')),
  v.transform((time) => parseTime(time) ?? 0),
)

/** An address, or an empty text for none. */
export const emailSchema = v.pipe(
  possiblyEmptyText(),
  v.check((email) => email.trim() === '' || parseEmail(email) !== undefined, reason('email')),
  v.transform((email) => parseEmail(email) ?? ''),
)
