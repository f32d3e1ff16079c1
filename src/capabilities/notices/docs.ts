import type { Operations } from '../../../scripts/openapi/operation.ts'
import {
  createdNoticeChannel,
  nothing,
  noticeChannels,
  noticeTest,
  ownNoticeChannel,
  savedNoticeChannel,
} from '../../../scripts/openapi/schemas.ts'

const CHANNEL = {
  id: 1,
  kind: 'ntfy',
  name: '',
  target: 'ntfy.sh',
  topics: ['new_network', 'password'],
  language: 'en',
  created_at: '2026-11-21T09:15:06.565+00:00',
  last_sent_at: null,
  last_failed_at: null,
  failure: '',
  waiting: 0,
  lost: 0,
}
const channel = {
  kind: 'ntfy',
  address: 'https://ntfy.sh/a-topic-that-nobody-guesses',
  topics: ['new_network', 'password'],
}
const byEmail = { kind: 'email', topics: ['new_network', 'password'] }
const sent = { answer: { data: { delivered: true, failure: '' } } }
const tooSoon = { answer: { refusal: 'testedLately', fill: '15' } } as const
const ONE_TEST = 'A channel takes one test every 15 seconds, and 50 a day.'

export const noticeOperations: Operations = {
  'GET /api/me/notices': {
    summary: 'Get the channel of the user',
    description:
      'Null when the user has none. Of an address only the host is shown; of e-mail, the confirmed address of the account.',
    schema: ownNoticeChannel,
    guest: 'guestNotices',
    examples: {
      success: { given: 'alice has a channel', answer: { data: CHANNEL } },
      none: { answer: { data: null } },
    },
  },
  'POST /api/me/notices/save': {
    summary: 'Create or replace the channel of the user',
    description:
      'Needs a fresh session. The address must be public and https; `email` has none, and goes to the address that the account has confirmed when a notice is sent. Redirects are not followed. Notices of a webhook are signed with `secret` (Standard Webhooks, HMAC-SHA-256), which is shown only in this answer.',
    schema: savedNoticeChannel,
    guest: 'guestNotices',
    examples: {
      success: { body: channel, answer: { data: { secret: '' } } },
      'e-mail': {
        given: 'alice has a confirmed address',
        body: byEmail,
        answer: { data: { secret: '' } },
      },
      'no confirmed address': {
        given: 'alice has an address that is not confirmed',
        body: byEmail,
        answer: { refusal: 'noConfirmedAddress' },
      },
      'a site without mail': { body: byEmail, answer: { refusal: 'mailOff' } },
      'a private address': {
        body: { ...channel, address: 'https://192.168.1.2/topic' },
        answer: { refusal: 'invalidBody', fill: 'address must be a public https address' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: channel,
        answer: { refusal: 'confirmationNeeded' },
      },
    },
  },
  'POST /api/me/notices/delete': {
    summary: 'Delete the channel of the user',
    description: 'Needs a fresh session.',
    schema: nothing,
    guest: 'guestNotices',
    examples: {
      success: { given: 'alice has a channel', answer: { data: null } },
      none: { answer: { refusal: 'channelNotFound' } },
    },
  },
  'POST /api/me/notices/test': {
    summary: 'Send a test to the channel of the user',
    description: ONE_TEST,
    schema: noticeTest,
    guest: 'guestNotices',
    examples: {
      success: { given: 'alice has a channel', ...sent },
      'a test before': { given: 'alice has a channel and has just tested it', ...tooSoon },
      none: { answer: { refusal: 'channelNotFound' } },
    },
  },
}

const given = 'the admin is signed in, there is a channel'
const slack = {
  kind: 'slack',
  name: 'ops',
  address: 'https://hooks.slack.com/services/T000/B000/x',
  topics: ['new_admin', 'locked_out'],
}

export const adminNoticeOperations: Operations = {
  'GET /api/admin/notice/list': {
    summary: 'List the channels that notices are sent to',
    schema: noticeChannels,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        answer: {
          data: {
            content: [
              {
                ...CHANNEL,
                kind: 'slack',
                name: 'ops',
                target: 'hooks.slack.com',
                topics: ['locked_out', 'new_admin'],
              },
            ],
            total: 1,
          },
        },
      },
      'not an admin': { answer: { refusal: 'notAdmin' } },
    },
  },
  'POST /api/admin/notice/create': {
    summary: 'Create a channel',
    description:
      'Needs a fresh session. `address` is the URL of the webhook; for ntfy it ends in the topic, for Bark in the device key, for e-mail it is the recipient. `token` is that of a Telegram bot, or an access token of ntfy; `chat` is the chat of Telegram; `sender` is the sender of e-mails. Address and tokens are sealed and never shown. `secret` signs the notices of a webhook and is shown only in this answer. At most 20 channels.',
    schema: createdNoticeChannel,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in',
        body: slack,
        answer: { data: { id: 1, secret: '' } },
      },
      'an address without its topic': {
        given: 'the admin is signed in',
        body: { ...slack, kind: 'ntfy', address: 'https://ntfy.sh/' },
        answer: {
          refusal: 'invalidBody',
          fill: 'address must end in the topic or the device key',
        },
      },
      'too many channels': {
        given: 'the admin is signed in, there are 20 channels',
        body: slack,
        answer: { refusal: 'tooManyChannels', fill: '20' },
      },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        body: slack,
        answer: { refusal: 'confirmationNeeded' },
      },
      'not an admin': { body: slack, answer: { refusal: 'notAdmin' } },
    },
  },
  'POST /api/admin/notice/topics': {
    summary: 'Choose what a channel is told',
    description: 'Needs a fresh session.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { id: 1, topics: ['new_admin'] }, answer: { data: null } },
      'no topic': {
        given,
        body: { id: 1, topics: [] },
        answer: { refusal: 'invalidBody', fill: 'topics must name at least one topic' },
      },
      'an unknown id': {
        given,
        body: { id: 99, topics: ['new_admin'] },
        answer: { refusal: 'channelNotFound' },
      },
      'not an admin': {
        body: { id: 1, topics: ['new_admin'] },
        answer: { refusal: 'notAdmin' },
      },
    },
  },
  'POST /api/admin/notice/delete': {
    summary: 'Delete a channel',
    description: 'Needs a fresh session. Notices that wait for it are deleted too.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '1' }, answer: { data: null } },
      'an unknown id': { given, query: { id: '99' }, answer: { refusal: 'channelNotFound' } },
      'an id that is not a number': {
        given,
        query: { id: 'x' },
        answer: { refusal: 'idFormatInvalid' },
      },
      'not an admin': { query: { id: '1' }, answer: { refusal: 'notAdmin' } },
    },
  },
  'POST /api/admin/notice/test': {
    summary: 'Send a test to a channel',
    description: ONE_TEST,
    schema: noticeTest,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '1' }, ...sent },
      'a test before': {
        given: 'the admin is signed in and has just tested the channel',
        query: { id: '1' },
        ...tooSoon,
      },
      'an unknown id': { given, query: { id: '99' }, answer: { refusal: 'channelNotFound' } },
      'an id that is not a number': {
        given,
        query: { id: 'x' },
        answer: { refusal: 'idFormatInvalid' },
      },
      'not an admin': { query: { id: '1' }, answer: { refusal: 'notAdmin' } },
    },
  },
}
