import type { SettingGroup } from '../../settings/definitions.ts'

const groups: Record<SettingGroup, string> = {
  site: 'Site',
  style: 'Appearance',
  preview: 'Previews',
  global: 'Files',
  index: 'Search',
  sso: 'Single sign-on',
}

const SURVIVING =
  'All sessions of the user have ended, but everything else below still works. On the page of the user, delete what the user does not recognise.'

/** The overview of operators. */
export const adminStateEn = {
  title: 'State of the site',
  healthy: 'Everything works',
  unhealthy: 'Something does not work',
  parts: { d1: 'Database', kv: 'Cache', hasher: 'Password check', migrations: 'Tables' },
  works: (milliseconds: number) => `${milliseconds} ms`,
  fails: 'Does not work: see the log',
  locked: (count: number) =>
    count === 1
      ? 'A user was locked out within the last day'
      : `${count} users were locked out within the last day`,
  failing: (count: number) =>
    count === 1 ? 'An alert channel fails' : `${count} alert channels fail`,
  noChannel: 'Nobody is told when something happens',
  noChannelHint: 'Add an alert channel, such as a phone.',
  users: 'Users',
  disabled: 'Disabled',
  withoutFactor: 'Without second factor',
  refused: 'Sign-ins refused today',
  latest: 'Latest changes and sign-ins',
  allEvents: 'All site events',
}

export const adminUsersEn = {
  title: 'Users',
  search: 'Search by name',
  searchSubmit: 'Search',
  add: 'New user',
  none: 'No users found',
  noneHint: (search: string) => `No user name contains “${search}”.`,
  noneInGroup: (group: string) => `The list “${group}” has no such user.`,
  showAll: 'Show all users',
  total: (total: number) => (total === 1 ? '1 user' : `${total} users`),
  totalOver: (most: string) => `More than ${most} users. Search for a name to find the others.`,
  pages: 'Pages',
  previous: 'Previous page',
  next: 'Next page',
  goTo: (page: number) => `Page ${page}`,
  groupsLabel: 'Show',
  groups: {
    all: 'All',
    admins: 'Administrators',
    disabled: 'Disabled',
    'without-two-factor': 'Without second factor',
  },
  lastSignIn: 'Last sign-in',
  noSignIn: 'None in the log',
  keysOf: 'SSH keys',
  twoFactor: 'Two-step',
  secondFactor: 'Second factor',
  hasPasskey: 'Passkey',
  hasCode: 'Code',
  hasNoFactor: 'None',
  withoutFactor: 'No second factor',
  disabled: 'Disabled',

  backToList: 'Users',
  lockedOut: (times: number) => `${times} sign-ins were refused within an hour`,
  lastAdmin: 'This is the last administrator, who can be neither disabled nor deleted.',
  latestEvents: 'Latest events',
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
  unlockLead:
    'The user may be locked out. Unlocking clears the failed sign-ins, so that the user can try again immediately.',
  cancelTwoFactor: 'Cancel two-step verification',
  cancelTwoFactorLead:
    'For a user who has lost the phone and the recovery codes. Codes stop working, and all sessions end. A passkey that stays can still sign in.',
  withPasskeys: (count: number) =>
    count === 1 ? 'Delete the passkey as well' : `Delete the ${count} passkeys as well`,
  endSessions: 'End all sessions and app passwords',
  endSessionsLead:
    'Signs the user out on all devices, and deletes all app passwords: programs such as rclone need new ones.',
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
  events: 'All events of this account',

  generatedTitle: 'Password',
  generatedLead:
    'The password is not shown again. Give it to the user now, over a channel that you trust.',
  generatedLabel: (name: string) => `Password of ${name}`,
  generatedDone: 'I have passed it on',
  surviving: SURVIVING,
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
  title: 'Site events',
  lead: 'The events of the site, as long as they are kept.',
  user: 'User name',
  noUser: 'No user has or had this name. A deleted user is also found by id: #7.',
  page: (page: number) => `Page ${page}`,
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
    passkey_added: 'Passkeys added',
    passkey_deleted: 'Passkeys deleted',
    passkey_renamed: 'Passkeys renamed',
    passkey_cloned: 'Passkeys refused as copies',
    token_created: 'App passwords created',
    token_deleted: 'App passwords deleted',
    token_used_elsewhere: 'App passwords used from new networks',
    client_added: 'Programs registered',
    client_deleted: 'Programs deleted',
    client_secret_made: 'Secrets of programs replaced',
    signing_key_made: 'Signing keys made',
    access_given: 'Access given to programs',
    offline_access_given: 'Lasting access given to programs',
    access_removed: 'Access taken from programs',
    access_replayed: 'Codes or tokens of programs used twice',
    name_released: 'Reserved names released',
    names_reserved: 'Names reserved',
    identity_linked: 'Accounts linked',
    identity_unlinked: 'Accounts unlinked',
    account_locked: 'Accounts locked out',
    network_locked: 'Networks locked out',
    many_refusals: 'Many refused sign-ins',
    notices_changed: 'Notices changed',
  },
}

export const adminNoticesEn = {
  'channel-added': 'The channel was added. Send a test to see whether notices arrive.',
  'channel-saved': 'The channel was saved. Send a test to see whether notices arrive.',
  'channel-deleted': 'The channel was deleted.',
  'channel-tested': 'The test was delivered.',
  'user-made': 'The user was created.',
  'user-changed': 'The changes were saved.',
  'user-password-set': 'The new password was set. All sessions of the user have ended.',
  'user-password-set-surviving': `The new password was set. ${SURVIVING}`,
  'user-unlocked': 'The failed sign-ins were cleared.',
  'user-two-factor-off': 'Two-step verification is off. All sessions of the user have ended.',
  'user-sessions-ended': 'All sessions have ended, and all app passwords of the user are deleted.',
  'user-disabled': 'The account was disabled.',
  'user-enabled': 'The account was enabled.',
  'user-deleted': 'The user was deleted.',
  'settings-saved': 'The settings were saved.',
  'client-secret-deleted':
    'The settings were saved. The client secret was that of the old provider, so it was deleted. Enter the one of the new provider.',
  'setting-reset': 'The setting was reset to its default.',
}
