import type { AppContext } from '../../../web/http/context.ts'
import { hasClientHere } from '../../../web/http/session-cookie.ts'
import { parseClientPath, parseLocalPath } from '../../../web/kit/local-path.ts'

const HOME = '/account'

/** Paths that no sign-in leads to: the sign-in itself, and forms without a page. */
const NO_PAGE = /^\/account\/(?:sign-in|sign-out|language|announcement)(?:[/?]|$)/

/**
 * Reads `next`, the page after the sign-in, from the query or the form of a sign-in page; empty for
 * the overview and for anything that is not a page of this site.
 */
export function parseNext(c: AppContext, { next = '' }: { next?: string | undefined }): string {
  const path = checkNext(next)
  return isFilesPath(path) && !hasClientHere(c) ? '' : path
}

function checkNext(next: string): string {
  const path = parseLocalPath(next)
  if (path === '') return parseClientPath(next)
  return path === HOME || NO_PAGE.test(path) ? '' : path
}

/** Tells whether the page after the sign-in is one of the file server's web client. */
export function isFilesPath(next: string): boolean {
  return next !== '' && parseLocalPath(next) === ''
}

/** Returns the path of the page after the sign-in. */
export function pathAfter(next: string): string {
  return checkNext(next) || HOME
}

/**
 * Returns the path of a page of the sign-in that leads to `next`.
 *
 * @param page `/code` for the second step.
 */
export function signInPath(next: string, page = ''): string {
  const path = `/account/sign-in${page}`
  // A slash needs no encoding in a query.
  const query = encodeURIComponent(checkNext(next)).replaceAll('%2F', '/')
  return query === '' ? path : `${path}?next=${query}`
}
