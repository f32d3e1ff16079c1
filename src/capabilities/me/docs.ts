import type { Operations } from '../../../scripts/openapi/operation.ts'
import {
  events,
  keptCredentials,
  nothing,
  ownDetails,
  sessions,
  user,
} from '../../../scripts/openapi/schemas.ts'
import { ALICE, badPage } from '../../../scripts/openapi/operations/examples.ts'

const NEW_PASSWORD = 'a-new-Passw0rd'

export const meOperations: Operations = {
  'GET /api/me': {
    withoutFactor: 'always',
    summary: 'Get the signed-in user',
    description: 'Without a token, the answer is the guest if the guest is enabled.',
    schema: user,
    examples: {
      success: { answer: { data: ALICE } },
      'the guest': {
        given: 'nobody is signed in, the guest is enabled',
        answer: { data: { ...ALICE, id: 2, username: 'guest', role: 1 } },
      },
    },
  },
  'POST /api/me/update': {
    summary: 'Change the signed-in user',
    description:
      'A new name, SSO id or password needs a fresh session, or the old password in the same request. A new password ends every session of the user. Missing fields keep their value. A new `sso_id` must be one that the identity provider has confirmed in the same browser in the last five minutes; an empty one unlinks every account. At most ten former names stay reserved for a user, who then gets no further one.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: { body: { username: 'alicia' }, answer: { data: null } },
      'an SSO id that is not proven': {
        body: { username: 'alice', sso_id: '583231' },
        answer: { refusal: 'ssoNotProven' },
      },
      'a new password': {
        body: { username: 'alice', password: NEW_PASSWORD },
        answer: { data: null },
      },
      'a short password': {
        body: { username: 'alice', password: 'short' },
        answer: { refusal: 'invalidBody', fill: 'password must have 8 to 1024 characters' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: { username: 'alice', password: NEW_PASSWORD },
        answer: { refusal: 'confirmationNeeded' },
      },
      'a wrong old password': {
        given: 'alice signed in an hour ago',
        body: { username: 'alice', password: NEW_PASSWORD, old_password: 'wrong' },
        answer: { refusal: 'wrongOldPassword' },
      },
      'a taken name': { body: { username: 'Admin' }, answer: { refusal: 'usernameTaken' } },
      'a name that apps know': {
        given: 'alice is signed in, and the site signs users in to a program',
        body: { username: 'alicia' },
        answer: { refusal: 'nameFixed' },
      },
      'the only way in': {
        given: 'octocat at GitHub is the only way in of alice',
        body: { username: 'alice', sso_id: '' },
        answer: { refusal: 'lastWayIn' },
      },
      'a name that files depend on': {
        given: 'alice keeps files under her name',
        body: { username: 'alicia' },
        answer: { refusal: 'nameKept' },
      },
      'a name after ten others': {
        given: 'alice has had ten other names',
        body: { username: 'alicia' },
        answer: { refusal: 'tooManyNames' },
      },
      'too many wrong old passwords': {
        given: 'alice entered ten wrong codes',
        body: { username: 'alice', password: NEW_PASSWORD, old_password: 'wrong' },
        answer: { refusal: 'tooManyAttempts' },
      },
    },
  },
  'POST /api/me/credentials/keep': {
    summary: 'Keep the app passwords and SSH keys that a password alone has made',
    description:
      'Needs a fresh session that has shown a second factor. Where the site demands a second factor (`require_second_factor`), app passwords and SSH keys that were made in a session without one open nothing. This request makes them count as made with the second factor of this session; the answer says how many.',
    schema: keptCredentials,
    guest: 'guestTokens',
    examples: {
      success: {
        given: 'a password alone made what alice has, who uses two-step verification',
        answer: { data: { app_passwords: 1, ssh_keys: 1 } },
      },
      'a session without a second factor': { answer: { refusal: 'keepNeedsFactor' } },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        answer: { refusal: 'confirmationNeeded' },
      },
    },
  },
  'POST /api/me/confirm': {
    withoutFactor: 'always',
    summary: 'Make the session fresh again',
    description:
      'A session is fresh for ten minutes by default (`FRESH_MINUTES`), after the sign-in and after each confirmation. Changes that a thief of the token could make permanent need a fresh session. A confirmation uses its code up. An `assertion` answers `webauthn_begin_login`; its session text is sent in the header `session`.',
    schema: nothing,
    guest: 'guestSessions',
    examples: {
      success: { body: { password: 'alice-Passw0rd' }, answer: { data: null } },
      'with a code': {
        given: 'alice uses two-step verification',
        body: { otp_code: '123456' },
        answer: { data: null },
      },
      'a wrong password': {
        given: 'alice signed in an hour ago',
        body: { password: 'wrong' },
        answer: { refusal: 'wrongPassword' },
      },
      'a wrong code': {
        given: 'alice uses two-step verification',
        body: { otp_code: '000000' },
        answer: { refusal: 'wrongConfirmationCode' },
      },
      'two-step verification is off': {
        body: { otp_code: '123456' },
        answer: { refusal: 'twoFactorOff' },
      },
      'both a password and a code': {
        body: { password: 'alice-Passw0rd', otp_code: '123456' },
        answer: {
          refusal: 'invalidBody',
          fill: 'request body must have one of password, otp_code and assertion',
        },
      },
      'too many wrong passwords': {
        given: 'alice entered ten wrong codes',
        body: { password: 'alice-Passw0rd' },
        answer: { refusal: 'tooManyAttempts' },
      },
    },
  },
  'GET /api/me/sessions': {
    summary: 'List the sessions of the user',
    schema: sessions,
    guest: 'guestSessions',
    examples: {
      success: {
        answer: {
          data: {
            content: [
              {
                id: 'TGV0IG1lIGluLCBwbGVhc2U',
                created_time: '2026-11-21T09:15:06.000+00:00',
                expires_time: '2026-11-23T09:15:06.000+00:00',
                last_active_time: '2026-11-21T09:15:06.000+00:00',
                network: '192.0.2.1',
                user_agent: '',
                methods: ['pwd'],
                current: true,
              },
            ],
            total: 1,
          },
        },
      },
    },
  },
  'POST /api/me/sessions/delete': {
    summary: 'End one session of the user',
    description: 'What apps got in it ends, refresh tokens too.',
    schema: nothing,
    guest: 'guestSessions',
    examples: {
      success: {
        given: 'alice is signed in twice',
        query: { id: 'TGV0IG1lIGluLCBwbGVhc2U' },
        answer: { data: null },
      },
      'no id': { answer: { refusal: 'invalidBody', fill: 'id is required' } },
      'an unknown session': {
        query: { id: 'unknown' },
        answer: { refusal: 'sessionNotFound' },
      },
    },
  },
  'POST /api/me/sessions/delete_others': {
    summary: 'End all other sessions of the user',
    description:
      'What apps got in them ends, refresh tokens too. App passwords stay valid. With an app password, every session ends.',
    schema: nothing,
    guest: 'guestSessions',
    examples: { success: { given: 'alice is signed in twice', answer: { data: null } } },
  },
  'POST /api/me/sessions/delete_all': {
    summary: 'End everything: all sessions of the user and all app passwords',
    description: 'The present session and everything that apps got end too. SSH keys stay.',
    schema: nothing,
    guest: 'guestSessions',
    examples: { success: { given: 'alice is signed in twice', answer: { data: null } } },
  },
  'GET /api/me/events': {
    summary: 'List the events of the account, latest first',
    description:
      'One request returns at most 100 events. Events are kept for as long as an administrator has set, by default 90 days. `actor` is null unless an administrator caused the event; then `network` and `user_agent` are empty. `changes` lists the changed fields of the user, never a secret. `id` is not the number in the lists of administrators.',
    schema: events,
    guest: 'guestEvents',
    examples: {
      success: {
        query: { page: '1', per_page: '10' },
        answer: {
          data: {
            content: [
              {
                id: 30090931378775,
                time: '2026-11-21T09:15:06.565+00:00',
                kind: 'sign_in',
                detail: 'pwd',
                network: '192.0.2.1',
                user_agent: '',
                actor: null,
                changes: [],
              },
            ],
            total: 1,
          },
        },
      },
      'a role that an administrator changed': {
        given: 'root made alice an admin',
        query: { page: '1', per_page: '1' },
        answer: {
          data: {
            content: [
              {
                id: 262590736108719,
                time: '2026-11-21T09:15:06.565+00:00',
                kind: 'role_changed',
                detail: '',
                network: '',
                user_agent: '',
                actor: { id: 4, username: 'root', command_line: false },
                changes: [{ field: 'role', from: 0, to: 2 }],
              },
            ],
            total: 2,
          },
        },
      },
      ...badPage,
    },
  },
  'GET /api/me/details': {
    summary: 'Get the e-mail address and the end of the own account',
    schema: ownDetails,
    guest: 'guestProfile',
    examples: {
      success: { answer: { data: { email: '', email_verified: false, ends_at: null } } },
    },
  },
}
