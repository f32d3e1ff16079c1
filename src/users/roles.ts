/** What a user is; 0 is a general one (contract section 2). */
export const GUEST = 1
export const ADMIN = 2

/** Bits of `permission` that concern this service; the others are kept for the file service. */
export const PERMISSION = {
  webdavRead: 1 << 8,
  webdavWrite: 1 << 9,
  sftpRead: 1 << 10,
  sftpWrite: 1 << 11,
} as const

export function isPermitted(permission: number, bit: number): boolean {
  return (permission & bit) !== 0
}
