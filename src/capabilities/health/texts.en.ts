import { type FileServerProblem, OLDEST_OPENLIST } from '../files/state.ts'
import type { checkParts } from './health.ts'
import { counted } from '../../web/kit/texts/counted.ts'

type SiteParts = Awaited<ReturnType<typeof checkParts>>

export const healthEn = {
  adminSite: {
    title: 'State of the site',
    lead: (site: string) => `How ${site} is doing.`,
    works: 'Everything works',
    fails: 'Something does not work',
    failsHint: 'The log of the service says why.',
    parts: {
      d1: 'Database',
      kv: 'Cache of the settings',
      hasher: 'Password check',
      migrations: 'Database tables',
      files: 'File server (OpenList)',
    } satisfies Record<keyof SiteParts, string>,
    filesProblem: (part: string, problem: string) => `${part}: ${problem}`,
    filesProblems: {
      not_set_up: 'is not set up. The log says which FILES_ setting is missing or wrong.',
      no_answer: 'does not answer. Start it, and compare FILES_ORIGIN with its address.',
      slow: 'takes longer than two seconds to answer. Look at the load of its machine.',
      no_openlist: 'gives no answer of OpenList. Compare FILES_ORIGIN with its address.',
      wrong_token: 'refuses FILES_TOKEN. Copy the setting Token of OpenList into FILES_TOKEN.',
      empty_token:
        'has an empty token, so all its visitors are its admin. Reset the token there, and copy it into FILES_TOKEN.',
      old: `is older than ${OLDEST_OPENLIST}. Update it.`,
    } satisfies Record<FileServerProblem, string>,
    links: {
      open: 'Files open to everybody who knows their path',
      refused: 'Links to files are refused, because OpenList does not sign them',
    },
    signAll: 'Turn on “Sign all” in the settings of OpenList, on the page “Global”.',
    answers: (part: string, milliseconds: number) => `${part}: ${milliseconds} ms`,
    silent: (part: string) => `${part}: does not work`,
    attention: 'Needs your attention',
    waiting: counted('1 person waits for your approval', '# people wait for your approval'),
    failing: (when: string) => `The last notice was not delivered, ${when}`,
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
