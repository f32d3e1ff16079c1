import type { EventKind } from '../../audit/events.ts'
import { own } from '../../base/own.ts'
import type { RefusalName } from '../../base/refusals.ts'
import {
  adminEventsEn,
  adminNoticesEn,
  adminReasonsEn,
  adminSettingsEn,
  adminUsersEn,
} from './admin-en.ts'
import { settingsEn } from './settings-en.ts'

const refusedSignIns: Record<string, string> = {
  credentials: 'Sign-in refused: wrong password',
  code: 'Sign-in refused: wrong code',
  disabled: 'Sign-in refused: account disabled',
  'two-factor': 'Sign-in refused: password alone, with two-step verification on',
  permission: 'Sign-in refused: not permitted',
}

const endedSessions: Record<string, string> = {
  logout: 'Signed out',
  'all others': 'Signed out everywhere else',
}

/** Describes each kind of event; the argument is the event's detail. */
const events: Record<EventKind, (detail: string) => string> = {
  settings_changed: (keys) => `Settings changed: ${keys}`,
  users_imported: (counts) => `Imported: ${counts}`,
  sign_in: () => 'Signed in',
  sign_in_refused: (detail) => own(refusedSignIns, detail) ?? 'Sign-in refused',
  service_sign_in: () => 'Signed in to the file server',
  recovery_code_used: () => 'A recovery code was used',
  recovery_codes_made: () => 'New recovery codes',
  two_factor_on: () => 'Two-step verification turned on',
  two_factor_off: () => 'Two-step verification turned off',
  password_changed: () => 'Password changed',
  profile_changed: () => 'Profile changed',
  session_ended: (detail) => own(endedSessions, detail) ?? 'Signed out elsewhere',
  key_added: (title) => `SSH key “${title}” added`,
  key_deleted: (title) => `SSH key “${title}” deleted`,
  key_used: (title) => `SSH key “${title}” used`,
  user_made: () => 'Account made',
  user_changed: () => 'Account changed',
  role_changed: () => 'Role changed',
  password_reset: () => 'New password set by an operator',
  two_factor_cancelled: () => 'Two-step verification cancelled by an operator',
  user_disabled: () => 'Account disabled',
  user_enabled: () => 'Account enabled',
  user_deleted: () => 'Account deleted',
  service_token_made: (name) => `Service token “${name}” made`,
  service_token_ended: (name) => `Service token “${name}” ended`,
  user_unlocked: () => 'Unlocked by an operator',
  proof_refused: (detail) =>
    detail === 'code'
      ? 'Wrong code entered while signed in'
      : 'Wrong password entered while signed in',
}

/** The text of each refusal; `<…>` is replaced by `fill`. */
const refusals: Record<RefusalName, string> = {
  invalidBody: '<reason>',
  passwordsDiffer: 'The two new passwords differ.',
  requestInvalid: 'This form could not be read.',
  keyInvalid: 'This key is not taken: <reason>.',
  tooManyKeys: 'There are <limit> keys already. Delete one first.',
  userIdFormatInvalid: 'There is no such user.',
  idFormatInvalid: 'There is no such entry.',
  wrongEnrolmentCode: 'This code is wrong, or was used before. Wait for the next one.',
  twoFactorOff: 'Two-step verification is off.',
  twoFactorAlreadyOn: 'Two-step verification is on already.',
  wrongCredentials: 'User name or password is wrong.',
  guestDisabled: 'Please sign in.',
  tokenExpired: 'Your session has ended. Please sign in again.',
  tokenInvalidated: 'Your session has ended. Please sign in again.',
  passwordChanged: 'Your password was changed. Please sign in again.',
  accountDisabled: 'Your account is disabled.',
  wrongServiceToken: 'This needs a service token.',
  wrongCode: 'This code is wrong, or was used before. Wait for the next one.',
  httpsRequired: 'This site is open over https only.',
  confirmationNeeded: 'Confirm that it is you to do this.',
  wrongOldPassword: 'This is not your current password.',
  wrongPassword: 'This is not your password.',
  wrongConfirmationCode: 'This code is wrong, or was used before. Wait for the next one.',
  nameKept: 'Your files are kept under your user name; an administrator can change it.',
  builtInNotCreated: 'There is one guest only.',
  roleFixed: 'This role cannot be changed.',
  adminNotDisabled: 'The last administrator cannot be disabled.',
  adminNotDemoted: 'The last administrator stays one.',
  builtInNotDeleted: 'The guest and the last administrator cannot be deleted.',
  guestHasNoPassword: 'The guest has no password.',
  guestTwoFactor: 'Please sign in.',
  guestProfile: 'Please sign in.',
  guestSessions: 'Please sign in.',
  guestEvents: 'Please sign in.',
  guestKeys: 'Please sign in.',
  notAdmin: 'This is for administrators.',
  foreignForm: 'This form came from another site, so nothing was done. Open the page anew.',
  unknownPath: 'There is no such page.',
  sessionNotFound: 'That session has ended already.',
  userNotFound: 'There is no such user.',
  keyNotFound: 'That key is gone already.',
  methodNotAllowed: 'This page does not work that way.',
  titleTaken: 'You have a key of this title already.',
  keyTaken: 'You have this key already, as “<title>”.',
  usernameTaken: 'This name is taken.',
  bodyTooLarge: 'That is too long.',
  tooManyAttempts: 'Too many failed attempts. Try again later.',
  internal: 'Something went wrong on our side. It has been noted.',
  unavailable: 'The service is not available for the moment. Please try again.',
}

/** Why a value was refused, by the wording of the API; a missing entry shows that wording. */
const reasons: Record<string, string> = {
  ...adminReasonsEn,
  'is required': 'This is required.',
  'must not be a private key':
    'This is a private key, which must never be pasted anywhere. Replace it by a new one.',
  'must have 8 to 1024 characters': 'It must have at least 8 characters.',
  'is one of the most common ones, choose another':
    'Everybody tries this one first. Choose another.',
}

/** Every text of the pages; a language that lacks one is a type error. */
export type Texts = typeof en

export const en = {
  languageName: 'English',
  skipToContent: 'Skip to content',
  announcement: 'Announcement',
  mainNavigation: 'Account',
  administration: 'Administration',
  signOut: 'Sign out',
  copy: 'Copy',
  copied: 'Copied',
  print: 'Print',

  signIn: {
    title: 'Sign in',
    username: 'User name',
    password: 'Password',
    submit: 'Sign in',
    codeTitle: 'Two-step verification',
    codeLead: (name: string) => `One more step for ${name}.`,
    code: 'Code',
    codeHint: 'Six digits from your authenticator app, or one of your recovery codes.',
    codeSubmit: 'Verify',
    startOver: 'Sign in as somebody else',
    continue: 'Continue to your account',
  },

  nav: {
    overview: 'Overview',
    security: 'Security',
    keys: 'SSH keys',
    sessions: 'Sessions',
    activity: 'Activity',
    users: 'Users',
    settings: 'Settings',
    events: 'Events',
  },

  overview: {
    title: 'Overview',
    greeting: (name: string) => `Hello, ${name}`,
    name: 'User name',
    role: 'Role',
    roles: ['User', 'Guest', 'Administrator'],
    basePath: 'Base folder',
    permissions: 'What you may do',
    noPermissions: 'Browse files; nothing more has been allowed.',
    twoFactorOff: 'Two-step verification is off',
    twoFactorOffHint: 'A stolen password is enough to sign in as you.',
    twoFactorTurnOn: 'Turn it on',
    twoFactorOn: 'Two-step verification is on',
    twoFactorManage: 'Manage',
  },

  permissions: [
    'See hidden files',
    'Open folders without their password',
    'Add offline downloads',
    'Create folders and upload',
    'Rename',
    'Move',
    'Copy',
    'Delete',
    'Read over WebDAV',
    'Write over WebDAV',
    'Sign in and read over FTP and SFTP',
    'Write over FTP and SFTP',
    'Look into archives',
    'Decompress archives',
    'Share',
    'Choose the address of a share',
  ],

  security: {
    title: 'Security',
    passwordTitle: 'Password',
    passwordLead: 'A new password signs you out everywhere, here too.',
    oldPassword: 'Current password',
    newPassword: 'New password',
    newPasswordHint: 'At least 8 characters. A few words that belong to nothing are good.',
    repeat: 'New password again',
    changePassword: 'Change password',
    twoFactorTitle: 'Two-step verification',
    twoFactorLead: 'Besides the password, a sign-in asks for a code that your phone shows.',
    on: 'On',
    off: 'Off',
    turnOn: 'Set up',
    turnOff: 'Turn off',
    turnOffLead: 'Sign-ins will ask for the password alone. Other sessions end.',
    code: 'Code',
    codeHint: 'Six digits from your app, or a recovery code.',
    newCodes: 'New recovery codes',
    newCodesLead: 'The old ones stop working.',
    newCodesSubmit: 'Show new codes',
  },

  confirm: {
    password: 'Your password',
    hint: 'You signed in some time ago, so this needs your password.',
    hintOrCode: 'You signed in some time ago, so this needs your password or a code.',
    code: 'Or a code',
  },

  enrolment: {
    title: 'Set up two-step verification',
    scan: 'Scan this image with an authenticator app',
    qr: 'QR code for your authenticator app',
    byHand: 'Or type this key into it',
    confirm: 'Then enter the six digits that it shows',
    hint: 'Sessions on other devices end when you confirm.',
    code: 'Code',
    submit: 'Turn on',
  },

  recovery: {
    title: 'Recovery codes',
    lead: 'Each signs you in once when your phone is not at hand. Keep them where you keep your passport; they are not shown again.',
    codes: 'Your recovery codes',
    done: 'I have kept them',
  },

  keys: {
    title: 'SSH keys',
    lead: 'With these you sign in to the files over SFTP.',
    none: 'No keys yet',
    noneHint: 'Paste the public half of a key below, and sign in over SFTP without a password.',
    added: 'Added',
    lastUsed: 'Last used',
    neverUsed: 'Never used',
    bits: (bits: number) => `${bits} bits`,
    delete: 'Delete',
    deleteQuestion: (title: string) =>
      `Delete “${title}”? Nobody can sign in with it from then on.`,
    deleteSubmit: 'Delete key',
    deleteAll: 'Delete all keys',
    deleteAllQuestion: 'Nobody can sign in with any of them from then on.',
    addTitle: 'Add a key',
    keyTitle: 'Title',
    keyTitleHint: 'So that you know it again: “laptop”, “work”.',
    key: 'Public key',
    keyHint: 'The whole content of a .pub file, such as ~/.ssh/id_ed25519.pub.',
    submit: 'Add key',
  },

  survivingKeys: {
    title: 'Your password is changed',
    lead: 'These SSH keys still open your files. Delete every key that you do not know.',
    hint: 'All sessions have ended. Sign in with the new password to delete keys.',
    signIn: 'Sign in and look at the keys',
  },

  sessions: {
    title: 'Sessions',
    lead: 'Where you are signed in.',
    current: 'This device',
    since: 'Signed in',
    expires: 'Ends',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    endOthersQuestion: 'Every session but this one ends.',
    onlyThis: 'You are signed in nowhere else.',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknownBrowser: 'Unknown program',
  },

  activity: {
    title: 'Activity',
    lead: 'What happened to your account in the last 90 days.',
    none: 'Nothing yet',
    newer: 'Newer',
    older: 'Older',
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    by: (name: string) => `by ${name}`,
    byDeleted: (id: number) => `by user ${id}, deleted`,
    byCommandLine: 'on the command line',
    withChanges: (event: string, changes: string[]) => `${event}: ${changes.join('; ')}`,
    changed: (field: string, from: string, to: string) => `${field} ${from} → ${to}`,
    stated: (field: string, value: string) => `${field} ${value}`,
    empty: '(empty)',
    fields: {
      username: 'user name',
      role: 'role',
      permission: 'permissions',
      base_path: 'base folder',
      disabled: 'disabled',
      sso_id: 'single sign-on id',
      otp: 'two-step verification',
    },
  },

  adminUsers: adminUsersEn,
  adminSettings: adminSettingsEn,
  adminEvents: adminEventsEn,
  settings: settingsEn,

  events,

  notices: {
    'signed-out': 'You are signed out.',
    'session-over': 'Your session has ended. Please sign in again.',
    'password-changed': 'Your password is changed. Sign in with the new one.',
    'two-factor-off': 'Two-step verification is off.',
    'key-added': 'The key is added.',
    'key-deleted': 'The key is deleted.',
    'keys-deleted': 'All keys are deleted.',
    'session-ended': 'That session has ended.',
    'sessions-ended': 'All other sessions have ended.',
    ...adminNoticesEn,
  },

  problems: {
    title: 'That did not work',
    notFound: 'There is no such page.',
    back: 'Back to your account',
    tryAgainMinutes: (minutes: number) =>
      `Too many failed attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    tryAgainSeconds: (seconds: number) =>
      `Too many failed attempts. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  },

  refusals,

  reasons,
}
