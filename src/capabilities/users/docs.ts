import type { Example, Operations } from '../../../scripts/openapi/operation.ts'
import { keys, nothing, user, userDetails, users } from '../../../scripts/openapi/schemas.ts'
import {
  ALICE,
  badPage,
  LAPTOP,
  refusedUserList,
} from '../../../scripts/openapi/operations/examples.ts'

const ADMIN = { ...ALICE, id: 1, username: 'admin', role: 2 }
const GUEST = { ...ALICE, id: 2, username: 'guest', role: 1, disabled: true }
const given = 'the admin is signed in'

/** Examples for endpoints that take the id of a user. */
const badUserId = {
  'an id that is not a number': {
    given,
    query: { id: 'one' },
    answer: { refusal: 'idFormatInvalid' },
  },
  'an unknown user': { given, query: { id: '7' }, answer: { refusal: 'userNotFound' } },
} as const satisfies Record<string, Example>

export const adminUserOperations: Operations = {
  'GET /api/admin/user/list': {
    summary: 'List all users',
    schema: users,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { page: '1', per_page: '20' },
        answer: { data: { content: [ADMIN, GUEST, ALICE], total: 3 } },
      },
      'not an admin': { answer: { refusal: 'notAdmin' } },
      ...badPage,
    },
  },
  'GET /api/admin/user/get': {
    summary: 'Get one user',
    schema: user,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '3' }, answer: { data: ALICE } },
      'not an admin': { query: { id: '3' }, answer: { refusal: 'notAdmin' } },
      ...badUserId,
    },
  },
  'POST /api/admin/user/create': {
    summary: 'Create a user',
    description:
      'A user without a password cannot sign in. `{username}` in `base_path` becomes the name. Needs a fresh session of the admin.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        body: { username: 'bob', password: 'bob-Passw0rd', base_path: '/bob', permission: 256 },
        answer: { data: null },
      },
      'not an admin': { body: { username: 'bob' }, answer: { refusal: 'notAdmin' } },
      'a missing field': {
        given,
        body: {},
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'a second guest': {
        given,
        body: { username: 'bob', role: 1 },
        answer: { refusal: 'builtInNotCreated' },
      },
      'a taken name': {
        given,
        body: { username: 'Alice' },
        answer: { refusal: 'usernameTaken' },
      },
      'a name that another account had': {
        given: 'the admin is signed in, bob was deleted',
        body: { username: 'bob' },
        answer: { refusal: 'nameReserved' },
      },
    },
  },
  'POST /api/admin/user/update': {
    summary: 'Change a user',
    description:
      'Missing fields keep their value. `{username}` in `base_path` becomes the name. A new name, SSO id or password needs a fresh session of the admin, and so do enabling the user, disabling an admin, a permission bit that was not set, and a base path that is not inside the old one. A new password, or disabling the user, ends every session of the user. Another `sso_id` unlinks the accounts at identity providers that it does not name; an empty one unlinks all.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { id: 3, permission: 768 }, answer: { data: null } },
      'not an admin': { body: { id: 3 }, answer: { refusal: 'notAdmin' } },
      'a missing field': {
        given,
        body: {},
        answer: { refusal: 'invalidBody', fill: 'id is required' },
      },
      'an unknown user': { given, body: { id: 7 }, answer: { refusal: 'userNotFound' } },
      'another role': { given, body: { id: 3, role: 2 }, answer: { refusal: 'roleFixed' } },
      'the last admin': {
        given,
        body: { id: 1, disabled: true },
        answer: { refusal: 'adminNotDisabled' },
      },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        body: { id: 3, password: 'bob-Passw0rd' },
        answer: { refusal: 'confirmationNeeded' },
      },
      'a password for the guest': {
        given,
        body: { id: 2, password: 'guest-Passw0rd' },
        answer: { refusal: 'guestHasNoPassword' },
      },
      'a taken name': {
        given,
        body: { id: 3, username: 'Admin' },
        answer: { refusal: 'usernameTaken' },
      },
      'a name that another account had': {
        given: 'the admin is signed in, bob was deleted',
        body: { id: 3, username: 'bob' },
        answer: { refusal: 'nameReserved' },
      },
    },
  },
  'POST /api/admin/user/delete': {
    summary: 'Delete a user with all keys and sessions',
    description: 'Needs a fresh session of the admin.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '3' }, answer: { data: null } },
      'not an admin': { query: { id: '3' }, answer: { refusal: 'notAdmin' } },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        query: { id: '3' },
        answer: { refusal: 'confirmationNeeded' },
      },
      ...badUserId,
      'the last admin': { given, query: { id: '1' }, answer: { refusal: 'builtInNotDeleted' } },
    },
  },
  'POST /api/admin/user/cancel_2fa': {
    summary: 'Turn off the two-step verification of a user',
    description:
      'For a user who has lost the authenticator. Ends every session of the user, but for the session of an admin who turns off their own, and everything that apps got. `passkeys=true` deletes the passkeys of the user too. Needs a fresh session of the admin.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '3' }, answer: { data: null } },
      'with the passkeys': {
        given: 'the admin is signed in, alice has the passkey "phone"',
        query: { id: '3', passkeys: 'true' },
        answer: { data: null },
      },
      'not an admin': { query: { id: '3' }, answer: { refusal: 'notAdmin' } },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        query: { id: '3' },
        answer: { refusal: 'confirmationNeeded' },
      },
      'the own last second factor of an admin who needs one': {
        given: 'the site demands a second factor, the admin has only an authenticator app',
        query: { id: '1' },
        answer: { refusal: 'lastFactor' },
      },
      ...badUserId,
    },
  },
  'GET /api/admin/user/details': {
    summary: 'Get the e-mail address and the end of a user',
    schema: userDetails,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { id: '3' },
        answer: {
          data: {
            id: 3,
            username: 'alice',
            email: '',
            email_verified: false,
            ends_at: null,
            waiting: false,
          },
        },
      },
      'an unknown user': {
        given,
        query: { id: '9' },
        answer: { refusal: 'userNotFound' },
      },
      'not an admin': { query: { id: '3' }, answer: { refusal: 'notAdmin' } },
    },
  },
  'POST /api/admin/user/details': {
    summary: 'Change the e-mail address or the end of a user',
    description:
      'Another address, a later end and no end need a fresh session. From `ends_at` on, the account counts as disabled; null removes the end. A missing field stays. An administrator can not declare an address verified.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        body: { id: 3, ends_at: '2027-01-01T00:00:00Z', email: 'alice@example.org' },
        answer: { data: null },
      },
      'an admin': {
        given,
        body: { id: 1, ends_at: '2027-01-01T00:00:00Z' },
        answer: { refusal: 'adminHasNoEnd' },
      },
      'the guest': {
        given,
        body: { id: 2, ends_at: '2027-01-01T00:00:00Z' },
        answer: { refusal: 'guestHasNoEnd' },
      },
      'an address of the guest': {
        given,
        body: { id: 2, email: 'guest@example.org' },
        answer: { refusal: 'guestHasNoAddress' },
      },
      'an unknown user': {
        given,
        body: { id: 9, ends_at: null },
        answer: { refusal: 'userNotFound' },
      },
      'not an admin': { body: { id: 3 }, answer: { refusal: 'notAdmin' } },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        body: { id: 3, email: 'alice@example.org' },
        answer: { refusal: 'confirmationNeeded' },
      },
    },
  },
  'POST /api/admin/user/del_cache': {
    summary: 'Clear the cache of a user',
    description: 'Does nothing, because users are not cached. OpenList has this endpoint.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { username: 'alice' }, answer: { data: null } },
      'not an admin': { query: { username: 'alice' }, answer: { refusal: 'notAdmin' } },
    },
  },
  'GET /api/admin/user/sshkey/list': {
    summary: 'List the SSH keys of a user',
    schema: keys,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, alice has the key "laptop"',
        query: { uid: '3' },
        answer: { data: { content: [LAPTOP], total: 1 } },
      },
      ...refusedUserList(given),
    },
  },
  'POST /api/admin/user/sshkey/delete': {
    summary: 'Delete an SSH key of a user',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, alice has the key "laptop"',
        query: { id: '1', uid: '3' },
        answer: { data: null },
      },
      'not an admin': { query: { id: '1' }, answer: { refusal: 'notAdmin' } },
      'an id that is not a number': {
        given,
        query: { id: 'one' },
        answer: { refusal: 'idFormatInvalid' },
      },
      'an unknown key': { given, query: { id: '7' }, answer: { refusal: 'keyNotFound' } },
    },
  },
}
