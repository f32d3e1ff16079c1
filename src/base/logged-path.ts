/** Returns a path as logs write it: a link to this site is a secret. */
export function loggedPath(path: string): string {
  return path.replace(/^(\/+account\/+link\/).+/s, '$1…')
}
