import type { AppContext } from '../../../web/http/context.ts'
import { filesOriginFrom } from '../../../core/base/file-server.ts'
import { findGuest } from '../../../core/accounts/store.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { isFilesPath } from './next.ts'

/**
 * Finds the page of the files that a visitor may read without a sign-in.
 *
 * @returns Its address; `undefined` where the sign-in is not for files, or the guest is disabled.
 */
export async function findGuestPage(c: AppContext, next: string): Promise<string | undefined> {
  const page = isFilesPath(next) ? next : pageAtFilesHost(c, next)
  if (page === undefined) return undefined
  const guest = await findGuest(c.get('deps').db)
  return guest !== undefined && !guest.disabled ? page : undefined
}

/** Reads the page of the files' own host for which a visitor signs in. */
function pageAtFilesHost(c: AppContext, next: string): string | undefined {
  if (!next.startsWith('/account/files?')) return undefined
  const here = new URL(c.req.url)
  const files = c.get('deps').fileServer()
  const origin = files && filesOriginFrom(files, here)
  if (origin === undefined) return undefined
  return origin + (parseClientPath(new URL(next, here).searchParams.get('next') ?? '') || '/')
}
