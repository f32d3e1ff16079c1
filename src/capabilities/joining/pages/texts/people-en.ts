import type { LinkState } from '../../links.ts'

/** The invitations, for operators. */
export const adminInvitationsEn = {
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

  linkPart: 'The link',
  accountPart: 'The account that it makes',
  note: 'Note',
  noteHint: 'It helps you recognise the invitation. Only administrators see it.',
  email: 'Mail it to',
  emailHint:
    'The site mails the link to this address, which then counts as confirmed. Leave it empty to hand the link over yourself.',
  username: 'User name',
  usernameHint: 'Leave it empty to let the user choose.',
  uses: 'Number of accounts',
  endsAt: 'The link ends on',
  endsAtHint: 'At 0:00 UTC. Leave it empty for 7 days.',
  basePathHint:
    'The user sees only the files in this folder. {username} becomes the user name; / is all files.',
  accountEndsAt: 'The account ends on',
  accountEndsAtHint: 'At 0:00 UTC. Leave both fields empty for no end.',
  accountDays: 'Or after this many days',
  create: 'Make invitation',

  madeTitle: 'Your invitation',
  madeLead: 'Copy the link now, and send it in a way that you trust: it is not shown again.',
  madeLabel: 'Link',
  madeEnds: (when: string) => `It ends ${when}.`,
  madeDone: 'I have passed it on',
}

/** Confirm what an operator did with people. */
export const peopleNoticesEn = {
  'invitation-mailed': 'The invitation is on its way.',
  'invitation-withdrawn': 'The invitation was withdrawn.',
}
