import * as v from 'valibot'
import type { Example, Given, Operation, Operations } from '../operation.ts'

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
