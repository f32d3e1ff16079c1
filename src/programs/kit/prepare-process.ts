/** The permission bits of users other than the owner of a file. */
export const OTHERS = 0o077

/** Makes new files of this process and its children private to this user. */
export function writePrivately(): void {
  process.umask(OTHERS)
}
