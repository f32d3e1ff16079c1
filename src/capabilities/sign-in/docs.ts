import type { Examples, Operations } from '../../../scripts/openapi/operation.ts'
import { nothing, token } from '../../../scripts/openapi/schemas.ts'

const PASSWORD = 'alice-Passw0rd'
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIzIn0.c2lnbmF0dXJl'

/** The examples of both sign-in routes, which differ in the value of `password`. */
function signInExamples(password: string): Examples {
  const body = { username: 'alice', password }
  return {
    success: { body, answer: { data: { token: TOKEN } } },
    'with a code': {
      given: 'alice uses two-step verification',
      body: { ...body, otp_code: '123456' },
      answer: { data: { token: TOKEN } },
    },
    'without a code': {
      given: 'alice uses two-step verification',
      body,
      answer: { refusal: 'wrongCode' },
    },
    'a missing field': {
      body: { password },
      answer: { refusal: 'invalidBody', fill: 'username is required' },
    },
    'a wrong password': {
      body: { ...body, password: 'wrong' },
      answer: { refusal: 'wrongCredentials' },
    },
    'too many failures': {
      given: 'alice failed to sign in five times',
      body,
      answer: { refusal: 'tooManyAttempts' },
    },
  }
}

export const loginOperations: Operations = {
  'POST /api/auth/login': {
    summary: 'Sign in with a password',
    description:
      'The token is valid for 48 hours by default (`TOKEN_HOURS`). Send it in `Authorization`, bare or after `Bearer`. Code 402 means that `otp_code` is missing or wrong. A page at the host of the web client gets the session in cookies, and a marker as `token` (docs/files.md).',
    schema: token,
    examples: signInExamples(PASSWORD),
  },
  'POST /api/auth/login/hash': {
    summary: 'Sign in with the static digest of a password',
    description:
      '`password` is the lower-case hex SHA-256 of `<password>-https://github.com/alist-org/alist`.',
    schema: token,
    examples: signInExamples('d79a85561d52b6eff3a726ad6d36accbab0873611391f62859f81316a606cf9b'),
  },
  'GET /api/auth/logout': {
    summary: 'End the session of the token',
    description: 'A request without a token, or with a token of an ended session, succeeds too.',
    security: 'token',
    schema: nothing,
    examples: {
      success: { given: 'alice is signed in', answer: { data: null } },
      'a token of an ended session': { given: 'the session has ended', answer: { data: null } },
    },
  },
}
