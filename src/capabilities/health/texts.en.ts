import { counted } from '../../web/kit/texts/counted.ts'

export const healthEn = {
  adminSite: {
    title: 'Status',
    lead: (site: string) => `How ${site} is doing.`,
    works: 'Everything works',
    fails: 'Something does not work',
    failsHint: 'The log of the service says why.',
    parts: {
      d1: 'Database',
      kv: 'Cache of the settings',
      hasher: 'Password check',
      migrations: 'Database tables',
    },
    problem: (part: string, problem: string) => `${part}: ${problem}`,
    answers: (part: string, milliseconds: number) => `${part}: ${milliseconds} ms`,
    silent: (part: string) => `${part}: does not work`,
    attention: 'Needs your attention',
    waiting: counted('1 person waits for your approval', '# people wait for your approval'),
    newEvents: 'Events in 30 days (about)',
    eventsPerDay: 'Events of the last 30 days, day by day',
    busiest: counted('About 1 event on the busiest day', 'About # events on the busiest day'),
    database: 'Size of the database',
    mebibytes: (size: string) => `${size} MiB`,
    changes: 'Latest changes',
    allEvents: 'All events',
  },
}

type Own = typeof healthEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
