export const signInEn = {
  signIn: {
    title: 'Sign in',
    lead: (host: string) => `Use your account at ${host}.`,
    leadToFiles: (host: string) => `Use your account at ${host} to open the files.`,
    or: 'or',
    paused: 'Sign-in is paused',
    /** `#` is a time such as “in 4 minutes”. */
    pausedFor: 'Too many failed attempts. Try again #.',
    lost: 'Lost your password or your phone?',
    lostPassword: (site: string) =>
      `An administrator of ${site} can give you a new password. Nobody can tell you the old one.`,
    lostPhone: 'Without the phone, enter a recovery code in place of the code.',
    username: 'User name',
    password: 'Password',
    submit: 'Sign in',
    codeTitle: 'Two-step verification',
    codeLead: (name: string) => `One more step for ${name}.`,
    code: 'Code',
    codeHint: 'Six digits from your authenticator app. Lost your phone? Enter a recovery code.',
    waitingTitle: 'Your account is waiting for approval',
    waitingLead: (site: string) =>
      `An administrator of ${site} will look at it. You can sign in once it is approved.`,
    letIn: (site: string) =>
      `An administrator of ${site} can let you in at once. When the wait is over, this page leads to the sign-in.`,
    lostPhoneSubmit: 'Sign in and set up a new phone',
    noCode: 'Trouble with the code?',
    codeLate:
      'The app shows a new code every 30 seconds, and each works once. If every code is refused, let the phone set its clock automatically.',
    lostCodes: (site: string) =>
      `Without the phone and the recovery codes, ask an administrator of ${site} to turn two-step verification off.`,
    codeSubmit: 'Verify',
    startOver: 'Sign in as another user',
    asGuest: 'Continue without signing in',
    continue: 'Continue to your account',
    passkey: 'Sign in with a passkey',
    to: (site: string) => `Sign in to ${site}`,
  },
}

type Own = typeof signInEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
