import { MAX_PERMISSION, PERMISSION } from './roles.ts'

const { webdavRead, webdavWrite, sftpRead, sftpWrite, readArchives, decompress } = PERMISSION
const { make, rename, move, copy, remove } = PERMISSION
const READ = webdavRead | sftpRead | readArchives
const WRITE = make | rename | move | copy | remove | webdavWrite | sftpWrite | decompress

/** The usual sets of permissions, from the least to the most: on pages and on the command line. */
export const LEVELS = {
  look: 0,
  read: READ,
  write: READ | WRITE,
  everything: MAX_PERMISSION,
} as const

export function isLevel(name: string): name is keyof typeof LEVELS {
  return Object.hasOwn(LEVELS, name)
}
