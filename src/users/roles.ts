/** What a user is (contract section 2). */
export const GENERAL = 0
export const GUEST = 1
export const ADMIN = 2

/** Bits of `permission` that concern this service; the others are kept for the file service. */
export const PERMISSION = {
  webdavRead: 1 << 8,
  webdavWrite: 1 << 9,
  sftpRead: 1 << 10,
  sftpWrite: 1 << 11,
} as const

/** The bits with which a user reaches files elsewhere, under the user's name. */
export const NAMES_FILES =
  PERMISSION.webdavRead | PERMISSION.webdavWrite | PERMISSION.sftpRead | PERMISSION.sftpWrite

/** @returns Whether any of these bits is set. */
export function isPermitted(permission: number, bits: number): boolean {
  return (permission & bits) !== 0
}
