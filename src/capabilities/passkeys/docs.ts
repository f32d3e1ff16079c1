import type { Example, Operations } from '../../../scripts/openapi/operation.ts'
import {
  assertionOptions,
  done,
  nothing,
  passkeys,
  registrationOptions,
  token,
  userPasskeys,
} from '../../../scripts/openapi/schemas.ts'
import { refusedUserList } from '../../../scripts/openapi/operations/examples.ts'

const CHALLENGE = 'Jx8mVZ0bqv3n1Yw5o2sQ7dK4rT6uE9hGfLcAiXpMzBk'
const SESSION = 'Ci3kQ0vR.dGhlIHNlc3Npb24gdGV4dCBpcyBzZWFsZWQ'
const ID = 'cGhvbmU='
const off = {
  given: 'passkeys are off',
  answer: { refusal: 'passkeysOff' },
} as const satisfies Example
const stale = {
  given: 'alice signed in an hour ago',
  answer: { refusal: 'confirmationNeeded' },
} as const
const WRONG_RESPONSE = { id: 'AA', rawId: 'AA', type: 'public-key', response: {} }

/** The passkey "phone", as lists show it. */
const PHONE = {
  id: ID,
  fingerprint: 'A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF',
  name: 'phone',
  created_at: '2026-11-21T09:15:06.565+00:00',
}

const assertion = {
  id: 'cGhvbmU',
  rawId: 'cGhvbmU',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    signature: 'MEUCIQ',
    userHandle: 'AwAAAAAAAAA',
  },
}
const registration = {
  id: 'cGhvbmU',
  rawId: 'cGhvbmU',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ',
    transports: ['internal'],
  },
}

export const passkeyOperations: Operations = {
  'GET /api/authn/webauthn_begin_login': {
    summary: 'Begin a sign-in with a passkey',
    description:
      'The options are for `navigator.credentials.get`. Without `username`, any discoverable passkey may answer. `/api/authn` works while the setting `webauthn_login_enabled` is on.',
    schema: assertionOptions,
    examples: {
      success: {
        answer: {
          data: {
            options: {
              publicKey: {
                challenge: CHALLENGE,
                timeout: 300_000,
                rpId: 'localhost',
                userVerification: 'required',
              },
            },
            session: SESSION,
          },
        },
      },
      'while passkeys are off': off,
    },
  },
  'POST /api/authn/webauthn_finish_login': {
    summary: 'Sign in with a passkey',
    description:
      'The body is `PublicKeyCredential.toJSON()`. It asks for no code: the passkey verifies the user. Each challenge works once, within five minutes.',
    schema: token,
    requiredHeader: 'session',
    examples: {
      success: {
        given: 'nobody is signed in, alice answers with her passkey',
        body: assertion,
        answer: { data: { token: 'eyJ0eXAi.eyJqdGki.c2lnbmVk' } },
      },
      'an answer that is refused': { body: assertion, answer: { refusal: 'passkeyRefused' } },
      'a missing field': { body: WRONG_RESPONSE, answer: { refusal: 'passkeyRefused' } },
      'while passkeys are off': { ...off, body: assertion },
    },
  },
  'GET /api/authn/webauthn_begin_registration': {
    withoutFactor: 'to enrol',
    summary: 'Begin to add a passkey',
    description:
      'The options are for `navigator.credentials.create`. `name` is the name of the new passkey. Needs a fresh session. A user can have at most 20 passkeys.',
    schema: registrationOptions,
    guest: 'guestPasskeys',
    examples: {
      success: {
        query: { name: 'phone' },
        answer: {
          data: {
            options: {
              publicKey: {
                rp: { name: 'Latchkey', id: 'localhost' },
                user: { id: 'AwAAAAAAAAA', name: 'alice', displayName: 'alice' },
                challenge: CHALLENGE,
                pubKeyCredParams: [
                  { type: 'public-key', alg: -7 },
                  { type: 'public-key', alg: -8 },
                  { type: 'public-key', alg: -257 },
                ],
                excludeCredentials: [],
                timeout: 300_000,
                authenticatorSelection: {
                  residentKey: 'required',
                  requireResidentKey: true,
                  userVerification: 'required',
                },
                attestation: 'none',
              },
            },
            session: SESSION,
          },
        },
      },
      'a session that is not fresh': stale,
      'too many passkeys': {
        given: 'alice has 20 passkeys',
        answer: { refusal: 'tooManyPasskeys', fill: '20' },
      },
      'while passkeys are off': off,
    },
  },
  'POST /api/authn/webauthn_finish_registration': {
    withoutFactor: 'to enrol',
    summary: 'Add a passkey',
    description:
      'The body is `PublicKeyCredential.toJSON()`. Needs a fresh session. Accepts ES256, Ed25519, and RS256 with at least 2048 bits.',
    schema: done,
    requiredHeader: 'session',
    guest: 'guestPasskeys',
    examples: {
      success: {
        given: 'alice began to add a passkey',
        body: registration,
        answer: { data: 'Registered Successfully' },
      },
      'an answer that is refused': { body: registration, answer: { refusal: 'passkeyRefused' } },
      'while passkeys are off': { ...off, body: registration },
    },
  },
  'GET /api/authn/getcredentials': {
    summary: 'List the passkeys of the user, oldest first',
    description: '`last_used_at` is missing until the first sign-in.',
    schema: passkeys,
    guest: 'guestPasskeys',
    examples: {
      success: { given: 'alice has the passkey "phone"', answer: { data: [PHONE] } },
      'no passkeys': { answer: { data: [] } },
      'while passkeys are off': off,
    },
  },
  'POST /api/authn/delete_authn': {
    summary: 'Delete a passkey',
    description:
      'Needs a fresh session. The other sessions that were begun with it end, and what apps got in them. Refused (403) for the last second factor of a user of whom the site demands one.',
    schema: done,
    guest: 'guestPasskeys',
    examples: {
      success: {
        given: 'alice has the passkey "phone"',
        body: { id: ID },
        answer: { data: 'Deleted Successfully' },
      },
      'an unknown passkey': { body: { id: 'AAAA' }, answer: { refusal: 'passkeyNotFound' } },
      'the last second factor of a user who needs one': {
        given: 'the site demands a second factor, alice has only the passkey "phone"',
        body: { id: ID },
        answer: { refusal: 'lastFactor' },
      },
      'no id': { body: {}, answer: { refusal: 'invalidBody', fill: 'id is required' } },
      'a session that is not fresh': { ...stale, body: { id: ID } },
      'while passkeys are off': { ...off, body: { id: ID } },
    },
  },
  'POST /api/authn/rename_authn': {
    summary: 'Rename a passkey',
    schema: done,
    guest: 'guestPasskeys',
    examples: {
      success: {
        given: 'alice has the passkey "phone"',
        body: { id: ID, name: 'my phone' },
        answer: { data: 'Renamed Successfully' },
      },
      'no name': {
        body: { id: ID, name: '' },
        answer: { refusal: 'invalidBody', fill: 'name is required' },
      },
      'an unknown passkey': {
        body: { id: 'AAAA', name: 'my phone' },
        answer: { refusal: 'passkeyNotFound' },
      },
      'while passkeys are off': { ...off, body: { id: ID, name: 'my phone' } },
    },
  },
}

const given = 'the admin is signed in, alice has the passkey "phone"'

export const adminPasskeyOperations: Operations = {
  'GET /api/admin/user/passkey/list': {
    summary: 'List the passkeys of a user',
    schema: userPasskeys,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { uid: '3' },
        answer: {
          data: {
            content: [
              {
                ...PHONE,
                rp_id: 'localhost',
                transports: ['internal'],
                backup_eligible: true,
                backed_up: true,
              },
            ],
            total: 1,
          },
        },
      },
      ...refusedUserList(given),
    },
  },
  'POST /api/admin/user/passkey/delete': {
    summary: 'Delete a passkey of a user',
    description:
      'Needs a fresh session of the admin. The sessions that were begun with it end, and what apps got in them.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { uid: '3' }, body: { id: ID }, answer: { data: null } },
      'not an admin': {
        query: { uid: '3' },
        body: { id: ID },
        answer: { refusal: 'notAdmin' },
      },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        query: { uid: '3' },
        body: { id: ID },
        answer: { refusal: 'confirmationNeeded' },
      },
      'an unknown passkey': {
        given,
        query: { uid: '3' },
        body: { id: 'AAAA' },
        answer: { refusal: 'passkeyNotFound' },
      },
    },
  },
}
