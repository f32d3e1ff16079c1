import type { SettingGroup } from '../../settings/definitions.ts'

const groups: Record<SettingGroup, string> = {
  site: 'Site',
  style: 'Appearance',
  preview: 'Previews',
  global: 'Files',
  index: 'Search',
  sso: 'Single sign-on',
}

export const adminUsersEn = {
  title: 'Users',
  search: 'Search by name',
  searchSubmit: 'Search',
  add: 'New user',
  none: 'No users found',
  noneHint: (search: string) => `No user name contains “${search}”.`,
  showAll: 'Show all users',
  total: (total: number) => (total === 1 ? '1 user' : `${total} users`),
  previous: 'Previous',
  next: 'Next',
  twoFactor: 'Two-step',
  disabled: 'Disabled',

  account: 'Account',
  name: 'User name',
  role: 'Role',
  basePath: 'Base folder',
  basePathHint: 'The user sees only the files in this folder.',
  permissions: 'Permissions',
  password: 'Password',
  passwordHint:
    'At least 8 characters. If you leave it empty, a password is generated and shown once.',
  create: 'Create user',
  save: 'Save changes',

  access: 'Access',
  resetPassword: 'Reset password',
  resetPasswordLead: 'The old password stops working, and all sessions end.',
  unlock: 'Unlock',
  unlockLead: 'Clears the failed sign-ins, so that the user can try again immediately.',
  cancelTwoFactor: 'Cancel two-step verification',
  cancelTwoFactorLead:
    'For a user who has lost both the phone and the recovery codes. The user will sign in with the password only, and all sessions end.',
  endSessions: 'End all sessions',
  endSessionsLead: 'Signs the user out on all devices.',
  disable: 'Disable account',
  disableLead:
    'The user is signed out immediately and cannot sign in until you enable the account.',
  enable: 'Enable account',
  delete: 'Delete user',
  deleteLead:
    'Deletes the user with all keys and sessions. This cannot be undone. Files are not deleted.',

  sessions: 'Sessions',
  noSessions: 'The user is not signed in.',
  moreSessions: (more: number) =>
    more === 1 ? 'And 1 older session.' : `And ${more} older sessions.`,
  endSession: 'End',
  keys: 'SSH keys',
  noKeys: 'No keys.',
  events: 'Events of this account',

  generatedTitle: 'Password',
  generatedLead:
    'The password is not shown again. Give it to the user now, over a channel that you trust.',
  generatedLabel: (name: string) => `Password of ${name}`,
  generatedDone: 'I have passed it on',
  survivingKeys:
    'These SSH keys still work. On the page of the user, delete every key that the user does not recognise.',
}

export const adminSettingsEn = {
  title: 'Site settings',
  groups,
  changed: 'Changed',
  default: 'Reset to default',
  defaultIs: 'The default is:',
  defaultIsEmpty: 'The default is empty.',
  reset: 'Reset',
  save: 'Save',
  colourHint: (value: string) => `Current value: ${value}.`,
}

export const adminEventsEn = {
  title: 'Events',
  lead: 'The events of the site in the last 90 days.',
  user: 'User name',
  kind: 'Kind',
  anyKind: 'All kinds',
  filter: 'Filter',
  noUser: 'No user has this name.',
  none: 'No events found',
  noneHint: 'No event matches the filter in the last 90 days.',
  page: (page: number) => `Page ${page}`,
  deleted: (id: number) => `User ${id}, deleted`,
  unknown: 'Unknown name',
  unknownTimes: (times: number) => `Unknown names, ${times} times`,
  kinds: {
    sign_in: 'Sign-ins',
    sign_in_refused: 'Refused sign-ins',
    service_sign_in: 'Sign-ins to the file server',
    recovery_code_used: 'Recovery codes used',
    recovery_codes_made: 'Recovery codes generated',
    two_factor_on: 'Two-step verification on',
    two_factor_off: 'Two-step verification off',
    password_changed: 'Passwords changed',
    profile_changed: 'Profiles changed',
    session_ended: 'Sessions ended',
    key_added: 'SSH keys added',
    key_deleted: 'SSH keys deleted',
    key_used: 'SSH keys used',
    user_made: 'Users created',
    user_changed: 'Users changed',
    role_changed: 'Roles changed',
    password_reset: 'Passwords set by operators',
    two_factor_cancelled: 'Two-step verification cancelled',
    user_disabled: 'Users disabled',
    user_enabled: 'Users enabled',
    user_deleted: 'Users deleted',
    user_unlocked: 'Users unlocked',
    service_token_made: 'Service tokens created',
    service_token_ended: 'Service tokens ended',
    settings_changed: 'Settings changed',
    users_imported: 'Users imported',
    proof_refused: 'Wrong passwords and codes while signed in',
  },
}

export const adminNoticesEn = {
  'user-made': 'The user was created.',
  'user-changed': 'The changes were saved.',
  'user-password-set': 'The new password was set. All sessions of the user have ended.',
  'user-password-set-keys':
    'The new password was set. All sessions of the user have ended. The SSH keys below still work: delete every key that the user does not recognise.',
  'user-unlocked': 'The failed sign-ins were cleared.',
  'user-two-factor-off': 'Two-step verification is off. All sessions of the user have ended.',
  'user-sessions-ended': 'All sessions of the user have ended.',
  'user-disabled': 'The account was disabled.',
  'user-enabled': 'The account was enabled.',
  'user-deleted': 'The user was deleted.',
  'settings-saved': 'The settings were saved.',
  'setting-reset': 'The setting was reset to its default.',
}
