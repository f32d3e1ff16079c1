import * as v from 'valibot'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../base/text.ts'
import { MAX_PERMISSION } from './roles.ts'
import { reason } from '../base/reasons.ts'

const MAX_PATH_CHARACTERS = 1024
const MAX_SSO_ID_CHARACTERS = 255
const PERMISSION_RANGE = `must be 0 to ${MAX_PERMISSION}`

/** An empty path becomes `/`, the whole tree. */
export const basePathSchema = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_PATH_CHARACTERS),
  noControlCharacters(),
  v.transform((path) => path || '/'),
  // A file server may take a backslash for a slash.
  v.check(
    (path) => path.startsWith('/') && !path.split(/[/\\]/).includes('..'),
    reason('basePath'),
  ),
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
