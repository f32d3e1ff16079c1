import { PERMISSION } from '../accounts/roles.ts'

/** The scopes of app passwords (docs/interface.md, App passwords). */
export const APP_PASSWORD_SCOPES = [
  'files:read',
  'files:write',
  'account:read',
  'account:write',
  'admin',
] as const

export type AppPasswordScope = (typeof APP_PASSWORD_SCOPES)[number]

/** The scopes that contain another one. */
export const CONTAINED_IN: Partial<Record<AppPasswordScope, AppPasswordScope>> = {
  'files:read': 'files:write',
}

/** Returns a list of scopes as it is stored and shown: sorted and separated by spaces. */
export function scopesText(scopes: readonly AppPasswordScope[]): string {
  return APP_PASSWORD_SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/** Reads what `scopesText` wrote. A scope that this version does not know is left out. */
export function parseScopes(text: string): AppPasswordScope[] {
  const names = text.split(' ')
  return APP_PASSWORD_SCOPES.filter((scope) => names.includes(scope))
}

/** Tells whether scopes allow what needs `needed`. */
export function hasScope(scopes: readonly AppPasswordScope[], needed: AppPasswordScope): boolean {
  const wider = CONTAINED_IN[needed]
  return scopes.includes(needed) || (wider !== undefined && scopes.includes(wider))
}

/** The bits of `permission` that change no file. */
const READING =
  PERMISSION.seeHidden |
  PERMISSION.withoutPassword |
  PERMISSION.webdavRead |
  PERMISSION.sftpRead |
  PERMISSION.readArchives

/** Returns the bits of a user's permission that an app password of these scopes has. */
export function maskPermission(permission: number, scopes: readonly AppPasswordScope[]): number {
  if (hasScope(scopes, 'files:write')) return permission
  return hasScope(scopes, 'files:read') ? permission & READING : 0
}
