import { fillText, type Reason, type TextValues, wordsOf } from './reasons.ts'

/**
 * The catalogue of refusals: code and message of every answer that is not a success.
 *
 * A value replaces `<…>` in a message. The texts of 401, 402, 403, 404 and 429 are those of
 * OpenList, because its clients show or compare them (docs/interface.md, Codes).
 */
export const REFUSALS = {
  invalidBody: { code: 400, message: '<field> <reason>' },
  passwordsDiffer: { code: 400, message: 'the two new passwords differ' },
  pathInvalid: { code: 400, message: 'this path can be read in two ways' },
  requestInvalid: { code: 400, message: 'request invalid' },
  keyInvalid: { code: 400, message: 'provided key invalid: <reason>' },
  tooManyKeys: { code: 400, message: 'no more than <limit> keys, delete one first' },
  handOverInvalid: { code: 400, message: 'could not sign you in, try again' },
  userIdFormatInvalid: { code: 400, message: 'user id format invalid' },
  idFormatInvalid: { code: 400, message: 'id format invalid' },
  wrongEnrolmentCode: { code: 400, message: 'Invalid 2FA code' },
  tooManyTokens: { code: 400, message: 'no more than <limit> app passwords, delete one first' },
  tooManyChannels: { code: 400, message: 'no more than <limit> channels, delete one first' },
  twoFactorOff: { code: 400, message: '2FA is not enabled' },
  twoFactorAlreadyOn: { code: 400, message: '2FA is already enabled, disable it first' },
  passkeyRefused: { code: 400, message: 'the passkey was not accepted, try again' },
  passkeyNotFound: { code: 400, message: 'no such passkey' },
  tooManyPasskeys: { code: 400, message: 'no more than <limit> passkeys, delete one first' },
  ssoNoMethod: { code: 400, message: 'no method provided' },
  ssoPlatformInvalid: { code: 400, message: 'invalid platform' },
  ssoMisconfigured: {
    code: 400,
    message: 'the identity provider refuses this site, tell an administrator',
  },
  ssoRefused: { code: 400, message: 'the sign-in could not be verified, start it again' },
  lastWayIn: {
    code: 400,
    message:
      'this is the only way to sign in to the account: set a password or add a passkey first',
  },
  lastWayInOf: {
    code: 400,
    message:
      "this is the user's only way to sign in: set a password first, or send last_way_in: true",
  },
  noPasskeysHere: {
    code: 400,
    message: 'passkeys need https and a host name, such as https://files.example.org',
  },

  wrongCredentials: { code: 401, message: 'Invalid username or password' },
  guestDisabled: { code: 401, message: 'Guest user is disabled, login please' },
  tokenExpired: { code: 401, message: 'token is expired' },
  tokenInvalidated: { code: 401, message: 'token is invalidated' },
  passwordChanged: { code: 401, message: 'Password has been changed, login please' },
  accountDisabled: { code: 401, message: 'Current user is disabled, replace please' },
  factorBeforeFiles: {
    code: 401,
    message: 'This site requires a second factor: the next page sets it up',
  },
  anotherUser: { code: 401, message: 'another user has signed in' },

  wrongServiceToken: { code: 401, message: 'service token is missing or wrong' },

  wrongCode: { code: 402, message: 'Invalid 2FA code' },

  registrationWaits: { code: 403, message: 'your registration waits for an administrator' },
  httpsRequired: { code: 403, message: 'https is required' },
  confirmationNeeded: { code: 403, message: 'Sign in again or confirm to do this' },
  wrongOldPassword: { code: 403, message: 'old_password is wrong' },
  wrongPassword: { code: 403, message: 'password is wrong' },
  wrongConfirmationCode: { code: 403, message: 'Invalid 2FA code' },
  wrongConfirmationPasskey: { code: 403, message: 'the passkey was not accepted' },
  passkeysOff: { code: 403, message: 'WebAuthn is not enabled' },
  ssoOff: { code: 403, message: 'Single sign-on is not enabled' },
  ssoDenied: { code: 403, message: 'the identity provider did not confirm the sign-in' },
  ssoNotProven: {
    code: 403,
    message: 'sso_id must be proven: sign in to the identity provider first, then bind it at once',
  },
  secondFactorMissing: {
    code: 403,
    message:
      'This site requires a second factor: turn on two-step verification or add a passkey first',
  },
  secondFactorUnused: {
    code: 403,
    message: 'This site requires a second factor: sign in with your passkey or your code',
  },
  lastFactor: {
    code: 403,
    message: 'This site requires a second factor: set up another one first, or move to a new phone',
  },
  nameFixed: {
    code: 403,
    message: 'apps know you by your user name, only an administrator can change it',
  },
  nameKept: {
    code: 403,
    message: 'your files are kept under your user name, only an administrator can change it',
  },
  tooManyNames: {
    code: 403,
    message: 'you have had too many user names, ask an administrator',
  },
  builtInNotCreated: { code: 400, message: 'admin or guest user can not be created' },
  roleFixed: { code: 400, message: 'role can not be changed' },
  adminNotDisabled: { code: 400, message: 'admin user can not be disabled' },
  adminNotDemoted: { code: 400, message: 'admin user can not be demoted' },
  builtInNotDeleted: { code: 400, message: 'cannot delete admin or guest' },
  guestHasNoPassword: { code: 400, message: 'Guest user has no password' },
  adminHasNoEnd: { code: 400, message: 'an admin has no end' },
  guestHasNoAddress: { code: 400, message: 'Guest user has no e-mail address' },
  guestHasNoEnd: { code: 400, message: 'Guest user has no end' },
  accountGone: { code: 400, message: 'the account is disabled or has ended' },
  groupNameMissing: { code: 400, message: 'name is required' },
  groupNameTooLong: { code: 400, message: 'name is too long' },
  groupNameCharacters: { code: 400, message: 'name has characters that are not allowed' },
  groupNameReserved: { code: 400, message: 'this name is reserved' },
  groupNoteTooLong: { code: 400, message: 'note is too long' },
  membersMissing: { code: 400, message: 'users is required' },
  guestInNoGroup: { code: 400, message: 'the guest is in no group' },
  tooManyGroupsOfUser: { code: 400, message: 'a user is in at most <limit> groups' },
  tooManyGroups: { code: 400, message: 'a site has at most <limit> groups' },
  tooManyFolderRules: { code: 400, message: 'a site has at most <limit> folder rules' },
  tooManyRuleFolders: { code: 400, message: 'at most <limit> folders have rules' },
  folderMissing: { code: 400, message: 'path is required' },
  folderInvalid: { code: 400, message: "path must be a folder's full path" },
  folderIsFile: { code: 400, message: 'this is a file, and rules are for folders' },
  folderTargetMissing: { code: 400, message: 'to is required' },
  ruleNeedsWhose: { code: 400, message: 'group or uid is required' },
  accessInvalid: { code: 400, message: 'access must be none, read or write' },
  adminsHaveEveryRight: { code: 400, message: 'admins have every right' },
  noConfirmedAddress: { code: 400, message: 'there is no confirmed address' },
  noAddressToConfirm: { code: 400, message: 'there is no address to confirm' },

  guestTwoFactor: { code: 403, message: 'Guest user can not generate 2FA code' },
  guestProfile: { code: 403, message: 'Guest user can not update profile' },
  guestSessions: { code: 403, message: 'Guest user has no sessions' },
  guestEvents: { code: 403, message: 'Guest user has no events' },
  guestKeys: { code: 403, message: 'Guest user can not manage SSH keys' },
  guestPasskeys: { code: 403, message: 'Guest user can not manage passkeys' },
  guestGroups: { code: 403, message: 'Guest user has no groups' },
  guestTokens: { code: 403, message: 'Guest user has no app passwords' },
  guestNotices: { code: 403, message: 'Guest user has no notices' },
  filesNotPermitted: { code: 403, message: 'your account may not do this with files' },
  sessionNeeded: { code: 403, message: 'an app password can not do this, sign in' },
  keepNeedsFactor: {
    code: 403,
    message: 'Sign in or confirm with a second factor to keep them',
  },
  tokenLacksFactor: {
    code: 403,
    message:
      'This site requires a second factor, and this app password was made without one: its owner can keep it',
  },
  scopeNeeded: { code: 403, message: 'this app password needs the scope <scope>' },

  tooManySessions: {
    code: 403,
    message: 'too many sessions, sign out on another device first',
  },
  registrationOff: { code: 403, message: 'registration is disabled' },
  humanCheckFailed: { code: 403, message: 'the check that you are human failed, try again' },
  mailOff: { code: 403, message: 'this site sends no mail, ask an administrator' },
  linkOfOther: { code: 403, message: 'this link confirms the address of another account' },
  linkNeedsSession: { code: 403, message: 'sign in first, then open the link again' },

  notAdmin: { code: 403, message: 'You are not an admin' },
  foreignForm: { code: 403, message: 'this form was sent from another site' },

  linkNotSigned: { code: 401, message: 'this link has expired or has no valid signature' },
  foreignWorker: { code: 403, message: 'files can not be service workers' },
  notThroughHere: { code: 403, message: 'this site does not let that be changed here' },
  appPasswordForDav: {
    code: 401,
    message:
      'WebDAV takes an app password, not the password of the account: make one on the page of your account',
  },
  noFileServer: { code: 403, message: 'there is no file server' },
  folderDenied: { code: 403, message: 'permission denied' },
  folderHasRules: { code: 403, message: 'this folder has rules, ask an administrator' },
  otherStorage: {
    code: 403,
    message: 'the target is in another storage, copy the files there and delete them here',
  },
  partOfStorageClosed: {
    code: 403,
    message:
      'you may not write everywhere in this storage: unpack archives on your own device and upload the files, download from a web address with SimpleHttp',
  },
  partOfSiteClosed: {
    code: 403,
    message: 'you may not write everywhere on this site: select the files and move them',
  },
  uploadedLate: {
    code: 403,
    message: 'upload a file of this size in parts or as a stream, not in a form',
  },
  lengthRequired: {
    code: 411,
    message: 'say how long a file of this size is (Content-Length)',
  },
  openBehind: {
    code: 403,
    message:
      'users may write in the place behind this storage: download the files and upload them, or ask an administrator',
  },
  folderNotSearched: {
    code: 403,
    message:
      'this folder has more than 500 folders in it, or a name with a backslash: copy or move what is in it in parts',
  },
  storageHasRules: {
    code: 403,
    message: 'folders of this storage have rules, make the same rules for the new path first',
  },
  usersFromRules: { code: 403, message: 'the users of this folder come from its rules' },
  groupDenied: { code: 403, message: 'your account is in none of the groups that may do this' },
  objectNotFound: { code: 404, message: 'object not found' },
  shareEnded: { code: 404, message: 'the share has expired or is no longer valid' },
  unknownPath: { code: 404, message: 'no such endpoint' },
  sessionNotFound: { code: 404, message: 'no such session' },
  userNotFound: { code: 404, message: 'user invalid' },
  keyNotFound: { code: 404, message: 'failed to get public key' },
  clientNotFound: { code: 404, message: 'no such program' },
  identityNotFound: { code: 404, message: 'no such linked account' },
  tokenNotFound: { code: 404, message: 'no such app password' },
  channelNotFound: { code: 404, message: 'no such channel' },
  undoGone: { code: 404, message: 'this can no longer be undone' },
  linkNotFound: { code: 404, message: 'no such link' },
  linkInvalid: { code: 404, message: 'this link is not valid, ask for a new one' },
  groupNotFound: { code: 404, message: 'no such group' },
  folderRuleNotFound: { code: 404, message: 'no such folder rule' },
  methodNotAllowed: { code: 405, message: 'method not allowed, use <methods>' },
  titleTaken: { code: 409, message: 'key with the same title already exists' },
  keyTaken: { code: 409, message: 'key already exists as "<title>"' },
  usernameTaken: { code: 409, message: 'username is already taken' },
  nameReserved: { code: 409, message: 'username belonged to another account' },
  clientNameTaken: { code: 409, message: 'program with the same name already exists' },
  tokenNameTaken: { code: 409, message: 'app password with the same name already exists' },
  identityTaken: { code: 409, message: 'this account is linked with another user' },
  undoBlocked: { code: 409, message: 'this can not be undone: its name or place is taken' },
  groupNameTaken: { code: 409, message: 'a group with this name exists' },
  groupHasRules: { code: 409, message: 'folder rules name this group' },
  folderRuleTaken: { code: 409, message: 'this folder has such a rule' },
  folderHasOwnUsers: {
    code: 409,
    message: 'the file server has users of its own for <path>, adopt them first',
  },
  fileHasOwnUsers: {
    code: 409,
    message: 'the file server has users of its own for the file <path>, remove them there first',
  },
  folderNotMoved: { code: 409, message: 'the file server did not move it' },
  folderIsMoving: {
    code: 409,
    message: 'a folder with rules is being moved, try again when it is done',
  },
  taskNotEnded: {
    code: 409,
    message: 'this task has not ended yet, try again when it is canceled',
  },
  requestsUnderWay: {
    code: 409,
    message: 'copies or moves are under way, try again when they have ended',
  },
  folderMovedInPart: {
    code: 409,
    message: 'the file server moved it to <path>, with its rules, and did not rename it there',
  },
  bodyTooLarge: { code: 413, message: 'request body too large' },
  tooManyAttempts: {
    code: 429,
    message:
      'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
  },
  tooManyRequests: { code: 429, message: 'too many requests, try again later' },
  testedLately: {
    code: 429,
    message: 'this channel was tested a moment ago, try again in <seconds> seconds',
  },
  retriedLately: { code: 429, message: 'wait <seconds> seconds before you retry tasks again' },
  remindedLately: { code: 429, message: 'this user was reminded less than 7 days ago' },
  tooManyChanges: {
    code: 429,
    message: 'too many changes in an hour, try again in <seconds> seconds',
  },

  internal: { code: 500, message: 'internal error' },
  humanCheckUnavailable: {
    code: 503,
    message: 'the check that you are human does not answer, try again',
  },
  ssoUnavailable: { code: 503, message: 'the identity provider does not answer, try again later' },
  filesBroken: { code: 502, message: 'the file server gave no usable answer' },
  filesUnavailable: { code: 503, message: 'the file server does not answer, try again' },
  filesNotSetUp: { code: 503, message: 'the file server is not set up, tell an administrator' },
  unavailable: { code: 503, message: 'service unavailable, try again' },
} as const satisfies Record<string, { code: number; message: string }>

export type RefusalName = keyof typeof REFUSALS
type RefusalCode = (typeof REFUSALS)[RefusalName]['code']

interface RefusalOptions {
  /** The log has it; the client never sees it. */
  detail?: string
  /** Replace `<…>` in the message. */
  values?: TextValues
  /** Replaces `<reason>` in the message. */
  reason?: Reason
  /** The field of the request that is wrong; a form shows the message beside it. */
  field?: string | undefined
  /** When another try can succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number | undefined
}

/** The error that a decision throws to refuse a request; `app.ts` turns it into the envelope. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Its entry in the catalogue. */
  readonly refusal: RefusalName
  readonly code: RefusalCode
  readonly detail: string
  readonly values: TextValues
  readonly reason: Reason | undefined
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    refusal: RefusalName,
    { detail = '', values = {}, reason, field, retryAfterSeconds }: RefusalOptions = {},
  ) {
    const { code, message } = REFUSALS[refusal]
    const named = { ...values, field: field ?? 'request body' }
    super(fillText(message, reason === undefined ? named : { ...named, reason: wordsOf(reason) }))
    this.refusal = refusal
    this.code = code
    this.detail = detail
    this.values = values
    this.reason = reason
    this.field = field
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns the refusal in an error, also when Drizzle has wrapped it; any other error is `internal`. */
export function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Refusal ? cause : new Refusal('internal')
}
