import * as v from 'valibot'
import type { Operations } from '../../../../scripts/openapi/operation.ts'
import { nothing } from '../../../../scripts/openapi/schemas.ts'
import { FINGERPRINT, KEY_LINE } from '../../../../scripts/openapi/operations/examples.ts'

const given = 'a server has a service token, alice has the key "laptop" and may use SFTP'
const line = KEY_LINE.split(' ', 2).join(' ')
const use = { username: 'alice', fingerprint: FINGERPRINT, address: '192.0.2.1' }
const offer = { username: 'alice', public_key: KEY_LINE, protocol: 'SSH', ip: '192.0.2.1' }

const keyAnswer = {
  status: 1,
  username: 'alice',
  permissions: { '/': ['*'] },
  filters: {
    denied_login_methods: [
      'keyboard-interactive',
      'publickey+keyboard-interactive',
      'publickey+password',
    ],
  },
}

/** The endpoints for SFTP servers; the code of an answer is its HTTP status too. */
export const sftpOperations: Operations = {
  'GET /api/sftp/authorized_keys': {
    summary: 'Get the lines for `AuthorizedKeysCommand` of sshd',
    description:
      'The answer is empty for a user who is unknown or disabled, or has no permission or no keys. Scope: sftp:keys.',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'text/plain',
    schema: v.string(),
    examples: {
      success: {
        given,
        query: { username: 'alice', fingerprint: FINGERPRINT },
        answer: { raw: `restrict,command="internal-sftp" ${line}\n` },
      },
      'no username': {
        given,
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'the token of a session': {
        given: 'alice is signed in',
        query: { username: 'alice' },
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
  'POST /api/sftp/used': {
    summary: 'Report that a key signed a user in',
    description: 'Scope: sftp:keys.',
    security: 'serviceToken',
    needs: ['database'],
    schema: nothing,
    examples: {
      success: { given, body: use, answer: { data: null } },
      'no username': {
        given,
        body: { fingerprint: FINGERPRINT },
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'the token of a session': {
        given: 'alice is signed in',
        body: use,
        answer: { refusal: 'wrongServiceToken' },
      },
      'an unknown key': {
        given,
        body: { ...use, fingerprint: 'SHA256:unknown' },
        answer: { refusal: 'keyNotFound' },
      },
    },
  },
  'POST /api/sftp/external_auth': {
    summary: 'Answer the external authentication hook of SFTPGo',
    description:
      'An empty `username` is a refusal; the answer never gives the reason. Scope: sftp:keys with a `public_key`, otherwise sftp:passwords. `password` may be an app password of the user, also with two-step verification on; then SFTPGo may not reuse the answer. After a password, SFTPGo may reuse the answer for `external_auth_cache_time` seconds. The time is 0 for a user whose rights differ between protocols.',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'application/json',
    schema: v.union([
      v.strictObject({ username: v.literal('') }),
      v.strictObject({
        status: v.literal(1),
        username: v.string(),
        permissions: v.strictObject({ '/': v.array(v.picklist(['list', 'download', '*'])) }),
        public_keys: v.optional(v.array(v.string())),
        filters: v.strictObject({
          denied_login_methods: v.array(v.string()),
          denied_protocols: v.optional(v.array(v.picklist(['SSH', 'FTP', 'DAV', 'HTTP']))),
          external_auth_cache_time: v.optional(v.picklist([0, 60])),
        }),
      }),
    ]),
    examples: {
      success: {
        given,
        body: offer,
        answer: { raw: keyAnswer },
      },
      'a password': {
        given,
        body: { ...offer, public_key: '', password: 'alice-Passw0rd' },
        answer: {
          raw: {
            ...keyAnswer,
            public_keys: [line],
            filters: {
              ...keyAnswer.filters,
              denied_protocols: ['DAV', 'HTTP'],
              external_auth_cache_time: 60,
            },
          },
        },
      },
      'a refusal': {
        given,
        body: { ...offer, username: 'bob' },
        answer: { raw: { username: '' } },
      },
      'a mistyped field': {
        given,
        body: { ...offer, username: 7 },
        answer: { refusal: 'invalidBody', fill: 'username must be a string' },
      },
      'the token of a session': {
        given: 'alice is signed in',
        body: offer,
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
  'POST /api/sftp/post_login': {
    summary: 'Answer the post-login hook of SFTPGo (`post_login_scope` 2)',
    description:
      'Records the use of `public_keys[0]` when `login_method` is `publickey` and `status` is 1, and nothing otherwise. While SFTPGo reuses an answer with several keys that it got for a password, it does not say which key was used, so nothing is recorded. Scope: sftp:keys.',
    security: 'serviceToken',
    needs: ['database'],
    schema: nothing,
    examples: {
      success: {
        given,
        query: { login_method: 'publickey', status: '1', ip: '192.0.2.1' },
        body: { username: 'alice', public_keys: [KEY_LINE] },
        answer: { data: null },
      },
      'a password': {
        given,
        query: { login_method: 'password-over-SSH', status: '1', ip: '192.0.2.1' },
        body: { username: 'alice', public_keys: [KEY_LINE] },
        answer: { data: null },
      },
      'no username': {
        given,
        body: { public_keys: [KEY_LINE] },
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'the token of a session': {
        given: 'alice is signed in',
        query: { login_method: 'publickey', status: '1', ip: '192.0.2.1' },
        body: { username: 'alice', public_keys: [KEY_LINE] },
        answer: { refusal: 'wrongServiceToken' },
      },
      'an unknown key': {
        given,
        query: { login_method: 'publickey', status: '1', ip: '192.0.2.1' },
        body: { username: 'alice', public_keys: ['ssh-ed25519 AAAA'] },
        answer: { refusal: 'keyNotFound' },
      },
    },
  },
}
