import type { ListedMethod } from '../../access/sign-in-methods.ts'
import type { SsoProblem } from '../../sso/check.ts'
import type { LinkedBy } from '../../sso/store.ts'
import type { EventKind } from '../../audit/events.ts'
import { own } from '../../base/own.ts'
import type { KeyPart, ReasonCode } from '../../base/reasons.ts'
import type { RefusalName } from '../../base/refusals.ts'
import { adminEventsEn, adminNoticesEn, adminSettingsEn, adminUsersEn } from './admin-en.ts'
import { adminProgramsEn, authorizeEn, programsEn } from './openid-en.ts'
import { channelsEn } from './channels-en.ts'
import { settingsEn } from './settings-en.ts'

const BETTER_KEY = 'Create a better one with: ssh-keygen -t ed25519'

/** How a session was made. */
const sessionMethods: Record<ListedMethod, string> = {
  pwd: 'password',
  otp: 'code',
  recovery: 'recovery code',
  passkey: 'passkey',
  sso: 'linked account',
  mfa: 'its second factor',
}

const refusedSignIns: Record<string, string> = {
  credentials: 'wrong password',
  code: 'wrong code',
  disabled: 'account disabled',
  passkey: 'passkey not accepted',
  'two-factor': 'two-step verification is on, so the file server needs an app password',
  'app password': 'wrong app password',
  permission: 'not permitted',
}

function refusedSignIn({ detail, hasUser, times }: EventFacts): string {
  if (!hasUser && times === 1) return 'A sign-in with an unknown name was refused'
  if (!hasUser) return `${times} sign-ins with unknown names were refused`
  const reason = own(refusedSignIns, detail)
  const what = 'A sign-in to {whose} account was refused'
  return reason === undefined ? what : `${what}: ${reason}`
}

function endedSession({ detail, isOwn }: EventFacts): string {
  // Older events have the actor in their detail (`all, by 7`).
  if (detail === 'everyone') return '{who} ended the sessions of all users'
  if (detail.startsWith('all') && !isOwn) return '{who} ended all of {whose} sessions'
  if (detail === 'all others') return '{who} signed out on all other devices'
  if (detail === 'everything')
    return '{who} ended all of {whose} sessions and deleted the app passwords'
  return detail === 'logout' ? '{who} signed out' : '{who} ended one of {whose} sessions'
}

/** With single sign-on, the detail begins with the provider: `Github: sso otp`. */
function signIn({ detail }: EventFacts): string {
  const [, platform = ''] = /^(\w+): sso\b/.exec(detail) ?? []
  if (platform === '') return own(signIns, detail) ?? '{who} signed in'
  const name = own(platforms, platform) ?? platform
  return `{who} signed in with ${name}${detail.includes('otp') ? ' and a code' : ''}`
}

/** The identity providers whose names are written in another way than in the setting. */
const platforms: Record<string, string> = { Github: 'GitHub', Dingtalk: 'DingTalk', OIDC: 'OpenID' }

const signIns: Record<string, string> = {
  'pwd otp': '{who} signed in with password and code',
  'pwd recovery': '{who} signed in with password and recovery code',
  passkey: '{who} signed in with a passkey',
}

const refusedProofs: Record<string, string> = {
  code: '{who} entered a wrong code while signed in',
  passkey: '{who} showed a passkey that was refused while signed in',
}

/**
 * The sentence of each kind of event. `{who}` is the actor, `{whose}` and `{whom}` the user of the
 * account, and `{what}` the event's detail.
 */
const events: Record<EventKind, (event: EventFacts) => string> = {
  settings_changed: () => '{who} changed the site settings: {what}',
  users_imported: () => '{who} imported {what}',
  sign_in: signIn,
  sign_in_refused: refusedSignIn,
  service_sign_in: () => '{who} signed in to the file server',
  recovery_code_used: () => '{who} used a recovery code',
  recovery_codes_made: () => '{who} generated new recovery codes',
  two_factor_on: () => '{who} turned on two-step verification',
  two_factor_off: ({ isOwn }) =>
    isOwn
      ? '{who} turned off two-step verification'
      : '{who} turned off {whose} two-step verification',
  password_changed: () => '{who} changed {whose} password',
  profile_changed: () => '{who} changed {whose} profile',
  session_ended: endedSession,
  key_added: ({ isOwn }) =>
    isOwn ? '{who} added the SSH key “{what}”' : '{who} added {whose} SSH key “{what}”',
  key_deleted: ({ isOwn }) =>
    isOwn ? '{who} deleted the SSH key “{what}”' : '{who} deleted {whose} SSH key “{what}”',
  key_used: () => '{who} used the SSH key “{what}”',
  user_made: () => '{who} created {whose} account',
  user_changed: () => '{who} changed {whose} account',
  role_changed: () => '{who} changed {whose} role',
  password_reset: () => '{who} set a new password for {whom}',
  two_factor_cancelled: () => '{who} cancelled {whose} two-step verification',
  user_disabled: () => '{who} disabled {whose} account',
  user_enabled: () => '{who} enabled {whose} account',
  user_deleted: () => '{who} deleted {whose} account',
  service_token_made: () => '{who} created the service token “{what}”',
  service_token_ended: () => '{who} ended the service token “{what}”',
  user_unlocked: () => '{who} unlocked {whose} account',
  proof_refused: ({ detail }) =>
    own(refusedProofs, detail) ?? '{who} entered a wrong password while signed in',
  passkey_added: () => '{who} added the passkey “{what}”',
  passkey_deleted: ({ isOwn }) =>
    isOwn ? '{who} deleted the passkey “{what}”' : '{who} deleted {whose} passkey “{what}”',
  passkey_renamed: () => '{who} renamed a passkey to “{what}”',
  passkey_cloned: () =>
    '{whose} passkey “{what}” was refused because a copy of it seems to exist. Delete it if you do not know why',
  token_created: ({ isOwn }) =>
    isOwn
      ? '{who} created the app password “{what}”'
      : '{who} created {whose} app password “{what}”',
  token_deleted: ({ isOwn }) =>
    isOwn
      ? '{who} deleted the app password “{what}”'
      : '{who} deleted {whose} app password “{what}”',
  token_used_elsewhere: () => '{whose} app password “{what}” was used from a new network',
  client_added: () => '{who} registered the program “{what}”',
  client_deleted: () => '{who} deleted the program “{what}”',
  client_secret_made: () => '{who} made a new secret for the program “{what}”',
  signing_key_made: () => '{who} made the signing key “{what}”',
  access_given: () => '{who} gave the program “{what}” access',
  offline_access_given: () => 'The program “{what}” got access that outlives the sign-out',
  access_removed: () => '{who} took the access from the program “{what}”',
  access_replayed: () =>
    '{whose} sign-in to the program “{what}” was ended, because one of its codes or tokens was used twice',
  name_released: () => '{who} released the reserved name “{what}”',
  names_reserved: () => '{who} reserved {what} names of an old database',
  identity_linked: ({ isOwn }) =>
    isOwn
      ? '{who} linked the account “{what}” for signing in'
      : '{who} linked the account “{what}” with {whose} account',
  identity_unlinked: ({ isOwn }) =>
    isOwn
      ? '{who} unlinked the account “{what}”'
      : '{who} unlinked the account “{what}” from {whose} account',
  account_locked: () => 'Too many sign-ins to {whose} account were refused',
  network_locked: () => 'A network is locked out after too many refused sign-ins',
  many_refusals: () => '{what} sign-ins were refused within an hour',
  notices_changed: () => '{who} changed where notices are sent',
}

/** The text of each refusal; `<…>` is replaced by `fill`. */
const refusals: Record<RefusalName, string> = {
  invalidBody: '<reason>',
  passwordsDiffer: 'The two new passwords are not the same.',
  requestInvalid: 'This form could not be read.',
  keyInvalid: 'This key was refused: <reason>.',
  tooManyKeys: 'You can have at most <limit> keys. Delete one first.',
  tooManyChannels: 'You can have at most <limit> channels. Delete one first.',
  tooManyTokens: 'You can have at most <limit> app passwords. Delete one first.',
  userIdFormatInvalid: 'There is no such user.',
  idFormatInvalid: 'There is no such entry.',
  wrongEnrolmentCode: 'This code is wrong or was already used. Wait for the next code.',
  twoFactorOff: 'Two-step verification is off.',
  twoFactorAlreadyOn: 'Two-step verification is already on.',
  passkeyRefused:
    'This passkey was not accepted. It may have been deleted here, or belong to another site. Try another one.',
  passkeyNotFound: 'This passkey was already deleted.',
  tooManyPasskeys: 'You can have at most <limit> passkeys. Delete one first.',
  noPasskeysHere: 'Passkeys work only over https and under a host name.',
  wrongCredentials: 'User name or password is wrong.',
  guestDisabled: 'Please sign in.',
  tokenExpired: 'Your session has ended. Please sign in again.',
  tokenInvalidated: 'Your session has ended. Please sign in again.',
  passwordChanged: 'Your password was changed. Please sign in again.',
  accountDisabled: 'Your account is disabled.',
  wrongServiceToken: 'This needs a service token.',
  wrongCode: 'This code is wrong or was already used. Wait for the next code.',
  httpsRequired: 'This site works over https only.',
  ssoNoMethod: 'The address of this page is incomplete.',
  ssoPlatformInvalid: 'Single sign-on is not set up completely on this site.',
  ssoMisconfigured:
    'The provider refuses this site: single sign-on is set up wrongly. Tell the operator.',
  ssoRefused: 'The sign-in could not be verified. Start it again.',
  ssoOff: 'Single sign-on is turned off on this site.',
  ssoDenied: 'The provider did not confirm the sign-in. Start it again, or sign in another way.',
  ssoNotProven: 'Sign in to the provider first, then link the account at once.',
  ssoUnavailable: 'The provider does not answer. Try again later, or sign in another way.',
  lastWayIn: 'You could not sign in any more. Set a password or add a passkey first.',
  lastWayInOf: 'It has become the only way in of this user. Read the warning, then try again.',
  identityNotFound: 'This account is no longer linked.',
  identityTaken: 'This account is linked with another user.',
  confirmationNeeded: 'Confirm your identity to continue.',
  wrongOldPassword: 'This is not your current password.',
  wrongPassword: 'This is not your password.',
  wrongConfirmationCode: 'This code is wrong or was already used. Wait for the next code.',
  wrongConfirmationPasskey: 'This passkey was not accepted. Try again.',
  passkeysOff: 'Passkeys are turned off on this site.',
  secondFactorMissing:
    'This site requires a second factor. Turn on two-step verification or add a passkey first.',
  secondFactorUnused:
    'This site requires a second factor. Confirm with your passkey, or sign out and sign in with it.',
  nameFixed: 'Programs know you by your user name, so only an administrator can change it.',
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
  guestPasskeys: 'Please sign in.',
  guestNotices: 'Please sign in.',
  guestTokens: 'Please sign in.',
  filesNotPermitted: 'Your account may not do this with files.',
  sessionNeeded: 'An app password cannot do this. Please sign in.',
  scopeNeeded: 'This app password may not do this. It needs the scope <scope>.',
  notAdmin: 'Only administrators can do this.',
  foreignForm: 'This form was sent from another site, so nothing was changed. Open the page again.',
  unknownPath: 'There is no such page.',
  sessionNotFound: 'This session has already ended.',
  userNotFound: 'There is no such user.',
  keyNotFound: 'This key was already deleted.',
  clientNotFound: 'There is no such program.',
  channelNotFound: 'This channel was already deleted.',
  tokenNotFound: 'This app password was already deleted.',
  methodNotAllowed: 'This page does not accept this kind of request.',
  titleTaken: 'You already have a key with this title.',
  keyTaken: 'You already have this key, as “<title>”.',
  usernameTaken: 'This user name is already taken.',
  nameReserved: 'This name belonged to another account. An administrator can release it.',
  clientNameTaken: 'There is already a program with this name.',
  tokenNameTaken: 'You already have an app password with this name.',
  bodyTooLarge: 'The text is too long.',
  tooManyAttempts: 'Too many failed attempts. Try again later.',
  testedLately: 'This channel was tested a moment ago. Try again in <seconds> seconds.',
  tooManyChanges: 'You made too many changes in an hour. Try again in <seconds> seconds.',
  internal: 'Something went wrong on our side. The error was logged.',
  unavailable: 'The service is temporarily unavailable. Please try again.',
}

/** Why a value was refused; `<…>` is a value. Reasons of `keyInvalid` are the end of its sentence. */
const reasons: Record<ReasonCode, string> = {
  other: '<words>',
  required: 'This is required.',
  expected: 'This must be a <expected>.',
  jsonObject: 'This must be a JSON object.',
  jsonArray: 'This must be a JSON array.',
  future: 'This must be in the future.',
  fixed: 'This can not be changed.',
  notASetting: 'This is not a setting.',
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
  clientUri: 'It must be an address such as https://files.example.org/callback, without “#”.',
  clientUriScheme: 'It must begin with https:// (http only on this machine).',
  clientSite: 'It must be the address of a site, without “?” and what follows it.',
  clientUriQuery:
    'Its query must not have code, state, error, error_description or iss, because the answer adds them.',
  nameIsAppPassword: 'This is an app password. Give it a name of its own.',
  userGroup: 'This group of users does not exist.',

  boolean: 'It must be on or off.',
  issuer: 'It must be an address such as https://accounts.example.org, without ? and #.',
  scopes: 'They must be names separated by spaces.',
  claim: 'It must be the name of a claim, such as preferred_username.',
  permission: 'It must be a whole number from 0 to 65535.',
  origins: 'It must be https origins such as https://example.org, one per line.',
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
  keySeveral: 'it must be one key, but there are several',
  keyLines: 'it must be one key on one line',
  keyOptions: 'it has options in front. Paste the key only, which begins with its type',
  keyWithoutType: 'it must begin with its type, such as ssh-ed25519',
  keyBase64: 'its base64 is broken',
  keyComment: 'its comment contains control characters',
  keyCertificate: 'this is a certificate. Paste the plain public key',
  keyDsa:
    'DSA keys are not secure, and no server accepts them. Create a key with: ssh-keygen -t ed25519',
  keyType: 'keys of this type are not accepted. Create a key with: ssh-keygen -t ed25519',

  validUnicode: 'It contains broken characters.',
  noNul: 'It must not contain the character NUL.',
  oneOf: 'It must be one of: <options>.',
  topics: 'Choose at least one.',
  email: 'It must be an e-mail address.',
  telegramToken: 'It must be the token of a bot, such as 123456:a1b2c3.',
  telegramChat: 'It must be the number of a chat, or @name.',
  publicAddress: 'It must be a public https address.',
  httpAddress: 'It must be an https or http address.',
  addressPath: 'It must end in the topic or the device key.',
  retentionDays: 'It must be a number of days from 30 to 3650.',
  sftpAddress: 'It must be a host such as files.example.org, with “:port” unless the port is 22.',

  keyOtherType: 'its first word is <type>, but its data is of another type',
  keyEndsBefore: 'its data ends before the <part>. Copy the whole line',
  keyEndsWithin: 'its data ends within the <part>. Copy the whole line',
  keyZero: 'its <part> is zero',
  keyNegative: 'its <part> is negative',
  keyLeadingZeros: 'its <part> begins with needless zeros',
  keyTrailingBytes: 'its data has <bytes> bytes too many',
  keySsh2Frame: 'its first or last line is broken. Copy the whole file',
  keyPemFrame: 'its first or last line is not that of a PEM public key. Copy the whole file',
  keyPemType: 'SSH has no keys of this type',
  keyPemContent: 'its PEM data contains no public key',
  keyCurve: 'its curve does not belong to its type',
  keyPointForm: 'its point is not in uncompressed form',
  keyApplication: 'its application contains the character NUL',
  keyEd25519Length: 'an Ed25519 key has exactly 32 bytes',
  keyEd25519Form: `its Ed25519 point is not in canonical form. ${BETTER_KEY}`,
  keyEd25519Order: `its Ed25519 point has a small order, so anyone can sign for it. ${BETTER_KEY}`,
  keyRsaShort: `an RSA key of <bits> bits can be broken; <min> bits are the minimum. ${BETTER_KEY}`,
  keyRsaLong: `it has <bits> bits, and an RSA key may have at most <max>. ${BETTER_KEY}`,
  keyRsaLargeExponent: `its RSA exponent is too large. ${BETTER_KEY}`,
  keyRsaExponent: `its RSA exponent is <exponent> and should be 65537. ${BETTER_KEY}`,
  keyRsaFactor: `its RSA modulus can be divided by <factor>. ${BETTER_KEY}`,
  keyRsaRoca: `it was made by a chip with the ROCA flaw (CVE-2017-15361). ${BETTER_KEY}`,
  keyOffCurve: `its point is not on the curve <curve>. ${BETTER_KEY}`,
  keyUnlikelyPoint: `its point is not one that OpenSSH accepts. ${BETTER_KEY}`,
}

/** The fields in the data of a key. */
const keyParts: Record<KeyPart, string> = {
  type: 'type',
  'public key': 'public key',
  exponent: 'exponent',
  modulus: 'modulus',
  curve: 'curve',
  point: 'point',
  application: 'application',
}

/** What the sentence of an event depends on. */
interface EventFacts {
  detail: string
  /** True when users act on their own accounts. */
  isOwn: boolean
  /** False when no account has the name that was tried. */
  hasUser: boolean
  /** How often it happened. */
  times: number
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
  closeAnnouncement: 'Close',
  reveal: { show: 'Show', hide: 'Hide' },

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
    passkey: 'Sign in with a passkey',
  },

  sso: {
    platforms,
    submit: (provider: string) => `Sign in with ${provider}`,
    factorTitle: 'One more step',
    factorLead: (name: string, provider: string) =>
      `${provider} has confirmed you. Now confirm that you are ${name} with your second factor.`,
    linkTitle: 'Link an account',
    linkLead: (account: string, provider: string) =>
      `No user here is linked with the ${provider} account “${account}”.`,
    linkHint:
      'If you are a user of this site, sign in once in the usual way. From then on you can sign in with the linked account.',
    linkSubmit: 'Sign in and link',
    doneTitle: 'You are signed in',
    doneLead: 'This window closes by itself.',
    boundTitle: 'The account is confirmed',
    noOpener:
      'This window has lost the page that opened it. Close it and start again. If that does not help, the operator can turn on the compatibility mode.',
    failedTitle: 'Signing in did not work',
    title: 'Linked accounts',
    lead: 'With a linked account at an identity provider you sign in without the password of this site.',
    none: 'No account is linked.',
    link: (provider: string) => `Link your ${provider} account`,
    linkQuestion: 'You are sent to the provider and come back when you have signed in there.',
    linkContinue: 'Continue to the provider',
    unlink: 'Unlink',
    unlinkQuestion: (account: string) =>
      `Unlink “${account}”? It can no longer be used to sign in.`,
    unlinkSubmit: 'Unlink account',
    unnamed: 'Account without a name',
    linkedBy: {
      user: (when: string) => `Linked by you ${when}`,
      registration: (when: string) => `Linked ${when}, when this account was created`,
      import: (when: string) => `Linked ${when} by the move from another server`,
    } satisfies Record<LinkedBy, (when: string) => string>,
    linkedByOwner: (when: string) => `Linked by the user ${when}`,
    lastWayIn:
      'It is the only way in: the user has no password and no passkey, and cannot sign in again until you set a password.',
    subject: 'ID at the provider',
    redirectUris: 'Redirect URIs',
    redirectUrisLead: 'Register these addresses at the provider, exactly as they stand here.',
    check: 'Check',
    checkLead:
      'Asks the provider with the saved settings: whether it answers, and whether it accepts client ID and client secret.',
    checkSubmit: 'Ask the provider',
    checkGood: (host: string) =>
      `The provider answers, and accepts client ID and client secret. Users are sent to ${host}.`,
    checkUnsure: (host: string) =>
      `The provider answers. Users are sent to ${host}. It does not tell whether it accepts client ID and client secret.`,
    checkProblems: {
      'no answer': 'The provider does not answer. Check the address and try again.',
      answer:
        'The provider does not answer as an OpenID provider with this address. Check the address and try again.',
      client:
        'The provider does not accept the client ID or the client secret. Copy both again from the provider.',
    } satisfies Record<SsoProblem, string>,
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
    'app-passwords': 'App passwords',
    programs: 'Connected programs',
    adminPrograms: 'Registered programs',
    notices: 'Notices',
    channels: 'Channels',
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
    codesLeft: (left: number, all: number) => `${left} of ${all} recovery codes left`,
    noCodes: 'You have no recovery codes',
    fewCodesHint:
      'Without a recovery code, only an administrator can help you after you lose your phone. Generate new codes.',
    newCodes: 'New recovery codes',
    newCodesLead: 'The old codes stop working.',
    newCodesSubmit: 'Show new codes',
    missingTitle: 'This site requires a second factor',
    missingLead:
      'Add a passkey, or set up two-step verification. Until then you can use no other page.',
    factorTitle: 'One more step',
    factorLead:
      'This site requires a second factor, and you signed in with your password only. Show that it is you to continue.',
    factorSubmit: 'Continue',
  },

  confirm: {
    password: 'Your password',
    hint: 'You signed in some time ago. Enter your password to confirm.',
    hintOrCode: 'You signed in some time ago. Enter your password or a code to confirm.',
    code: 'Or a code',
    passkey: 'Confirm with a passkey',
  },

  enrolment: {
    title: 'Set up two-step verification',
    scan: 'Scan this image with an authenticator app',
    qr: 'QR code for your authenticator app',
    byHand: 'Or enter this key in the app',
    openApp: 'Open in the app on this device',
    confirm: 'Then enter the six digits that the app shows',
    hint: 'When you confirm, your other sessions end.',
    code: 'Code',
    submit: 'Turn on',
  },

  recovery: {
    title: 'Recovery codes',
    lead: 'If you lose your phone, each code signs you in once. Keep the codes in a safe place. They are not shown again.',
    codes: 'Your recovery codes',
    download: 'Download',
    fileTitle: (name: string, site: string, date: string) =>
      `Recovery codes of ${name} for ${site}, ${date}`,
    fileHint: 'Each code signs you in once.',
    done: 'I have saved the codes',
  },

  keys: {
    title: 'SSH keys',
    lead: 'These keys sign you in to your files over SFTP.',
    leadWithoutAccess: 'Keys sign users in to their files over SFTP.',
    noAccess: 'You may not sign in over SFTP, so keys do not work yet',
    noAccessHint: 'Ask an administrator of this site for the permission.',
    connect: 'Sign in with this command',
    none: 'No keys yet',
    noneHint: 'Add a public key to sign in over SFTP without a password.',
    added: (when: string) => `Added ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    lastUsedFrom: (network: string) => `from ${network}`,
    neverUsed: 'Never used',
    older: (count: number) => (count === 1 ? '1 older key' : `${count} older keys`),
    bits: (bits: number) => `${bits} bits`,
    delete: 'Delete',
    deleteQuestion: (title: string) => `Delete “${title}”? It can no longer be used to sign in.`,
    deleteSubmit: 'Delete key',
    deleteAll: 'Delete all keys',
    deleteAllQuestion: 'None of your keys can be used to sign in any more.',
    add: 'Add key',
    addTitle: 'Add a key',
    keyTitle: 'Title',
    keyTitleHint: 'A name that identifies the key, such as “laptop” or “work”.',
    key: 'Public key',
    keyHint: 'The whole content of a .pub file, such as ~/.ssh/id_ed25519.pub.',
    submit: 'Add key',
    cancel: 'Cancel',
  },

  /** How times relative to now are written. */
  distance: {
    numeric: 'auto' as Intl.RelativeTimeFormatNumeric,
    justNow: 'just now',
    soon: 'in a moment',
    written: (relative: string) => relative,
  },

  surviving: {
    title: 'Your password was changed',
    lead: 'The new password does not end this. Delete everything that you do not recognise.',
    hint: 'All sessions have ended. Sign in with the new password to delete something.',
    channelOfOther: 'Only the user can delete it.',
  },

  sessions: {
    title: 'Sessions',
    lead: 'The devices where you are signed in.',
    current: 'This device',
    activeNow: 'Active now',
    activeLately: 'Active in the last hour',
    active: (when: string) => `Last active ${when}`,
    since: (when: string) => `Signed in ${when}`,
    expires: (when: string) => `Ends ${when}`,
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    endOthersQuestion: 'All sessions except this one end. App passwords stay valid.',
    onlyThis: 'You are not signed in anywhere else.',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknownBrowser: 'Unknown program',
    methods: sessionMethods,
    madeWith: (methods: string[]) => `With ${methods.join(' and ')}`,
    endEverything: 'Sign out everywhere and delete app passwords',
    endEverythingQuestion:
      'All sessions end, including this one, and no program can use your app passwords any more. Do this when somebody else may have had access. Your SSH keys stay: check them too.',
  },

  channels: channelsEn,

  appPasswords: {
    title: 'App passwords',
    lead: 'Passwords for programs, such as WebDAV and SFTP clients. They work with two-step verification.',
    none: 'No app passwords',
    noneOf: 'No app passwords.',
    noneHint: 'Create one for each program, so that you can end each by itself.',
    created: (when: string) => `Created ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    from: (network: string) => `from ${network}`,
    neverUsed: 'Never used',
    expires: (when: string) => `Expires ${when}`,
    expired: (when: string) => `Expired ${when}`,
    neverExpires: 'Never expires',
    delete: 'Delete',
    deleteQuestion: (name: string) => `Delete “${name}”? Programs that use it are refused at once.`,
    deleteSubmit: 'Delete app password',
    addTitle: 'Create an app password',
    name: 'Name',
    nameHint: 'The program and the device, such as “rclone on my laptop”.',
    use: 'What it is for',
    useHint: 'It never allows more than your account does.',
    uses: {
      read: 'Files: read',
      write: 'Files: read and write',
      look: 'Programs: read my account, keys, sessions and activity',
      manage: 'Programs: also change my SSH keys and sessions',
      admin: 'Programs: everything that an administrator may do',
    },
    scopes: {
      'files:read': 'Reads files',
      'files:write': 'Reads and writes files',
      'account:read': 'Reads the account',
      'account:write': 'Changes SSH keys and sessions',
      admin: 'Administers the site',
    },
    lifetime: 'Valid for',
    lifetimes: { month: '30 days', quarter: '90 days', year: '1 year', never: 'Until I delete it' },
    submit: 'Create',
    staysValid:
      'App passwords stay valid when you change your password. “Sign out everywhere and delete app passwords” on the page Sessions ends them all.',
    createdTitle: 'Your app password',
    createdLead: 'Copy it into the program now. It is not shown again.',
    createdDone: 'I have copied it',
    howTo: 'How to use it',
    webdav: 'WebDAV',
    webdavHow: (username: string, host: string) =>
      `Enter the address of your file server, the user name “${username}”, and the app password as the password. In the examples here, ${host} stands for your file server.`,
    sftpHow:
      'Enter the app password when the program asks for a password. OpenSSH servers take SSH keys only.',
    rcloneHow:
      'Put in the WebDAV address of your file server. Run this, paste the app password, press Enter, then Ctrl+D.',
    readHow: 'Run this in bash or zsh, paste the app password, press Enter:',
    curlHow: 'Then send it in the header Authorization:',
    tools: 'Tools for OpenList and AList',
    toolsHow: 'Paste it where the tool asks for a token.',
  },

  passkeys: {
    title: 'Passkeys',
    lead: 'A passkey signs you in with your fingerprint, your face or the PIN of your device. It replaces password and code, and no false site can use it.',
    add: 'Add a passkey',
    rename: 'Rename',
    renameSubmit: 'Save name',
    delete: 'Delete',
    deleteQuestion: (name: string) => `Delete “${name}”? It can no longer be used to sign in.`,
    passwordLeft:
      ' It is your only passkey, and two-step verification is off: then your password alone signs you in.',
    codesLeft:
      ' It is your only passkey: then you sign in with your password and a code from your authenticator app.',
    deleteSubmit: 'Delete passkey',
    survive: 'Passkeys stay when you change your password. Delete those that you do not recognise.',
    added: (when: string) => `Added ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    neverUsed: 'Never used',
    synced: 'Synced',
    thisDevice: 'This device only',
    onlyAt: (host: string) => `Works only at ${host}`,
    cloned: (when: string) =>
      `Refused ${when}: a copy of this passkey seems to exist. Delete it if you do not know why.`,
    addTitle: 'Add a passkey',
    name: 'Name',
    nameHint: 'A name that identifies the passkey, such as “phone” or “password manager”.',
    create: 'Create passkey',
    continue: 'Continue',
    back: 'Back to Security',
    needsScript: 'Passkeys need JavaScript and a current browser.',
    notHere:
      'Passkeys work only over https and under a host name, or at http://localhost. This address has none.',
    nudge: 'Sign in without a password',
    nudgeHint: 'This device can hold a passkey: next time, one touch or a look is enough.',
    nudgeClose: 'Not now',
    none: 'No passkeys.',
    /** What went wrong in the browser, when a passkey is used and when one is added. */
    errors: {
      get: {
        cancelled:
          'No passkey was used. Try again, or use your password if this device has no passkey for this site.',
        unusable: 'This device cannot use passkeys. Try another device, or use your password.',
        address: 'The browser does not allow passkeys at this address. Use your password.',
        stale: 'This page was open for too long. Reload it and try again.',
        failed: 'The browser could not use a passkey. Use your password.',
      },
      create: {
        cancelled: 'No passkey was created. Try again.',
        exists: 'This device already has a passkey for your account.',
        unusable:
          'This device cannot hold a passkey. Turn on its screen lock, or use another device.',
        address: 'The browser does not allow passkeys at this address.',
        stale: 'This page was open for too long. Reload it and try again.',
        failed: 'The browser could not create a passkey. Try another device or browser.',
      },
    } satisfies Record<'get' | 'create', Record<string, string>>,
  },

  activity: {
    title: 'Activity',
    lead: 'The activity of your account, as long as it is kept.',
    none: 'No activity yet',
    newer: 'Newer',
    older: 'Older',
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    you: 'You',
    /** The words beside a verb's object. */
    toYou: 'you',
    your: 'your',
    their: 'their',
    theirs: 'them',
    /** Follows a name. */
    possessive: '’s',
    /** Stands on both sides of a name in a sentence. */
    gap: '',
    someone: 'Someone',
    commandLine: 'An operator on the command line',
    deletedName: (name: string) => `${name} (deleted)`,
    deletedUser: (id: number) => `User ${id} (deleted)`,
    kind: 'Event',
    anyKind: 'All events',
    from: 'From',
    to: 'To',
    filter: 'Show',
    /** Stands before the name of a time zone. */
    zone: 'Time zone of the days:',
    badDay: 'It must be a day such as 2026-11-21.',
    noneFound: 'No events found',
    noneFoundHint: 'No event that is kept matches.',
    showAll: 'Show all events',
    download: 'Download CSV',
    downloadHint: (most: number) =>
      `The CSV file has the events of this list, at most the latest ${most}. For earlier ones, choose dates. Its times are in UTC.`,
    changes: (changes: string[]) => `: ${changes.join('; ')}`,
    comma: ', ',
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

  authorize: authorizeEn,
  programs: programsEn,
  adminPrograms: adminProgramsEn,

  notices: {
    'program-removed': 'The program has no access any more.',
    'program-deleted': 'The program was deleted.',
    'name-released': 'The name was released.',
    'signed-out': 'You are signed out.',
    'session-over': 'Your session has ended. Please sign in again.',
    'identity-linked': 'The account is linked.',
    'identity-unlinked': 'The account is no longer linked.',
    'password-changed': 'Your password was changed. Sign in with the new password.',
    'two-factor-off': 'Two-step verification is off.',
    'second-factor-needed':
      'This site requires a second factor. Turn on two-step verification or use a passkey to continue.',
    'key-added': 'The key was added.',
    'key-deleted': 'The key was deleted.',
    'keys-deleted': 'All keys were deleted.',
    'session-ended': 'The session has ended.',
    'sessions-ended': 'All other sessions have ended.',
    'app-password-deleted': 'The app password was deleted.',
    'passkey-added': 'The passkey was added.',
    'passkey-renamed': 'The name was changed.',
    'passkey-deleted': 'The passkey was deleted.',
    'everything-ended': 'You are signed out everywhere, and your app passwords are deleted.',
    ...adminNoticesEn,
  },

  problems: {
    title: 'That did not work',
    back: 'Back to your account',
    notFound: 'Page not found',
    notFoundLead: 'This page does not exist. The address may be mistyped, or the page was moved.',
    home: 'Go to the start page',
    tryAgainMinutes: (minutes: number) =>
      `Too many failed attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    tryAgainSeconds: (seconds: number) =>
      `Too many failed attempts. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  },

  refusals,

  reasons,

  keyParts,
}
