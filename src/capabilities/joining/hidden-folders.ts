import { isBelow } from '../../core/base/clean-folder.ts'

/** More folders are not named. */
const NAMED_FOLDERS = 3

/** Names the uppermost of the folders that a base folder hides. */
export function hiddenBy(base: string, folders: readonly { path: string | null }[]): string[] {
  const hidden = folders.flatMap(({ path }) =>
    path === null || path === base || isBelow(path, base) ? [] : [path],
  )
  const named = hidden.filter((path) => !hidden.some((other) => isBelow(path, other)))
  return named.length > NAMED_FOLDERS ? [...named.slice(0, NAMED_FOLDERS), '…'] : named
}
