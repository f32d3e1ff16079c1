import type { ListedMethod } from '../../core/access/sign-in-methods.ts'

/** How a session was made. */
const sessionMethods: Record<ListedMethod, string> = {
  pwd: 'password',
  otp: 'code',
  recovery: 'recovery code',
  passkey: 'passkey',
  sso: 'linked account',
  mfa: 'its second factor',
}

export const sessionsEn = {
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
    endAll: (devices: number) => `Sign out everywhere else (${devices})`,
    endOthersQuestion: 'You are signed out on all other devices. App passwords stay valid.',
    onlyThis: 'You are not signed in anywhere else.',
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
    unknownBrowser: 'Unknown app',
    methods: sessionMethods,
    madeWith: (methods: string) => `With ${methods}`,
    and: ' and ',
    newNetwork: 'New network',
    wasItYou: 'Was it you?',
    newSignIn: (place: string, when: string) => `A sign-in from a new network: ${place}, ${when}.`,
    wasMe: 'Yes, that was me',
    notMe: 'No, secure my account',
    unknownDevice: 'You do not recognise a device? Secure your account',
    afterEnd: 'Was it somebody else?',
    afterEndHint: 'Then change your password, and check what else opens your account.',
    secure: 'Secure your account',
    endEverything: 'Sign out everywhere and delete app passwords',
    endEverythingQuestion:
      'You are signed out on all devices, including this one, and no app can use your app passwords any more. Do this when somebody else may have had access. Your SSH keys stay: check them too.',
  },
}

type Own = typeof sessionsEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
