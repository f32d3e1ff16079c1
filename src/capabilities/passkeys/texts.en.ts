export const passkeysEn = {
  passkeys: {
    title: 'Passkeys',
    lead: 'A passkey signs you in with your fingerprint, your face or the PIN of your device. It replaces password and code, and a fake site cannot use it.',
    add: 'Add a passkey',
    rename: 'Rename',
    renameSubmit: 'Save name',
    delete: 'Delete',
    deleteQuestion: (name: string) =>
      `Delete “${name}”? It can no longer be used to sign in, and the sessions that began with it end.`,
    passwordLeft:
      ' It is your only passkey, and two-step verification is off: then your password alone signs you in.',
    codesLeft:
      ' It is your only passkey: then you sign in with your password and a code from your authenticator app.',
    isLast:
      'This site requires a second factor. To delete this passkey, add another one or turn on two-step verification first.',
    deleteSubmit: 'Delete passkey',
    survive: 'Passkeys stay when you change your password. Delete those that you do not recognise.',
    added: (when: string) => `Added ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    neverUsed: 'Never used',
    synced: 'Synced',
    thisDevice: 'This device only',
    onlyAt: (host: string) => `Works only at ${host}`,
    cloned: (when: string) =>
      `Refused ${when}: a copy of this passkey seems to exist. Delete it if you do not know why.`,
    addTitle: 'Add a passkey',
    name: 'Name',
    nameHint: 'A name that identifies the passkey, such as “phone” or “password manager”.',
    create: 'Create passkey',
    continue: 'Continue',
    back: 'Back to Security',
    needsScript: 'Passkeys need JavaScript and a current browser.',
    nudge: 'Sign in without a password',
    nudgeHint:
      'This device can keep a passkey. Next time, sign in with a fingerprint or your face.',
    nudgeClose: 'Not now',
    none: 'No passkeys.',
  },
}

type Own = typeof passkeysEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
