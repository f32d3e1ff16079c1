import type { Operations } from '../../../scripts/openapi/operation.ts'
import { linkList, madeLink, nothing, waitingUsers } from '../../../scripts/openapi/schemas.ts'

const LINK = 'Zm9yIGEgZG9jdW1lbnQsIG5vdCBmb3IgYSBzaXRlISE'
const PASSWORD = 'a-new-Passw0rd'
const MADE = {
  id: 1,
  link: `http://localhost/account/link/${LINK}`,
  ends_at: '2026-11-28T09:15:06.565+00:00',
}
const admin = 'the admin is signed in'
const notAdmin = { answer: { refusal: 'notAdmin' } } as const
const notFresh = {
  given: 'the admin signed in an hour ago',
  answer: { refusal: 'confirmationNeeded' },
} as const

export const registrationOperations: Operations = {
  'POST /api/auth/register': {
    summary: 'Register an account',
    description:
      'With an invitation, or without one while the setting `allow_register` is on. `turnstile` is the answer of the widget, where the site asks for it. Nobody is signed in. A network may register ten times an hour.',
    schema: nothing,
    needs: ['database'],
    examples: {
      success: {
        given: 'nobody is signed in, registration is open',
        body: { username: 'bob', password: PASSWORD },
        answer: { data: null },
      },
      'registration is off': {
        body: { username: 'bob', password: PASSWORD },
        answer: { refusal: 'registrationOff' },
      },
      'a link that is not valid': {
        body: { username: 'bob', password: PASSWORD, invitation: LINK },
        answer: { refusal: 'linkInvalid' },
      },
      'a name that is taken': {
        given: 'nobody is signed in, registration is open',
        body: { username: 'Alice', password: PASSWORD },
        answer: { refusal: 'usernameTaken' },
      },
      'too many registrations': {
        given: 'nobody is signed in, registration is open and ten have registered',
        body: { username: 'bob', password: PASSWORD },
        answer: { refusal: 'tooManyRequests' },
      },
    },
  },
  'POST /api/auth/forgotten': {
    summary: 'Ask for a mail with a link for a new password',
    description:
      '`name` is a user name or an e-mail address. The answer is the same whether an account has it or not. Only a verified address gets a mail, at most one in ten minutes.',
    schema: nothing,
    needs: ['database'],
    examples: {
      success: {
        given: 'nobody is signed in, the site sends mail',
        body: { name: 'alice' },
        answer: { data: null },
      },
      'a site without mail': { body: { name: 'alice' }, answer: { refusal: 'mailOff' } },
    },
  },
  'POST /api/auth/reset': {
    summary: 'Set a new password with a link',
    description:
      'Ends all sessions of the user and what apps have, and signs nobody in. Two-step verification stays, unless the administrator who made the link has said otherwise.',
    schema: nothing,
    needs: ['database'],
    examples: {
      success: {
        given: 'nobody is signed in, alice has a link for a new password',
        body: { link: LINK, password: PASSWORD },
        answer: { data: null },
      },
      'a link that is not valid': {
        body: { link: LINK, password: PASSWORD },
        answer: { refusal: 'linkInvalid' },
      },
    },
  },
}

export const ownEmailOperations: Operations = {
  'POST /api/me/email': {
    summary: 'Set or remove the e-mail address of the own account',
    description:
      'Needs a fresh session. An empty text removes it. A new address is not verified; one that was verified is told of the change.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice is signed in, and the site sends mail',
        body: { email: 'alice@example.org' },
        answer: { data: null },
      },
      'a site without mail': {
        body: { email: 'alice@example.org' },
        answer: { refusal: 'mailOff' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: { email: 'alice@example.org' },
        answer: { refusal: 'confirmationNeeded' },
      },
    },
  },
  'POST /api/me/email/send': {
    summary: 'Ask for a mail with a link that confirms the address',
    description: 'The link is good for a day. One mail a minute and five a day.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: { given: 'alice has an address that is not confirmed', answer: { data: null } },
      none: {
        given: 'alice is signed in, and the site sends mail',
        answer: { refusal: 'noAddressToConfirm' },
      },
    },
  },
  'POST /api/me/email/confirm': {
    summary: 'Confirm the address with a link',
    description: 'Only a session of that account can.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice was mailed a link for her address',
        body: { link: LINK },
        answer: { data: null },
      },
      'a link that is not valid': { body: { link: LINK }, answer: { refusal: 'linkInvalid' } },
      'a link of another account': {
        given: 'alice was mailed a link for her address, and bob is signed in',
        body: { link: LINK },
        answer: { refusal: 'linkOfOther' },
      },
    },
  },
}

export const linkOperations: Operations = {
  'POST /api/admin/invitation/create': {
    summary: 'Make an invitation',
    description:
      'Needs a fresh session. Whoever has the link makes an account with these fields; `{username}` in `base_path` becomes the name; without `base_path` it is `/homes/{username}` where a file server stands behind the site, else `/`. `groups` has the names of the groups of these accounts; a group that was deleted since is left out. With `email`, the site mails the link and `link` is empty. The link is shown only in this answer.',
    schema: madeLink,
    guest: 'notAdmin',
    examples: {
      success: { given: admin, body: { name: 'family', uses: 5 }, answer: { data: MADE } },
      'not an admin': { body: {}, ...notAdmin },
      'a session that is not fresh': { body: {}, ...notFresh },
      'a group that does not exist': {
        given: admin,
        body: { groups: ['finance'] },
        answer: { refusal: 'groupNotFound' },
      },
      'a name that is taken': {
        given: admin,
        body: { username: 'Alice' },
        answer: { refusal: 'usernameTaken' },
      },
      'a name that another account had': {
        given: 'the admin is signed in, bob was deleted',
        body: { username: 'bob' },
        answer: { refusal: 'nameReserved' },
      },
      'a site without mail': {
        given: admin,
        body: { email: 'bob@example.org' },
        answer: { refusal: 'mailOff' },
      },
    },
  },
  'GET /api/admin/link/list': {
    summary: 'List links, the newest first',
    description:
      '`kind` is `invitation`, `reset` or `email`. A page has at most 100 links. The links themselves are never shown.',
    schema: linkList,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, there is an invitation',
        answer: {
          data: {
            content: [
              {
                id: 1,
                kind: 'invitation',
                name: 'family',
                username: '',
                email: '',
                uses: 5,
                used: 0,
                created_by: 'admin',
                created_at: '2026-11-21T09:15:06.565+00:00',
                ends_at: '2026-11-28T09:15:06.565+00:00',
                state: 'live',
              },
            ],
            total: 1,
          },
        },
      },
      'not an admin': notAdmin,
    },
  },
  'POST /api/admin/link/delete': {
    summary: 'Withdraw a link',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, there is an invitation',
        query: { id: '1' },
        answer: { data: null },
      },
      'an unknown link': { given: admin, query: { id: '9' }, answer: { refusal: 'linkNotFound' } },
      'not an admin': { query: { id: '1' }, ...notAdmin },
    },
  },
  'POST /api/admin/user/reset_link': {
    summary: 'Make a link with which a user sets a new password',
    description:
      'Needs a fresh session. `second_factor` also takes off two-step verification. The user and all administrators are told, never the link.',
    schema: madeLink,
    guest: 'notAdmin',
    examples: {
      success: {
        given: admin,
        body: { id: 3 },
        answer: { data: { ...MADE, ends_at: '2026-11-22T09:15:06.565+00:00' } },
      },
      'an unknown user': { given: admin, body: { id: 9 }, answer: { refusal: 'userNotFound' } },
      'the guest': { given: admin, body: { id: 2 }, answer: { refusal: 'guestHasNoPassword' } },
      'a disabled user': {
        given: 'the admin is signed in, bob waits for an approval',
        body: { id: 4 },
        answer: { refusal: 'accountGone' },
      },
      'not an admin': { body: { id: 3 }, ...notAdmin },
      'a session that is not fresh': { body: { id: 3 }, ...notFresh },
    },
  },
  'GET /api/admin/user/waiting': {
    summary: 'List the users whose registration waits for an approval',
    schema: waitingUsers,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, bob waits for an approval',
        answer: {
          data: {
            content: [
              {
                id: 4,
                username: 'bob',
                registered_at: '2026-11-21T09:15:06.565+00:00',
                network: '192.0.2.9',
              },
            ],
            total: 1,
          },
        },
      },
      'not an admin': notAdmin,
    },
  },
  'POST /api/admin/user/approve': {
    summary: 'Approve a registration',
    description: 'Needs a fresh session. To enable the user does the same.',
    schema: nothing,
    guest: 'notAdmin',
    examples: decisionExamples(),
  },
  'POST /api/admin/user/reject': {
    summary: 'Reject a registration, which deletes the user',
    description: 'Needs a fresh session.',
    schema: nothing,
    guest: 'notAdmin',
    examples: decisionExamples(),
  },
}

function decisionExamples(): Operations[string]['examples'] {
  return {
    success: {
      given: 'the admin is signed in, bob waits for an approval',
      query: { id: '4' },
      answer: { data: null },
    },
    'a user who does not wait': {
      given: admin,
      query: { id: '3' },
      answer: { refusal: 'userNotFound' },
    },
    'not an admin': { query: { id: '3' }, ...notAdmin },
    'a session that is not fresh': { query: { id: '3' }, ...notFresh },
  }
}
