import { isPermitted, PERMISSION } from './roles.ts'

/** The access of a user over SFTP, FTP or WebDAV. */
export type Access = 'none' | 'read' | 'write'

/** Returns the access over SFTP and FTP. */
export function sftpAccess(permission: number): Access {
  return accessOf(permission, PERMISSION.sftpRead, PERMISSION.sftpWrite)
}

export function webdavAccess(permission: number): Access {
  return accessOf(permission, PERMISSION.webdavRead, PERMISSION.webdavWrite)
}

function accessOf(permission: number, read: number, write: number): Access {
  if (!isPermitted(permission, read)) return 'none'
  return isPermitted(permission, write) ? 'write' : 'read'
}
