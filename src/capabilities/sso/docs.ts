import * as v from 'valibot'
import { GITHUB_ISSUER } from '../../core/base/sso-platforms.ts'
import type { Example, Given, Operation, Operations } from '../../../scripts/openapi/operation.ts'
import { nothing, userIdentities } from '../../../scripts/openapi/schemas.ts'
import { refusedUserList } from '../../../scripts/openapi/operations/examples.ts'

const CODE = 'SplxlOBeZQQYbYS6WxSbIA'
const STATE = 'af0ifjsldkj'
const off = {
  given: 'single sign-on is off',
  answer: { refusal: 'ssoOff' },
} as const satisfies Example
const unverified = { given: 'GitHub is the provider', answer: { refusal: 'ssoRefused' } } as const

const BROWSERS = 'Browsers get refusals as pages, with their code as the HTTP status.'

/** A callback of the compatibility mode, whose redirect URI has no query. */
function compatible(given: Given, summary: string, description: string): Operation {
  const query = { code: CODE, state: STATE }
  return {
    summary,
    description: `${description} ${BROWSERS}`,
    needs: ['database'],
    schema: v.string(),
    plain: 'text/html',
    redirects: 302,
    examples: {
      success: { given, query, answer: { raw: '' } },
      'a sign-in of another browser': { query, ...unverified },
      'while single sign-on is off': { query, ...off },
    },
  }
}

export const ssoOperations: Operations = {
  'GET /api/auth/sso': {
    summary: 'Go to the identity provider',
    description: `The stock client opens this address in a window. \`method\` is \`sso_get_token\` to sign in, or \`get_sso_id\` to bind an account. ${BROWSERS}`,
    needs: ['database'],
    schema: v.string(),
    plain: 'text/html',
    redirects: 302,
    examples: {
      success: {
        given: 'GitHub is the provider',
        query: { method: 'sso_get_token' },
        answer: { raw: '' },
      },
      'no method': {
        given: 'GitHub is the provider',
        query: { method: '' },
        answer: { refusal: 'ssoNoMethod' },
      },
      'while single sign-on is off': { query: { method: 'sso_get_token' }, ...off },
      'no provider': {
        given: 'single sign-on has no provider',
        query: { method: 'sso_get_token' },
        answer: { refusal: 'ssoPlatformInvalid' },
      },
    },
  },
  'GET /api/auth/sso_callback': {
    summary: 'Come back from the identity provider',
    description: `A page that gives \`{"token"}\` or \`{"sso_id"}\` to the page that opened its window, if that page is of the same origin. ${BROWSERS}`,
    needs: ['database'],
    schema: v.string(),
    plain: 'text/html',
    examples: {
      success: {
        given: 'alice comes back from GitHub',
        query: { method: 'sso_get_token', code: CODE, state: STATE },
        answer: { raw: '<!doctype html>' },
      },
      'a sign-in of another browser': {
        query: { method: 'sso_get_token', code: CODE, state: STATE },
        ...unverified,
      },
      'a user who says no at the provider': {
        given: 'alice says no at GitHub',
        query: { method: 'sso_get_token', error: 'access_denied', state: STATE },
        answer: { refusal: 'ssoDenied' },
      },
      'a provider that does not answer': {
        given: 'GitHub does not answer',
        query: { method: 'sso_get_token', code: CODE, state: STATE },
        answer: { refusal: 'ssoUnavailable' },
      },
      'a provider that refuses the client secret': {
        given: 'GitHub refuses the client secret',
        query: { method: 'sso_get_token', code: CODE, state: STATE },
        answer: { refusal: 'ssoMisconfigured' },
      },
      'while single sign-on is off': {
        query: { method: 'sso_get_token', code: CODE, state: STATE },
        ...off,
      },
    },
  },
  'GET /api/auth/sso_get_token': compatible(
    'alice comes back from GitHub in compatibility mode',
    'Come back from the identity provider, in compatibility mode',
    'Redirects to `/@login?token=…`.',
  ),
  'GET /api/auth/get_sso_id': compatible(
    'alice comes back from GitHub to bind her account',
    'Come back from the identity provider to bind an account, in compatibility mode',
    'Redirects to `/@manage?sso_id=…`.',
  ),
}

const given = 'the admin is signed in, alice is linked with octocat at GitHub'
const OCTOCAT = { issuer: GITHUB_ISSUER, subject: '583231' }

export const adminIdentityOperations: Operations = {
  'GET /api/admin/user/identity/list': {
    summary: 'List the linked accounts of a user at identity providers',
    schema: userIdentities,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { uid: '3' },
        answer: {
          data: {
            content: [
              {
                ...OCTOCAT,
                platform: 'Github',
                name: 'octocat',
                linked_at: '2026-11-21T09:15:06.565+00:00',
                linked_by: 'user',
                last_used_at: null,
                last_way_in: false,
              },
            ],
            total: 1,
          },
        },
      },
      ...refusedUserList(given),
    },
  },
  'POST /api/admin/user/identity/delete': {
    summary: 'Unlink an account of a user at an identity provider',
    description:
      'The only way in of a user is unlinked with `last_way_in` alone: the user then cannot sign in until an admin sets a password. Needs a fresh session of the admin. The sessions that were begun with it end, and what apps got in them.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { uid: '3' }, body: OCTOCAT, answer: { data: null } },
      'the only way in': {
        given: 'the admin is signed in, octocat at GitHub is the only way in of alice',
        query: { uid: '3' },
        body: OCTOCAT,
        answer: { refusal: 'lastWayInOf' },
      },
      'the only way in, on purpose': {
        given: 'the admin is signed in, octocat at GitHub is the only way in of alice',
        query: { uid: '3' },
        body: { ...OCTOCAT, last_way_in: true },
        answer: { data: null },
      },
      'not an admin': { query: { uid: '3' }, body: OCTOCAT, answer: { refusal: 'notAdmin' } },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        query: { uid: '3' },
        body: OCTOCAT,
        answer: { refusal: 'confirmationNeeded' },
      },
      'an unknown user': {
        given,
        query: { uid: '7' },
        body: OCTOCAT,
        answer: { refusal: 'userNotFound' },
      },
      'an account that is not linked': {
        given,
        query: { uid: '3' },
        body: { ...OCTOCAT, subject: '1' },
        answer: { refusal: 'identityNotFound' },
      },
    },
  },
}
