import type { LinkState } from './links.ts'

export const joiningEn = {
  /** Invitation, registration, forgotten passwords and addresses. */
  joining: {
    invitationTitle: 'You are invited',
    invitationFrom: (inviter: string, site: string) => `${inviter} invites you to ${site}`,
    invitationLead: (site: string) => `Choose how you sign in to ${site}.`,
    registerTitle: 'Create an account',
    registerLead: 'Choose a name and a password.',
    registerLink: 'Create an account',
    yourName: (name: string) => `Your user name is ${name}.`,
    username: 'User name',
    password: 'Password',
    repeat: 'Repeat the password',
    hasAccount: 'You have an account? Sign in',
    registerSubmit: 'Create account',
    waitingTitle: 'Your account is waiting for approval',
    waitingLead: 'An administrator will look at it. You can sign in once it is approved.',
    resetTitle: 'Choose a new password',
    resetLead: (name: string) => `For the account ${name}. It is signed out on all devices.`,
    resetSubmit: 'Set password',
    resetDone: 'Your password is set',
    resetDoneLead: 'Sign in with your new password.',
    emailTitle: 'Confirm your address',
    emailLead: (address: string) => `Is ${address} yours? You must be signed in to confirm it.`,
    emailSubmit: 'Confirm address',
    emailDone: 'Your e-mail address is confirmed',
    toAccount: 'Go to your account',
    forgottenTitle: 'Forgotten password',
    forgottenLead: 'We mail a link for a new password to your confirmed e-mail address.',
    forgottenName: 'User name or e-mail address',
    forgottenSubmit: 'Send link',
    forgottenLink: 'Forgotten password?',
    forgottenDone: 'Check your mail',
    forgottenDoneLead:
      'If the account has a confirmed e-mail address, a link is on its way there. It works for 30 minutes. Without such an address, ask an administrator.',
    welcomeTitle: 'Welcome',
    welcomeLead: 'Your account is ready. Do the rest now, or later.',
    welcomeFactor: 'Protect your sign-in',
    welcomeFactorHint: 'With a passkey or two-step verification, a stolen password is of no use.',
    welcomeEmail: 'Confirm your e-mail address',
    welcomeConnect: 'Connect an app',
    welcomeConnectHint: 'An app password lets an app such as rclone reach your files.',
    welcomeKeys: 'Add an SSH key',
    welcomeKeysHint: 'It lets you reach your files over SFTP without a password.',
    welcomeDone: 'Done',
    welcomeOverview: 'Go to your account',
    // The page of the own address.
    ownTitle: 'E-mail address',
    ownNone: 'None yet',
    isConfirmed: (address: string) => `${address} is confirmed.`,
    ownHint: 'It lets you choose a new password when you have forgotten yours.',
    ownLead:
      'With a confirmed address you can choose a new password when you have forgotten yours. Administrators see it, and apps that you allow.',
    noMail: 'This site sends no mail, so an address cannot be entered. Ask an administrator.',
    isVerified: 'Confirmed',
    isUnverified: 'Not confirmed',
    unverifiedHint: 'Open the link in the mail that we sent there.',
    email: 'E-mail address',
    otherEmail: 'Change the address',
    emailNewHint: 'You get a mail with a link that confirms it.',
    emailHint: 'You get a mail with a link that confirms it. Leave it empty to remove the address.',
    ownSubmit: 'Save the address',
    send: 'Send the mail again',
    manage: 'Change',
  },
  /** The invitations, for operators. */
  adminInvitations: {
    title: 'Invitations',
    lead: 'Links that let people create their own accounts.',
    add: 'New invitation',
    none: 'No invitations',
    noneHint:
      'An invitation is a link. The person who opens it chooses a password, and has an account.',
    unnamed: (id: number) => `Invitation ${id}`,
    states: { live: 'Valid', used: 'Used', ended: 'No longer valid' } satisfies Record<
      LinkState,
      string
    >,
    used: (used: number, uses: number) => `${used} of ${uses} used`,
    ends: (when: string) => `Ends ${when}`,
    ended: (when: string) => `Ended ${when}`,
    forName: (name: string) => `For ${name}`,
    mailedTo: (address: string) => `Mailed to ${address}`,
    inGroups: (names: string) => `Groups: ${names}`,
    again: 'Send again',
    joined: 'Joined: ',
    joinedMore: (more: number) => ` and ${more} more`,
    joinedWith: (name: string) => `Joined with the invitation “${name}”`,
    joinedWithAny: 'Joined with an invitation',
    madeGroups: (names: string) => `Its accounts are in these groups: ${names}.`,
    withdraw: 'Withdraw',
    withdrawQuestion: (name: string) =>
      `Nobody can use “${name}” any more. Accounts that were made with it stay.`,
    spent: 'Used or over',
    who: 'Name or e-mail address',
    whoHint:
      'An address gets the link by mail, and counts as confirmed. With a name, you hand the link over yourself.',
    whoName: 'Name',
    groups: 'Groups',
    madeHidden: (base: string, folders: string) =>
      `The base folder of its accounts, ${base}, hides ${folders}: they will not see it. For another base folder, withdraw this invitation and make a new one.`,
    hidden: (base: string, folders: string) => `The base folder ${base} hides ${folders}`,
    whoNameHint: 'It helps you recognise the invitation. Only administrators see it.',
    more: 'More: number of accounts, user name, dates',
    username: 'User name',
    usernameHint: 'Leave it empty to let the user choose.',
    uses: 'Number of accounts',
    endsAt: 'The link ends on',
    endsAtHint: (days: number) => `At 0:00 UTC. Leave it empty for ${days} days.`,
    accountEndsAt: 'The account ends on',
    accountEndsAtHint: 'At 0:00 UTC. Leave both fields empty for no end.',
    accountDays: 'Or after this many days',
    create: 'Create invitation',

    madeTitle: (name: string) =>
      name === '' ? 'The invitation is ready' : `The invitation for ${name} is ready`,
    madeLead: 'Copy the link now, and send it in a way that you trust: it is not shown again.',
    madeLabel: 'Link',
    madeEnds: (when: string) => `It ends ${when}.`,
    madeDone: 'I have passed it on',
  },
  /** The actions of operators on a user. */
  adminJoining: {
    approve: 'Approve',
    reject: 'Reject',
    rejectQuestion: (name: string) => `The account ${name} is deleted.`,
    resetLink: 'Link for a new password',
    resetLinkLead:
      'Create a link with which the user chooses a new password. It works once, for 24 hours, and is reported to the user and all administrators. All sessions end when it is used.',
    resetLinkSubmit: 'Create the link',
    resetLinkFactor: 'The link also turns off two-step verification',
    resetLinkMade: 'The link is not shown again. Give it to the user now, in a way that you trust.',
    resetLinkLabel: (name: string) => `Link for ${name}`,
  },
}

type Own = typeof joiningEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
