import type { SsoProblem } from './check.ts'
import type { LinkedBy } from '../../core/access/identities.ts'

/** The identity providers whose names are written in another way than in the setting. */
export const ssoEn = {
  sso: {
    submit: (provider: string) => `Sign in with ${provider}`,
    factorTitle: 'One more step',
    factorLead: (name: string, provider: string) =>
      `${provider} has confirmed you. Now confirm that you are ${name}, with a code or a passkey.`,
    linkTitle: 'Link an account',
    linkLead: (account: string, provider: string) =>
      `No user here is linked with the ${provider} account “${account}”.`,
    linkHint:
      'If you have an account here, sign in to it once. The two accounts are then linked, and either one signs you in.',
    linkSubmit: 'Sign in and link',
    doneTitle: 'You are signed in',
    doneLead: 'This window closes by itself.',
    boundTitle: 'The account is confirmed',
    noOpener:
      'This window has lost the page that opened it. Close it and start again. If it happens again, ask an administrator.',
    failedTitle: 'Signing in did not work',
    title: 'Linked accounts',
    lead: 'Accounts at another service that sign you in here, without the password of this site.',
    none: 'No account is linked.',
    link: (provider: string) => `Link your ${provider} account`,
    linkAnother: (provider: string) => `Link another ${provider} account`,
    linkQuestion: 'You are sent to the provider and come back when you have signed in there.',
    linkContinue: 'Continue to the provider',
    unlink: 'Unlink',
    unlinkQuestion: (account: string) =>
      `Unlink “${account}”? It can no longer be used to sign in, and the sessions that began with it end.`,
    unlinkSubmit: 'Unlink account',
    unnamed: 'Account without a name',
    linkedBy: {
      user: (when: string) => `Linked by you ${when}`,
      registration: (when: string) => `Linked ${when}, when this account was created`,
      import: (when: string) => `Linked ${when}, when this account was moved here`,
    } satisfies Record<LinkedBy, (when: string) => string>,
    linkedByOwner: (when: string) => `Linked by the user ${when}`,
    lastWayIn:
      'It is the only way in: the user has no password and no passkey, and cannot sign in again until you set a password.',
    subject: 'ID at the provider',
    redirectUris: 'Redirect URIs',
    redirectUrisLead: 'Register these addresses at the provider, exactly as they stand here.',
    check: 'Check',
    checkLead:
      'Tests the saved settings: does the provider answer, and does it accept the client ID and the client secret?',
    checkSubmit: 'Test the connection',
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
}

type Own = typeof ssoEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
