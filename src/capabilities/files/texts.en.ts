import { type FileServerProblem, OLDEST_OPENLIST } from './state.ts'
export const filesEn = {
  files: {
    open: 'Open your files',
    openHint: 'In the web client, with this sign-in.',
    manage: 'Manage the files',
    setThere: 'Lists, search, previews and search engines are set at the file server.',
    again: 'Try again',
    arrivalTitle: 'Signing you in',
    arrivalFailed: 'Could not sign you in',
    arrivalScript: 'This page needs JavaScript.',
    server: 'File server (OpenList)',
    problems: {
      not_set_up: 'is not set up. The log says which FILES_ setting is missing or wrong.',
      no_answer: 'does not answer. Start it, and compare FILES_ORIGIN with its address.',
      slow: 'takes longer than two seconds to answer. Look at the load of its machine.',
      no_openlist: 'gives no answer of OpenList. Compare FILES_ORIGIN with its address.',
      wrong_token:
        'refuses FILES_TOKEN. Copy the setting Token of OpenList into FILES_TOKEN. A container that has OPENLIST_DATA reads it again when it is restarted.',
      empty_token:
        'has an empty token, so all its visitors are its admin. Reset the token there, and copy it into FILES_TOKEN.',
      old: `is older than ${OLDEST_OPENLIST}. Update it.`,
    } satisfies Record<FileServerProblem, string>,
    links: {
      open: 'Files open to everybody who knows their path',
      refused: 'Links to files are refused, because OpenList does not sign them',
    },
    signAll: 'Turn on “Sign all” in the settings of OpenList, on the page “Global”.',
  },
}

type Own = typeof filesEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
