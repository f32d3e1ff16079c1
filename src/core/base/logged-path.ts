/**
 * Returns a path as logs show it: without the secret of a link, which is the last part of its path,
 * and without anything as long as one (32 bytes as base64url), however the path is spelled.
 */
export function loggedPath(path: string): string {
  return path.replace(/^(\/+account\/+link\/).*$/is, '$1…').replaceAll(/[\w-]{43,}/g, '…')
}
