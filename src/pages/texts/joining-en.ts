/** The pages of links, forgotten passwords and e-mail addresses. */
export const joiningEn = {
  forgottenTitle: 'Forgotten your password?',
  forgottenLead:
    'If an account has this name or address, and its address is confirmed, we mail a link there.',
  forgottenLink: 'Forgotten your password?',
  name: 'User name or e-mail address',
  forgottenSubmit: 'Send the link',
  backToSignIn: 'Back to sign-in',
  resetTitle: 'Choose a new password',
  resetLead: (name: string) =>
    `For the account ${name}. You are signed out everywhere, and sign in with the new password.`,
  resetFactorOff: 'Two-step verification is turned off as well.',
  resetSubmit: 'Save the password',
  confirmTitle: 'Confirm your e-mail address',
  confirmLead: (address: string) =>
    `${address} becomes the address of your account. You must be signed in to it.`,
  confirmSubmit: 'Confirm the address',
  signIn: 'Sign in',
  deadTitle: 'This link is not valid',
  deadLead: 'It was used, has ended, or was replaced. Ask for a new one.',
  emailTitle: 'E-mail address',
  emailLead:
    'With a confirmed address you can choose a new password when you have forgotten yours. Operators see it, and programs that you allow.',
  noMail: 'This site sends no mail, so an address cannot be entered. Ask its operator.',
  noEmail: 'No address',
  isVerified: 'Confirmed',
  isUnverified: 'Not confirmed. Open the link in the mail that we sent there.',
  email: 'E-mail address',
  emailHint: 'Leave it empty to remove the address.',
  emailSubmit: 'Save the address',
  send: 'Send the mail again',
  manage: 'Change',
}
