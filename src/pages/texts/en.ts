import type { EventKind } from '../../audit/events.ts'
import { own } from '../../base/own.ts'
import type { ReasonCode } from '../../base/reasons.ts'
import type { RefusalName } from '../../base/refusals.ts'
import { adminEventsEn, adminNoticesEn, adminSettingsEn, adminUsersEn } from './admin-en.ts'
import { settingsEn } from './settings-en.ts'

const refusedSignIns: Record<string, string> = {
  credentials: 'Sign-in refused: wrong password',
  code: 'Sign-in refused: wrong code',
  disabled: 'Sign-in refused: account disabled',
  'two-factor': 'Sign-in refused: no code, although two-step verification is on',
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
  recovery_codes_made: () => 'New recovery codes generated',
  two_factor_on: () => 'Two-step verification turned on',
  two_factor_off: () => 'Two-step verification turned off',
  password_changed: () => 'Password changed',
  profile_changed: () => 'Profile changed',
  session_ended: (detail) => own(endedSessions, detail) ?? 'Session ended',
  key_added: (title) => `SSH key “${title}” added`,
  key_deleted: (title) => `SSH key “${title}” deleted`,
  key_used: (title) => `SSH key “${title}” used`,
  user_made: () => 'Account created',
  user_changed: () => 'Account changed',
  role_changed: () => 'Role changed',
  password_reset: () => 'New password set by an operator',
  two_factor_cancelled: () => 'Two-step verification cancelled by an operator',
  user_disabled: () => 'Account disabled',
  user_enabled: () => 'Account enabled',
  user_deleted: () => 'Account deleted',
  service_token_made: (name) => `Service token “${name}” created`,
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
  passwordsDiffer: 'The two new passwords are not the same.',
  requestInvalid: 'This form could not be read.',
  keyInvalid: 'This key was refused: <reason>.',
  tooManyKeys: 'You can have at most <limit> keys. Delete one first.',
  userIdFormatInvalid: 'There is no such user.',
  idFormatInvalid: 'There is no such entry.',
  wrongEnrolmentCode: 'This code is wrong or was already used. Wait for the next code.',
  twoFactorOff: 'Two-step verification is off.',
  twoFactorAlreadyOn: 'Two-step verification is already on.',
  wrongCredentials: 'User name or password is wrong.',
  guestDisabled: 'Please sign in.',
  tokenExpired: 'Your session has ended. Please sign in again.',
  tokenInvalidated: 'Your session has ended. Please sign in again.',
  passwordChanged: 'Your password was changed. Please sign in again.',
  accountDisabled: 'Your account is disabled.',
  wrongServiceToken: 'This needs a service token.',
  wrongCode: 'This code is wrong or was already used. Wait for the next code.',
  httpsRequired: 'This site works over https only.',
  confirmationNeeded: 'Confirm your identity to continue.',
  wrongOldPassword: 'This is not your current password.',
  wrongPassword: 'This is not your password.',
  wrongConfirmationCode: 'This code is wrong or was already used. Wait for the next code.',
  nameKept: 'Your files are stored under your user name, so only an administrator can change it.',
  builtInNotCreated: 'There can be only one guest account.',
  roleFixed: 'This role cannot be changed.',
  adminNotDisabled: 'The last administrator cannot be disabled.',
  adminNotDemoted: 'The role of the last administrator cannot be changed.',
  builtInNotDeleted: 'The guest and the last administrator cannot be deleted.',
  guestHasNoPassword: 'The guest has no password.',
  guestTwoFactor: 'Please sign in.',
  guestProfile: 'Please sign in.',
  guestSessions: 'Please sign in.',
  guestEvents: 'Please sign in.',
  guestKeys: 'Please sign in.',
  notAdmin: 'Only administrators can do this.',
  foreignForm: 'This form was sent from another site, so nothing was changed. Open the page again.',
  unknownPath: 'There is no such page.',
  sessionNotFound: 'This session has already ended.',
  userNotFound: 'There is no such user.',
  keyNotFound: 'This key was already deleted.',
  methodNotAllowed: 'This page does not accept this kind of request.',
  titleTaken: 'You already have a key with this title.',
  keyTaken: 'You already have this key, as “<title>”.',
  usernameTaken: 'This user name is already taken.',
  bodyTooLarge: 'The text is too long.',
  tooManyAttempts: 'Too many failed attempts. Try again later.',
  internal: 'Something went wrong on our side. The error was logged.',
  unavailable: 'The service is temporarily unavailable. Please try again.',
}

/** Why a value was refused; `<…>` is a number. Reasons of `keyInvalid` are the end of its sentence. */
const reasons: Record<ReasonCode, string> = {
  required: 'This is required.',
  maxCharacters: 'It must have at most <max> characters.',
  maxBytes: 'It must have at most <max> bytes.',
  integer: 'It must be a whole number.',
  noControlCharacters: 'It must not contain control characters.',
  noInvisibleCharacters: 'It must not contain invisible characters.',

  usernameNotTrimmed: 'It must not begin or end with a space.',
  usernameLines: 'It must be a single line.',
  usernamePath: 'It must not be “.” or “..”, nor contain “/” or “\\”.',
  usernameId: 'It must not be “#” followed by digits, which means a user id.',
  basePath: 'It must be an absolute path such as /homes, without “..”.',
  role: 'It must be a user or an administrator.',
  passwordLength: 'It must have <min> to <max> characters.',
  commonPassword: 'This is one of the most common passwords. Choose another.',
  eventKind: 'This kind of event does not exist.',

  boolean: 'It must be on or off.',
  pageSize: 'It must be a whole number from 1 to 9999.',
  colour: 'It must be a colour such as #1890ff.',
  address: 'It must be an address, https://… or /….',
  logos: 'It must be an address, https://… or /…, and at most one more on a second line.',
  contact:
    'It must be mailto: and an e-mail address, https:// and an address, or tel: and a number.',
  regularExpressions: 'They must be regular expressions such as /\\.bak$/i, one per line.',
  previews: 'It must be a JSON object of JSON objects whose values are addresses, https://… or /….',
  replacements: 'It must be a JSON object whose values are texts.',

  titleIsPrivateKey:
    'This is a private key, which must never be pasted anywhere. Create a new key to replace it.',
  keyIsPrivate:
    'this is a private key, which must never be pasted anywhere. Create a new key and paste its .pub file',
  keyTooLong: 'it is longer than 16 KiB',
  severalKeys: 'it must be one key, but there are several',
  keyLines: 'it must be one key on one line',
  keyOptions: 'it has options in front. Paste the key only, which begins with its type',
  keyWithoutType: 'it must begin with its type, such as ssh-ed25519',
  keyBase64: 'its base64 is broken',
  keyComment: 'its comment contains control characters',
  keyCertificate: 'this is a certificate. Paste the plain public key',
  keyDsa:
    'DSA keys are not secure, and no server accepts them. Create a key with: ssh-keygen -t ed25519',
  keyType: 'keys of this type are not accepted. Create a key with: ssh-keygen -t ed25519',
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
    startOver: 'Sign in as another user',
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
    permissions: 'Your permissions',
    noPermissions: 'You can only browse files.',
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
    passwordLead: 'A new password signs you out on all devices, including this one.',
    oldPassword: 'Current password',
    newPassword: 'New password',
    newPasswordHint:
      'At least 8 characters. Tip: three or four unrelated words make a strong password.',
    repeat: 'Repeat the new password',
    changePassword: 'Change password',
    twoFactorTitle: 'Two-step verification',
    twoFactorLead:
      'With two-step verification, a sign-in needs your password and a code from your phone.',
    on: 'On',
    off: 'Off',
    turnOn: 'Set up',
    turnOff: 'Turn off',
    turnOffLead: 'You will sign in with your password only. Your other sessions end.',
    code: 'Code',
    codeHint: 'Six digits from your app, or a recovery code.',
    newCodes: 'New recovery codes',
    newCodesLead: 'The old codes stop working.',
    newCodesSubmit: 'Show new codes',
  },

  confirm: {
    password: 'Your password',
    hint: 'You signed in some time ago. Enter your password to confirm.',
    hintOrCode: 'You signed in some time ago. Enter your password or a code to confirm.',
    code: 'Or a code',
  },

  enrolment: {
    title: 'Set up two-step verification',
    scan: 'Scan this image with an authenticator app',
    qr: 'QR code for your authenticator app',
    byHand: 'Or enter this key in the app',
    confirm: 'Then enter the six digits that the app shows',
    hint: 'When you confirm, your other sessions end.',
    code: 'Code',
    submit: 'Turn on',
  },

  recovery: {
    title: 'Recovery codes',
    lead: 'If you lose your phone, each code signs you in once. Keep the codes in a safe place. They are not shown again.',
    codes: 'Your recovery codes',
    done: 'I have saved the codes',
  },

  keys: {
    title: 'SSH keys',
    lead: 'These keys sign you in to your files over SFTP.',
    none: 'No keys yet',
    noneHint: 'Paste a public key below to sign in over SFTP without a password.',
    added: 'Added',
    lastUsed: 'Last used',
    neverUsed: 'Never used',
    bits: (bits: number) => `${bits} bits`,
    delete: 'Delete',
    deleteQuestion: (title: string) => `Delete “${title}”? It can no longer be used to sign in.`,
    deleteSubmit: 'Delete key',
    deleteAll: 'Delete all keys',
    deleteAllQuestion: 'None of your keys can be used to sign in any more.',
    addTitle: 'Add a key',
    keyTitle: 'Title',
    keyTitleHint: 'A name that identifies the key, such as “laptop” or “work”.',
    key: 'Public key',
    keyHint: 'The whole content of a .pub file, such as ~/.ssh/id_ed25519.pub.',
    submit: 'Add key',
  },

  survivingKeys: {
    title: 'Your password was changed',
    lead: 'These SSH keys still give access to your files. Delete every key that you do not recognise.',
    hint: 'All sessions have ended. Sign in with the new password to delete keys.',
    signIn: 'Sign in to check the keys',
  },

  sessions: {
    title: 'Sessions',
    lead: 'The devices where you are signed in.',
    current: 'This device',
    since: 'Signed in',
    expires: 'Ends',
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    endOthersQuestion: 'All sessions except this one end.',
    onlyThis: 'You are not signed in anywhere else.',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknownBrowser: 'Unknown program',
  },

  activity: {
    title: 'Activity',
    lead: 'The activity of your account in the last 90 days.',
    none: 'No activity yet',
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
    'password-changed': 'Your password was changed. Sign in with the new password.',
    'two-factor-off': 'Two-step verification is off.',
    'key-added': 'The key was added.',
    'key-deleted': 'The key was deleted.',
    'keys-deleted': 'All keys were deleted.',
    'session-ended': 'The session has ended.',
    'sessions-ended': 'All other sessions have ended.',
    ...adminNoticesEn,
  },

  problems: {
    title: 'That did not work',
    back: 'Back to your account',
    tryAgainMinutes: (minutes: number) =>
      `Too many failed attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    tryAgainSeconds: (seconds: number) =>
      `Too many failed attempts. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  },

  refusals,

  reasons,
}
