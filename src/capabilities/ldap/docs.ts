import * as v from 'valibot'
import type { Operations } from '../../../scripts/openapi/operation.ts'

const given = 'an LDAP door has a service token, alice may use SFTP'
const bind = { username: 'alice', password: 'alice-Passw0rd', scope: 'files:write' }

/** The endpoints for LDAP doors; the code of an answer is its HTTP status too. */
export const ldapOperations: Operations = {
  'GET /api/ldap/entries': {
    summary: 'List the accounts that may sign in, with their groups',
    description:
      'By id, without the guest and disabled accounts. With the `ETag` of the current list in `If-None-Match`, the answer is 304 and reads no account. `groups` lists the names of all groups: the six that every site has, then the site’s own. Scope: ldap.',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'application/json',
    schema: v.strictObject({
      groups: v.array(v.string()),
      accounts: v.array(
        v.strictObject({ id: v.number(), username: v.string(), groups: v.array(v.string()) }),
      ),
    }),
    examples: {
      success: {
        given,
        answer: {
          raw: {
            groups: ['users', 'admins', 'webdav-read', 'webdav-write', 'sftp-read', 'sftp-write'],
            accounts: [
              { id: 1, username: 'admin', groups: ['users', 'admins'] },
              { id: 3, username: 'alice', groups: ['users', 'sftp-read', 'sftp-write'] },
            ],
          },
        },
      },
      'the token of a session': {
        given: 'alice is signed in',
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
  'POST /api/ldap/bind': {
    summary: 'Ask whether a password is right, for a bind',
    description:
      '`ok` is false for every refusal; the answer never gives the reason. `password` is an app password of the user with the scope `scope`, or the password of the account, unless two-step verification is on or the site demands a second factor. Five wrong passwords of an account in five minutes refuse its password at this door; app passwords, other accounts and the web stay open. Scope: ldap.',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'application/json',
    schema: v.strictObject({ ok: v.boolean() }),
    examples: {
      success: { given, body: bind, answer: { raw: { ok: true } } },
      'a refusal': {
        given,
        body: { ...bind, password: 'wrong' },
        answer: { raw: { ok: false } },
      },
      'no scope': {
        given,
        body: { username: 'alice', password: 'wrong' },
        answer: { refusal: 'invalidBody', fill: 'scope is required' },
      },
      'the token of a session': {
        given: 'alice is signed in',
        body: bind,
        answer: { refusal: 'wrongServiceToken' },
      },
    },
  },
}
