import type { Operations } from '../operation.ts'
import { details, nothing } from '../schemas.ts'

const EMAIL = 'alice@example.org'
const LINK = 'nXvF1uTbC9S0kq3w7yZ2rE5oP8aD4hJ6mLgNiQcVtBs'
const off = { refusal: 'mailOff' } as const
const notValid = { body: { link: LINK }, answer: { refusal: 'linkInvalid' } } as const

/** The requests of people who have forgotten their password. */
export const forgottenOperations: Operations = {
  'POST /api/auth/forgotten': {
    summary: 'Ask for a mail with a link for a new password',
    description:
      'The name is a user name or an e-mail address. The answer is the same whether there is such an account or not. A mail goes to the confirmed address of each enabled account that is meant, to at most five. The link works once, within 30 minutes. Within ten minutes no second mail goes to an account. 429 after 20 requests of a network in 15 minutes.',
    schema: nothing,
    examples: {
      success: {
        given: 'nobody is signed in, the site sends mail',
        body: { name: 'alice' },
        answer: { data: null },
      },
      'a name that nobody has': {
        given: 'nobody is signed in, the site sends mail',
        body: { name: 'nobody@example.org' },
        answer: { data: null },
      },
      'too many requests': {
        given: 'nobody is signed in, and asked twenty times for a new password',
        body: { name: 'alice' },
        answer: { refusal: 'tooManyRequests' },
      },
      'a site without mail': {
        given: 'nobody is signed in',
        body: { name: 'alice' },
        answer: off,
      },
    },
  },
  'POST /api/auth/reset': {
    summary: 'Choose a new password with a link',
    description:
      'Takes the last 43 characters of the link. Every session ends, and so does everything that programs got. Two-step verification stays, unless an operator made the link to take it off. Nobody is signed in by it.',
    schema: nothing,
    examples: {
      success: {
        given: 'alice was mailed a link for a new password',
        body: { link: LINK, password: 'a-new-Passw0rd' },
        answer: { data: null },
      },
      'a short password': {
        given: 'alice was mailed a link for a new password',
        body: { link: LINK, password: 'short' },
        answer: { refusal: 'invalidBody', fill: 'password must have 8 to 1024 characters' },
      },
      'a link that is not valid': {
        given: 'nobody is signed in',
        body: { link: LINK, password: 'a-new-Passw0rd' },
        answer: { refusal: 'linkInvalid' },
      },
    },
  },
}

/** The e-mail address of the signed-in user. */
export const emailOperations: Operations = {
  'GET /api/me/details': {
    summary: 'Get the e-mail address, and the end of the account',
    description: '`ends_at` is null for an account without an end.',
    schema: details,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice has an e-mail address that is not confirmed',
        answer: { data: { email: EMAIL, email_verified: false, ends_at: null } },
      },
      'without an address': {
        answer: { data: { email: '', email_verified: false, ends_at: null } },
      },
    },
  },
  'POST /api/me/email': {
    summary: 'Change the e-mail address',
    description:
      'Needs a fresh session. The new address is not confirmed. An empty one removes it. A confirmed address that is replaced is told by mail.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice is signed in, the site sends mail',
        body: { email: EMAIL },
        answer: { data: null },
      },
      'another text': {
        given: 'alice is signed in, the site sends mail',
        body: { email: 'alice' },
        answer: { refusal: 'invalidBody', fill: 'email must be an e-mail address' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago, the site sends mail',
        body: { email: EMAIL },
        answer: { refusal: 'confirmationNeeded' },
      },
      'a site without mail': { body: { email: EMAIL }, answer: off },
    },
  },
  'POST /api/me/email/send': {
    summary: 'Mail a link that confirms the e-mail address',
    description:
      'The link works for 24 hours, in a session of the same account. An account gets one a minute and five a day, and an address five a day over all accounts.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice has an e-mail address that is not confirmed',
        answer: { data: null },
      },
      'nothing to confirm': {
        given: 'alice is signed in, the site sends mail',
        answer: { refusal: 'noAddressToConfirm' },
      },
      'too soon': {
        given: 'alice was mailed a link that confirms her address',
        answer: { refusal: 'tooManyRequests' },
      },
      'a site without mail': { answer: off },
    },
  },
  'POST /api/me/email/confirm': {
    summary: 'Confirm the e-mail address with the link that was mailed there',
    description: 'Takes the last 43 characters of the link.',
    schema: nothing,
    guest: 'guestProfile',
    examples: {
      success: {
        given: 'alice was mailed a link that confirms her address',
        body: { link: LINK },
        answer: { data: null },
      },
      'the link of another account': {
        given: 'bob was mailed a link that confirms his address',
        body: { link: LINK },
        answer: { refusal: 'linkOfOther' },
      },
      'a link that is not valid': {
        given: 'alice is signed in, the site sends mail',
        ...notValid,
      },
      'a site without mail': { body: { link: LINK }, answer: off },
    },
  },
}
