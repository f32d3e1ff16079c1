/**
 * Returns a path as OpenList keeps it (`utils.FixAndCleanPath`): from the root, a backslash is a
 * slash, empty and `.` segments are left out, and `..` takes the segment before it.
 */
export function cleanFolder(path: string): string {
  const segments: string[] = []
  for (const segment of path.split(/[/\\]/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** Holds for a folder that is below another one, and not the same. Both are clean. */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
