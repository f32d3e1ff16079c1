import type { Example, Given } from '../operation.ts'

/** The user of the examples, as answers show her. */
export const ALICE = {
  id: 3,
  username: 'alice',
  password: '',
  base_path: '/',
  role: 0,
  disabled: false,
  permission: 0,
  sso_id: '',
  otp: false,
}

export const KEY_LINE =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
export const FINGERPRINT = 'SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA'

/** The key "laptop", as lists show it. */
export const LAPTOP = {
  id: 1,
  title: 'laptop',
  fingerprint: FINGERPRINT,
  added_time: '2026-11-21T09:15:06.565+00:00',
  last_used_time: '2026-11-21T09:15:06.565+00:00',
}

export const badPage = {
  'a page that is not a number': {
    query: { page: 'two' },
    answer: { refusal: 'invalidBody', fill: 'page must be an integer' },
  },
} as const satisfies Record<string, Example>

/** The refusals of a list of what a user has, which an operator reads. */
export function refusedUserList(given: Given) {
  return {
    'not an admin': { query: { uid: '3' }, answer: { refusal: 'notAdmin' } },
    'an id that is not a number': {
      given,
      query: { uid: 'one' },
      answer: { refusal: 'userIdFormatInvalid' },
    },
    'an unknown user': { given, query: { uid: '7' }, answer: { refusal: 'userNotFound' } },
  } as const satisfies Record<string, Example>
}
