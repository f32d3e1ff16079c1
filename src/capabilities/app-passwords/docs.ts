import * as v from 'valibot'
import type { Operations } from '../../../scripts/openapi/operation.ts'
import { appPasswords, createdAppPassword, nothing } from '../../../scripts/openapi/schemas.ts'

const TOKEN = `lk_${'0'.repeat(32)}0dawgh`
const RCLONE = {
  id: 1,
  name: 'rclone',
  scopes: ['files:read'],
  created_at: '2026-11-21T09:15:06.565+00:00',
  expires_at: '2027-11-21T09:15:06.565+00:00',
  last_used_at: null,
  last_network: null,
  lacks_second_factor: false,
}
const request = { name: 'rclone', scopes: ['files:read'] }
const listed = { answer: { data: { content: [RCLONE], total: 1 } } }

export const appPasswordOperations: Operations = {
  'GET /api/me/tokens': {
    summary: 'List the app passwords of the user',
    description:
      'In the order of their ids, without the app passwords themselves. `last_used_at` moves at most once an hour. `last_network` is null until a use from a network that Latchkey sees. An expired app password stays in the list for 30 days. One with `lacks_second_factor` opens nothing: the site demands a second factor of its user, and it was made without one (`/api/me/credentials/keep`).',
    schema: appPasswords,
    guest: 'guestTokens',
    examples: { success: { given: 'alice has an app password', ...listed } },
  },
  'POST /api/me/tokens/create': {
    summary: 'Create an app password',
    description:
      'Needs a fresh session. `token` is shown only in this answer. `expires_at` is an RFC 3339 time, or null for never; without it, the app password ends after a year. Only admins get the scope `admin`. A user has at most 50. Example: `curl -H "Authorization: $TOKEN" -d \'{"name":"rclone","scopes":["files:read"]}\' https://accounts.example.org/api/me/tokens/create`',
    schema: createdAppPassword,
    guest: 'guestTokens',
    examples: {
      success: { body: request, answer: { data: { id: 1, token: TOKEN } } },
      'an app password that never expires': {
        body: { ...request, expires_at: null },
        answer: { data: { id: 1, token: TOKEN } },
      },
      'an unknown scope': {
        body: { ...request, scopes: ['files'] },
        answer: {
          refusal: 'invalidBody',
          fill: 'scopes.0 must be one of files:read, files:write, account:read, account:write, admin',
        },
      },
      'an expiry in the past': {
        body: { ...request, expires_at: '2020-01-01T00:00:00Z' },
        answer: { refusal: 'invalidBody', fill: 'expires_at must be in the future' },
      },
      'a taken name': {
        given: 'alice has an app password',
        body: request,
        answer: { refusal: 'tokenNameTaken' },
      },
      'too many app passwords': {
        given: 'alice has 50 app passwords',
        body: request,
        answer: { refusal: 'tooManyTokens', fill: '50' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: request,
        answer: { refusal: 'confirmationNeeded' },
      },
      'the scope of admins': {
        body: { ...request, scopes: ['admin'] },
        answer: { refusal: 'notAdmin' },
      },
    },
  },
  'POST /api/me/tokens/delete': {
    summary: 'Delete an app password of the user',
    description: 'It is refused from the next request on.',
    schema: nothing,
    guest: 'guestTokens',
    examples: {
      success: {
        given: 'alice has an app password',
        query: { id: '1' },
        answer: { data: null },
      },
      'an unknown id': { query: { id: '99' }, answer: { refusal: 'tokenNotFound' } },
      'an id that is not a number': { query: { id: 'x' }, answer: { refusal: 'idFormatInvalid' } },
    },
  },
}

export const adminAppPasswordOperations: Operations = {
  'GET /api/admin/user/token/list': {
    summary: 'List the app passwords of a user',
    schema: appPasswords,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, alice has an app password',
        query: { uid: '3' },
        ...listed,
      },
      'a user who is no admin': {
        given: 'alice is signed in',
        query: { uid: '3' },
        answer: { refusal: 'notAdmin' },
      },
      'an unknown user': {
        given: 'the admin is signed in',
        query: { uid: '99' },
        answer: { refusal: 'userNotFound' },
      },
      'an id that is not a number': {
        given: 'the admin is signed in',
        query: { uid: 'x' },
        answer: { refusal: 'userIdFormatInvalid' },
      },
    },
  },
  'POST /api/admin/user/token/delete': {
    summary: 'Delete an app password of a user',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given: 'the admin is signed in, alice has an app password',
        query: { uid: '3', id: '1' },
        answer: { data: null },
      },
      'a user who is no admin': {
        given: 'alice is signed in',
        query: { uid: '3', id: '1' },
        answer: { refusal: 'notAdmin' },
      },
      'the id of another user': {
        given: 'the admin is signed in, alice has an app password',
        query: { uid: '1', id: '1' },
        answer: { refusal: 'tokenNotFound' },
      },
      'an id that is not a number': {
        given: 'the admin is signed in',
        query: { uid: '3', id: 'x' },
        answer: { refusal: 'idFormatInvalid' },
      },
    },
  },
}

const forServers = 'a server has a service token, alice has an app password'
const forFiles = 'alice may use WebDAV and has an app password for files'
const forReading = 'alice may use WebDAV and has an app password for reading files'

/** The endpoints with which servers ask about tokens. */
export const tokenServerOperations: Operations = {
  'POST /oauth/introspect': {
    summary: 'Ask whether a token is in force (RFC 7662)',
    description:
      'For app passwords, the tokens of sessions, and access tokens of apps, which have `aud` and `client_id` and no right to files. The service token has the scope `introspect` and is sent as a bearer token, or as the password of basic authentication. `permission` has only the bits that the scopes leave. Example: `curl -u files:$SERVICE_TOKEN -d token=lk_… https://accounts.example.org/oauth/introspect`',
    security: 'serviceToken',
    needs: ['database'],
    plain: 'application/json',
    form: v.object({ token: v.string(), token_type_hint: v.optional(v.string()) }),
    schema: v.union([
      v.strictObject({ active: v.literal(false) }),
      v.strictObject({
        active: v.literal(true),
        sub: v.pipe(v.string(), v.description('of the user: 128 random bits, never used again')),
        username: v.string(),
        scope: v.string(),
        exp: v.pipe(v.optional(v.number()), v.description('missing when it never expires')),
        iat: v.number(),
        token_type: v.literal('Bearer'),
        base_path: v.string(),
        permission: v.number(),
        role: v.picklist([0, 2]),
        groups: v.pipe(v.array(v.string()), v.description('`admin` or `user`, then own groups')),
      }),
      v.strictObject({
        active: v.literal(true),
        aud: v.pipe(v.string(), v.description('the app that the access token is for')),
        client_id: v.string(),
        sub: v.string(),
        username: v.string(),
        scope: v.string(),
        exp: v.number(),
        iat: v.number(),
        token_type: v.literal('Bearer'),
        permission: v.literal(0),
        groups: v.pipe(v.optional(v.array(v.string())), v.description('with the scope `groups`')),
      }),
    ]),
    examples: {
      success: {
        given: forServers,
        form: { token: TOKEN },
        answer: {
          raw: {
            active: true,
            sub: '9b1f0c6ad2e84b7397f5a01c3de86b24',
            username: 'alice',
            scope: 'files:read',
            exp: 1_826_788_506,
            iat: 1_795_252_506,
            token_type: 'Bearer',
            base_path: '/',
            permission: 0,
            role: 0,
            groups: ['user'],
          },
        },
      },
      'a token that is not in force': {
        given: forServers,
        form: { token: 'unknown' },
        answer: { raw: { active: false } },
      },
      'no token': {
        given: forServers,
        form: { token: '' },
        answer: { raw: { error: 'invalid_request' }, status: 400 },
      },
      'a wrong service token': {
        given: 'alice is signed in',
        form: { token: TOKEN },
        answer: { raw: { error: 'invalid_client' }, status: 401 },
      },
    },
  },
  'GET /api/forward_auth': {
    summary: 'Decide for a proxy whether a request may pass',
    description:
      'For `auth_request` of nginx, `forward_auth` of Caddy and `ForwardAuth` of Traefik. The proxy passes on the `Authorization` of the request: basic authentication with the user name and an app password, or a bearer token. GET, HEAD, OPTIONS and PROPFIND need the permission to read over WebDAV and the scope `files:read`; every other method, and a request whose method is not certain, needs the permission to write and `files:write`. With `allowed_groups=finance,hr`, users who are in none of these groups get 403, and with an empty `allowed_groups`, or any parameter beside it, everybody does; names are compared without case. The answer has no body. `Remote-Groups` has the names of the user’s groups, separated by commas, `admin` or `user` first. `Remote-User`, `Remote-Groups` and `X-Base-Path` are percent-encoded UTF-8. `X-Permission` has only the bits that the scopes leave. A 401 has `WWW-Authenticate`. Example: `curl -i -u alice:lk_… -H "X-Original-Method: GET" https://accounts.example.org/api/forward_auth`',
    security: 'appPassword',
    plain: 'text/plain',
    headers: ['X-Forwarded-Method', 'X-Forwarded-Uri', 'X-Original-Method'],
    schema: v.literal(''),
    examples: {
      success: {
        given: forReading,
        headers: { 'X-Original-Method': 'PROPFIND' },
        answer: { raw: '' },
      },
      'a write': {
        given: forFiles,
        headers: { 'X-Forwarded-Method': 'PUT' },
        answer: { raw: '' },
      },
      'a write without its scope': {
        given: forReading,
        headers: { 'X-Forwarded-Method': 'PUT' },
        answer: { refusal: 'scopeNeeded', fill: 'files:write' },
      },
      'another group': {
        given: forReading,
        query: { allowed_groups: 'finance,hr' },
        headers: { 'X-Original-Method': 'GET' },
        answer: { refusal: 'groupDenied' },
      },
      'no permission': {
        given: 'alice is signed in',
        headers: { 'X-Original-Method': 'GET' },
        answer: { refusal: 'filesNotPermitted' },
      },
      'an app password of another scope': {
        given: 'alice has an app password of another scope',
        headers: { 'X-Original-Method': 'GET' },
        answer: { refusal: 'scopeNeeded', fill: 'files:read' },
      },
      'no credential': {
        given: 'nobody is signed in',
        headers: { 'X-Original-Method': 'GET' },
        answer: { refusal: 'tokenInvalidated' },
      },
    },
  },
}
