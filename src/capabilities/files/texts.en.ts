export const filesEn = {
  files: {
    open: 'Open your files',
    openHint: 'In the web client, with this sign-in.',
    manage: 'Manage the files',
    again: 'Try again',
    arrivalTitle: 'Signing you in',
    arrivalFailed: 'Could not sign you in',
    arrivalScript: 'This page needs JavaScript.',
  },
}

type Own = typeof filesEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
