import type { CheckName, Protection } from './protection.ts'
import { counted, someAppPasswords, someKeys } from '../../web/kit/texts/counted.ts'

const closedAppPasswords = counted('1 app password is closed', '# app passwords are closed')
const closedKeys = counted('1 SSH key is closed', '# SSH keys are closed')

export const meEn = {
  overview: {
    endsAt: 'Your account ends',
    title: 'Overview',
    greeting: (name: string) => `Hello, ${name}`,
    name: 'User name',
    role: 'Role',
    roles: ['User', 'Guest', 'Administrator'],
    groups: 'Groups',
    basePath: 'Base folder',
    permissions: 'Your permissions',
    noPermissions: 'You can only browse files.',
    twoFactorOff: 'Two-step verification is off',
    twoFactorOffHint: 'A stolen password is enough to sign in as you.',
    twoFactorOn: 'Two-step verification is on',
    levels: {
      good: 'Your account is well protected',
      fair: 'Something needs your attention',
      weak: 'Your account has little protection',
    } satisfies Record<Protection['level'], string>,
    openQuestion: 'One question is open',
    score: (good: number, all: number) => `${good} of ${all} protections in place`,
    passkeyOnly: 'You sign in with a passkey',
    hasPasskey: 'You have a passkey',
    noPasskey: 'No passkey yet. Sign in with a fingerprint or your face',
    hasSpare: 'You have a second passkey in case one is lost',
    noSpare: 'Only one passkey. Add a second one in case it is lost',
    steps: {
      factor: 'Turn on two-step verification',
      codes: 'Get new recovery codes',
      passkey: 'Add a passkey',
      spare: 'Add a second passkey',
    } satisfies Record<CheckName, string>,
    latest: 'Latest activity',
    allActivity: 'All activity',
    rights: 'What your account may do',
  },
  security: {
    title: 'Security',
    lead: 'How you sign in, and what protects your sign-in.',
    passwordTitle: 'Password',
    passwordLead: 'A new password signs you out on all devices, including this one.',
    oldPassword: 'Current password',
    newPassword: 'New password',
    repeat: 'Repeat the new password',
    changePassword: 'Change password',
    twoFactorTitle: 'Two-step verification',
    twoFactorLead:
      'With two-step verification, a sign-in needs your password and a code from your phone.',
    on: 'On',
    off: 'Off',
    turnOn: 'Set up',
    move: 'Move to a new phone',
    turnOff: 'Turn off',
    appIsLast:
      'This site requires a second factor. To turn two-step verification off, add a passkey first.',
    turnOffLead: 'Your password alone then signs you in. You are signed out on your other devices.',
    codesLeft: (left: number, all: number) => `${left} of ${all} recovery codes left`,
    noCodes: 'You have no recovery codes',
    fewCodesHint:
      'Without a recovery code, only an administrator can help you after you lose your phone. Generate new codes.',
    newCodes: 'New recovery codes',
    newCodesLead: 'You get ten new codes, and the old ones stop working.',
    newCodesSubmit: 'Show new codes',
    closed: (appPasswords: number, keys: number) =>
      keys === 0
        ? closedAppPasswords(appPasswords)
        : appPasswords === 0
          ? closedKeys(keys)
          : `${someAppPasswords(appPasswords)} and ${someKeys(keys)} are closed`,
    closedLead:
      'This site requires a second factor of you. They were made with a password alone, so they open nothing until you keep them.',
    closedBadge: 'closed',
    keep: 'Keep them',
    keepQuestion:
      'Keep all of them? They work again at once, with the same passwords and keys. First delete those that you do not recognise.',
    missingTitle: 'This site requires a second factor',
    missingLead:
      'A password alone is not enough here. Add a passkey, or set up two-step verification. Then you can use the other pages.',
    factorTitle: 'One more step',
    factorLead:
      'This site requires more than a password, and you signed in with your password only. Show that it is you to continue.',
    factorSubmit: 'Continue',
  },
  check: {
    title: 'Secure your account',
    lead: 'Go from top to bottom, and take away what you do not recognise.',
    devices: 'Sign out other devices',
    password: 'Choose a new password',
    passwordLead:
      'It signs out all devices, this one too, and apps that you sign in to. Sign in with it, and this page goes on.',
    passwordChanged: (when: string) => `You chose a new password ${when}.`,
    open: (what: string) => `Check: ${what}`,
    known: counted('1 other device', '# other devices'),
    nothing: 'Nothing to check',
    nothingOf: (kinds: string) => `You have none of these: ${kinds}.`,
    end: 'That is all',
    endLead: 'Nothing else opens your account.',
    safe: 'All is safe',
  },
  remaining: {
    title: 'Your password was changed',
    lead: 'These can still use your account. Delete what you do not recognise.',
    hint: 'You are signed out on all devices. To delete something, sign in with the new password.',
    signIn: 'Sign in and check',
    andMore: (names: string, more: number) => `${names} and ${more} more`,
    channelOfOther: 'Only the user can delete it.',
    address: 'A link for a new password can be mailed there.',
  },
}

type Own = typeof meEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
