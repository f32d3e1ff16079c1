/** Returns a path as logs show it: without the secret of a link, which is the last part of its path. */
export function loggedPath(path: string): string {
  return path.replace(/^(\/+account\/+link\/).*$/is, '$1…')
}
