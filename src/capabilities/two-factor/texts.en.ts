export const twoFactorEn = {
  enrolment: {
    title: 'Set up two-step verification',
    scan: 'Add your account to an authenticator app',
    apps: 'Scan the image with the app. Any of them works: Aegis, 2FAS, Google Authenticator, Microsoft Authenticator, or your password manager.',
    qr: 'QR code for your authenticator app',
    onThisPhone: 'Is the app on this device?',
    byHand: 'If you cannot scan, enter this setup key in the app:',
    openApp: 'Open the app',
    confirm: 'Enter the six digits that the app shows',
    hint: 'When you confirm, you are signed out on your other devices.',
    code: 'Code',
    submit: 'Turn on',
  },
  phone: {
    title: 'Move to a new phone',
    lead: 'Your account moves to the authenticator app on the new phone. When you have finished, the old phone and the old recovery codes stop working.',
    first: 'Show that it is you',
    firstCode: 'Enter a code from the old phone or, if it is lost, a recovery code.',
    firstRecovered: 'You have just signed in with a recovery code. Nothing more is needed.',
    second: 'Scan a QR code with the new phone',
    third: 'Keep the new recovery codes',
    submit: 'Continue',
    lostTitle: 'Have you lost your phone?',
    lost: 'Set up a new one now. When you have finished, the old phone and the old recovery codes stop working, and you get new codes. If you still have the phone, you can ignore this.',
    lostSubmit: 'Set up a new phone',
    finish: 'Use the new phone',
    halfway:
      'Until you finish this page, nothing changes: the old phone still works, and so do the old recovery codes.',
  },
  recovery: {
    title: 'Recovery codes',
    lead: 'If you lose your phone, each code signs you in once. They are not shown again.',
    codes: 'Your recovery codes',
    keep: 'Keep them where you find them without your phone: in a password manager, or on paper.',
    download: 'Download',
    fileTitle: (name: string, site: string, date: string) =>
      `Recovery codes of ${name} for ${site}, ${date}`,
    fileHint: 'Each code signs you in once.',
    done: 'I have saved the codes',
  },
}

type Own = typeof twoFactorEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
