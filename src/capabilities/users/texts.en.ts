import type { PermissionGroup, PermissionLevel } from './pages/admin/permission-fields.tsx'
import { counted } from '../../web/kit/texts/counted.ts'

const someUsers = counted('1 user', '# users')

/** The usual sets of permissions. */
const levels: Record<PermissionLevel, string> = {
  look: 'In the browser: see, download',
  read: '+ apps, read: WebDAV, SFTP',
  write: '+ write: upload, move, delete',
  everything: 'Everything: hidden files too',
  custom: 'Custom: choose each',
}

const permissionGroups: Record<PermissionGroup, string> = {
  look: 'See',
  change: 'Change',
  programs: 'With apps',
  share: 'Share',
}

const REMAINING =
  'All sessions of the user have ended, but everything else below still works. On the page of the user, delete what the user does not recognise.'

export const usersEn = {
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
  adminUsers: {
    title: 'Users',
    search: 'Name, e-mail, network',
    searchSubmit: 'Search',
    add: 'New user',
    none: 'No users found',
    noneHint: (search: string) =>
      `No name or e-mail address contains “${search}”, and no network is “${search}”.`,
    noneIn: {
      admins: 'Nobody is an administrator',
      disabled: 'Nobody is disabled',
      'without-two-factor': 'Everybody has a second factor',
      waiting: 'Nobody waits for your approval',
      locked: 'Nobody is locked',
      ending: 'No account ends',
    },
    showAll: 'Show all users',
    total: someUsers,
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
      'without-two-factor': 'No second factor',
      waiting: 'Waiting',
      locked: 'Locked',
      ending: 'Ending',
    },
    locked: 'Locked',
    /** The blocked attempts, by the counter. */
    stops: {
      pair: (network: string) => `Passwords from ${network} are refused`,
      network: (network: string) => `Passwords of every account from ${network} are refused`,
      site: (network: string) => `Passwords from networks around ${network} are refused`,
      account: (_network: string) => 'Passwords from new networks are refused',
      code: (_network: string) => 'Codes are refused',
      'old-password': (_network: string) => 'Confirming with the password is refused',
      passkey: (_network: string) => 'Confirming with a passkey is refused',
      door: (_network: string) => 'Passwords at an LDAP door are refused',
    },
    stopEnds: (what: string, when: string) => `${what}, and accepted again ${when}`,
    lastSeen: 'Last seen',
    /** Before the time, on phones. */
    seen: 'Seen',
    made: 'Created',
    madeAt: (when: string) => `Created ${when}`,
    lastSeenAt: (when: string) => `Last seen ${when}`,
    neverSeen: 'Never seen',
    emailUnconfirmed: 'not confirmed',
    signInsOfWeek: counted('1 sign-in in 7 days', '# sign-ins in 7 days'),
    seenOfFirst: (most: string) =>
      `Only the first ${most} users are sorted by this. Search, or choose a list, to find the others.`,
    noSignIn: 'Not recorded',
    keysOf: 'Keys',
    twoFactor: 'Two-step',
    secondFactor: 'Second factor',
    hasPasskey: 'Passkey',
    hasCode: 'Code',
    hasNoFactor: 'None',
    withoutFactor: 'No second factor',
    disabled: 'Disabled',
    waiting: 'Waiting',
    hasEnded: 'Ended',

    waits: (name: string) => `${name} waits for your approval`,
    registered: (when: string) => `Registered ${when}`,

    newEmailHint:
      'For mails of this site, such as a link for a new password. The user confirms it.',
    details: 'E-mail and end date',
    noEmail: 'No e-mail address',
    email: 'E-mail address',
    emailVerified: 'Confirmed by the user.',
    emailUnverified: 'Not confirmed: only the user can confirm it.',
    ends: (when: string) => `Ends ${when}`,
    ended: (when: string) => `Ended ${when}`,
    noEnd: 'No end',
    endsAt: 'Ends on',
    endsAtHint: 'The account is disabled at 0:00 UTC on this day. Leave it empty for no end.',
    maxSessions: (most: number) => `at most ${most}`,

    backToList: 'Users',
    /** Around the number of selected users. */
    selected: ['', 'selected'],
    selectAll: 'Select all on this page',
    select: (name: string) => `Select ${name}`,
    forSelected: (label: string, users: number) => `${label}: ${someUsers(users)}`,
    leftOut: (names: string) => `Left out, because it does not apply to them: ${names}.`,
    remind: 'Remind of second factor',
    remindQuestion:
      'Each of them is asked to set up a second factor: in the account, and by mail to a confirmed address. Once in 7 days at most.',
    disableSelected: 'Disable',
    disableQuestion:
      'They are signed out at once, and cannot sign in until you enable them again. Their app passwords are deleted for good.',
    doneFor: (done: number, all: number) => `Done for ${done} of ${all}. Not for these:`,
    notYourself: 'This is your own account. Change it on its page.',
    lockedOut: 'Locked after too many wrong attempts',
    lastAdmin: 'This is the last administrator, who can be neither disabled nor deleted.',
    latestEvents: 'Latest events',
    account: 'Account',
    name: 'User name',
    role: 'Role',
    basePath: 'Base folder',
    basePathHint: 'The user sees only the files in this folder.',
    newBasePathHint:
      'The user sees only this folder and what is in it. Write / for all files, and {username} where the user name belongs.',
    permissions: 'Permissions',
    levels,
    permissionGroups,
    password: 'Password',
    passwordHint:
      'At least 8 characters. If you leave it empty, a password is generated and shown once.',
    create: 'Create user',
    save: 'Save changes',

    access: 'Access',
    /** The kinds of access of which the user has nothing. */
    hasNone: (kinds: string) => `None: ${kinds}.`,
    help: 'Help with signing in',
    endAccess: 'Sign out, disable or delete',
    resetPassword: 'Reset password',
    resetPasswordLead:
      'Set a new password yourself. The old one stops working, and all sessions end.',
    unlock: 'Unlock',
    cancelTwoFactor: 'Turn off two-step verification',
    cancelTwoFactorLead:
      'For a user who has lost the phone and the recovery codes. Codes stop working, and all sessions end. A passkey that stays can still sign in.',
    withPasskeys: counted('Delete the passkey as well', 'Delete the # passkeys as well'),
    endSessions: 'End all sessions and app passwords',
    endSessionsLead:
      'Sign the user out on all devices, and delete all app passwords: apps such as rclone need new ones.',
    disable: 'Disable account',
    disableLead:
      'Sign the user out at once, and refuse sign-ins until you enable the account again. App passwords are deleted for good: apps such as rclone need new ones afterwards.',
    enable: 'Enable account',
    isDisabled: (name: string) => `${name} is disabled`,
    isDisabledLead: 'The user cannot sign in, and has no sessions.',
    delete: 'Delete user',
    deleteLead:
      'Delete the user with all keys and sessions. You can undo it for ten minutes. Files are not deleted.',

    sessions: 'Sessions',
    noSessions: 'The user is not signed in.',
    moreSessions: counted('And 1 older session.', 'And # older sessions.'),
    endSession: 'End',
    keys: 'SSH keys',
    noKeys: 'No keys.',
    events: 'All events',

    generatedTitle: 'New password',
    generatedLead:
      'The password is not shown again. Give it to the user now, in a way that you trust.',
    generatedLabel: (name: string) => `Password of ${name}`,
    generatedDone: 'I have passed it on',
    renameHint:
      'Apps know this account by its name: after a change, they take it for another account.',
    remaining: REMAINING,
  },
}

type Own = typeof usersEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
