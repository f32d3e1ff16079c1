import type { Operations } from '../../../../scripts/openapi/operation.ts'
import { keys, nothing } from '../../../../scripts/openapi/schemas.ts'
import { badPage, KEY_LINE, LAPTOP } from '../../../../scripts/openapi/operations/examples.ts'

export const sshKeyOperations: Operations = {
  'GET /api/me/sshkey/list': {
    summary: 'List the SSH keys of the user, ordered by id',
    description: '`page` starts at 1. Without `per_page`, the list is complete.',
    schema: keys,
    guest: 'guestKeys',
    examples: {
      success: {
        given: 'alice has the key "laptop"',
        query: { page: '1', per_page: '20' },
        answer: { data: { content: [LAPTOP], total: 1 } },
      },
      ...badPage,
    },
  },
  'POST /api/me/sshkey/add': {
    summary: 'Add an SSH key',
    description:
      'Needs a fresh session. Accepts Ed25519, ECDSA P-256, P-384 and P-521, both types of security keys (sk-…), and RSA of 2048 to 8192 bits. A weak key is refused with the reason. A user can have at most 100 keys.',
    schema: nothing,
    guest: 'guestKeys',
    examples: {
      success: { body: { title: 'laptop', key: KEY_LINE }, answer: { data: null } },
      'a missing field': { body: { title: 'laptop' }, answer: { refusal: 'requestInvalid' } },
      'no key': {
        body: { title: 'laptop', key: 'hello' },
        answer: { refusal: 'keyInvalid', fill: 'it must begin with its type, such as ssh-ed25519' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: { title: 'laptop', key: KEY_LINE },
        answer: { refusal: 'confirmationNeeded' },
      },
      'a taken title': {
        given: 'alice has the key "laptop"',
        body: { title: 'laptop', key: KEY_LINE },
        answer: { refusal: 'titleTaken' },
      },
      'a duplicate key': {
        given: 'alice has the key "laptop"',
        body: { title: 'desk', key: KEY_LINE },
        answer: { refusal: 'keyTaken', fill: 'laptop' },
      },
      'too many keys': {
        given: 'alice has 100 keys',
        body: { title: 'laptop', key: KEY_LINE },
        answer: { refusal: 'tooManyKeys', fill: '100' },
      },
      'too many changes': {
        given: 'alice has made 200 changes',
        body: { title: 'laptop', key: KEY_LINE },
        answer: { refusal: 'tooManyChanges', fill: '3600' },
      },
    },
  },
  'POST /api/me/sshkey/delete': {
    summary: 'Delete an SSH key',
    schema: nothing,
    guest: 'guestKeys',
    examples: {
      success: {
        given: 'alice has the key "laptop"',
        query: { id: '1' },
        answer: { data: null },
      },
      'an id that is not a number': {
        query: { id: 'one' },
        answer: { refusal: 'idFormatInvalid' },
      },
      'an unknown key': { query: { id: '7' }, answer: { refusal: 'keyNotFound' } },
    },
  },
}
