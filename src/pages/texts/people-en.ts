import type { LinkState } from '../../joining/links.ts'

/** The invitations, for operators. */
export const adminInvitationsEn = {
  title: 'Invitations',
  lead: 'Links with which people make their own accounts.',
  add: 'New invitation',
  none: 'No invitations',
  noneHint: 'An invitation is a link. With it, somebody chooses a password, and has an account.',
  unnamed: (id: number) => `Invitation ${id}`,
  states: { live: 'Valid', used: 'Used', ended: 'No longer valid' } satisfies Record<
    LinkState,
    string
  >,
  used: (used: number, uses: number) => `${used} of ${uses} used`,
  ends: (when: string) => `Ends ${when}`,
  ended: (when: string) => `Ended ${when}`,
  made: (when: string) => `Made ${when}`,
  madeBy: (name: string) => `by ${name}`,
  forName: (name: string) => `for ${name}`,
  mailedTo: (address: string) => `Mailed to ${address}`,
  withdraw: 'Withdraw',
  withdrawQuestion: (name: string) =>
    `Nobody can use “${name}” any more. Accounts that were made with it stay.`,
  newer: 'Newer',
  older: 'Older',
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,

  note: 'Note',
  noteHint: 'Only administrators see it. It stands in the event of each account.',
  email: 'Mail it to',
  emailHint:
    'The site mails the link to this address, and the account has the address confirmed. Without one, you get the link and hand it over.',
  username: 'User name',
  usernameHint: 'Without one, the user chooses.',
  uses: 'Number of accounts',
  endsAt: 'The link ends on',
  endsAtHint: 'At 0:00 UTC. Without a date, it ends in 7 days.',
  basePathHint: '{username} becomes the user name, such as in /homes/{username}.',
  accountEndsAt: 'The account ends on',
  accountEndsAtHint: 'At 0:00 UTC. Without a date, it has no end.',
  accountDays: 'or after so many days',
  create: 'Make invitation',

  madeTitle: 'The invitation',
  madeLead: 'The link is not shown again. Hand it over over a channel that you trust.',
  madeLabel: 'Link',
  madeEnds: (when: string) => `It ends ${when}.`,
  madeDone: 'I have passed it on',
}

/** Confirm what an operator did with people. */
export const peopleNoticesEn = {
  'invitation-mailed': 'The invitation is on its way.',
  'invitation-withdrawn': 'The invitation was withdrawn.',
}
