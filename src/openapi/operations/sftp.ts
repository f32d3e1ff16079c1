import * as v from 'valibot'
import type { Operations } from '../operation.ts'
import { nothing } from '../schemas.ts'
import { FINGERPRINT, KEY_LINE } from './examples.ts'

const given = 'a server has a service token, alice has the key "laptop" and may use SFTP'
const line = KEY_LINE.split(' ', 2).join(' ')
const use = { username: 'alice', fingerprint: FINGERPRINT, address: '192.0.2.1' }
const offer = { username: 'alice', public_key: KEY_LINE, protocol: 'SSH', ip: '192.0.2.1' }

/** The code is the HTTP status as well. */
export const sftpOperations: Operations = {
  'GET /api/sftp/authorized_keys': {
    summary: 'Lines for AuthorizedKeysCommand of sshd',
    description: 'None for a user who is unknown, disabled, without permission or without keys.',
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
      'no name': {
        given,
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'another token': {
        given: 'alice is signed in',
        query: { username: 'alice' },
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
  'POST /api/sftp/used': {
    summary: 'Report that a key signed somebody in',
    security: 'serviceToken',
    needs: ['database'],
    schema: nothing,
    examples: {
      success: { given, body: use, answer: { data: null } },
      'no name': {
        given,
        body: { fingerprint: FINGERPRINT },
        answer: { refusal: 'invalidBody', fill: 'username is required' },
      },
      'another token': {
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
    summary: 'External authentication hook of SFTPGo',
    description: 'An empty `username` is a refusal, whatever its reason.',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'application/json',
    schema: v.union([
      v.strictObject({ username: v.literal('') }),
      v.strictObject({
        status: v.literal(1),
        username: v.string(),
        permissions: v.strictObject({ '/': v.array(v.picklist(['list', 'download', '*'])) }),
      }),
    ]),
    examples: {
      success: {
        given,
        body: offer,
        answer: { raw: { status: 1, username: 'alice', permissions: { '/': ['*'] } } },
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
      'another token': {
        given: 'alice is signed in',
        body: offer,
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
}
