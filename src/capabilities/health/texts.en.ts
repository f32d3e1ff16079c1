import { counted } from '../../web/kit/texts/counted.ts'

export const healthEn = {
  adminSite: {
    title: 'Status',
    lead: (site: string) => `How ${site} is doing.`,
    works: 'Everything works.',
    othersWork: 'Everything else works.',
    fails: 'Something does not work.',
    /** The parts that work. */
    working: (parts: string) => (parts === '' ? '' : `Working: ${parts}.`),
    failsHint: 'The log of the service says why.',
    parts: {
      d1: 'Database',
      kv: 'Cache of the settings',
      hasher: 'Password check',
      migrations: 'Version of the database',
    },
    problem: (part: string, problem: string) => `${part}: ${problem}`,
    silent: (part: string) => `${part}: does not work`,
    attention: 'Needs your attention',
    noAttention: 'Nothing to do',
    review: 'Review',
    waiting: counted('1 person waits for your approval', '# people wait for your approval'),
    signInsByDay: 'Sign-ins by day',
    signIns: 'Sign-ins',
    refused: 'Refused',
    ofDay: (day: string, signIns: number, refused: number) =>
      `${day}: ${counted('1 sign-in', '# sign-ins')(signIns)}, ${refused} refused`,
    checklist: 'Set up this site',
    hideChecklist: 'Hide this list',
    steps: {
      factor: {
        title: 'Protect your account with a second factor',
        hint: 'A passkey, or the code of an app.',
      },
      title: { title: 'Name the site', hint: 'People see the name when they sign in.' },
      files: {
        title: 'Connect the file server',
        hint: 'Where the service runs: `docs/files.md` says how.',
      },
      people: {
        title: 'Invite people, or move in',
        hint: '`latchkey import` takes over the accounts of OpenList.',
      },
      mail: {
        title: 'Let the site send mail',
        hint: 'For invitations and forgotten passwords: `docs/people.md` says how.',
      },
      backup: {
        title: 'Make a backup',
        hint: '`latchkey backup` writes one. Keep it elsewhere, and the file `.dev.vars` too.',
      },
    },
    changes: 'Latest changes',
    allEvents: 'All events',
  },
}

type Own = typeof healthEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
