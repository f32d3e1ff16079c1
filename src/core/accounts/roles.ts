/** The roles of a user (docs/interface.md, Values). */
export const GENERAL = 0
export const GUEST = 1
export const ADMIN = 2

/**
 * Bits of `permission`. This service uses the bits of WebDAV and SFTP, and keeps the others for the
 * file service.
 */
export const PERMISSION = {
  seeHidden: 1 << 0,
  withoutPassword: 1 << 1,
  offlineDownload: 1 << 2,
  make: 1 << 3,
  rename: 1 << 4,
  move: 1 << 5,
  copy: 1 << 6,
  remove: 1 << 7,
  webdavRead: 1 << 8,
  webdavWrite: 1 << 9,
  sftpRead: 1 << 10,
  sftpWrite: 1 << 11,
  readArchives: 1 << 12,
  decompress: 1 << 13,
  share: 1 << 14,
  customShareId: 1 << 15,
} as const

/** Only 16 bits are defined. */
export const MAX_PERMISSION = 0xffff

/** The bits that let a user reach files on other servers under the user name. */
export const NAMES_FILES =
  PERMISSION.webdavRead | PERMISSION.webdavWrite | PERMISSION.sftpRead | PERMISSION.sftpWrite

/** The bits that let a user change files: 3 to 7. */
export const CHANGES_FILES =
  PERMISSION.make | PERMISSION.rename | PERMISSION.move | PERMISSION.copy | PERMISSION.remove

/** Tells whether at least one of these bits is set. */
export function isPermitted(permission: number, bits: number): boolean {
  return (permission & bits) !== 0
}
