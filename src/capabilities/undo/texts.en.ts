/** The texts of undoing a deletion. */
export const undoEn = {
  undo: {
    undo: 'Undo',
    title: 'Undo the deletion',
    lead: (name: string) => `This brings back “${name}”, as it was.`,
    ends: (when: string) => `This ends ${when}.`,
    stays: 'Sessions that ended, and what apps had, do not come back.',
    submit: 'Bring it back',
  },
}

type Own = typeof undoEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
