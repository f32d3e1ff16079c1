import * as v from 'valibot'
import { discoveryDocument } from './discovery.ts'
import type { Operation, Operations } from '../../../scripts/openapi/operation.ts'

/** The origin at which the tests ask. */
const ISSUER = 'http://localhost'

/** An app may authenticate in the form instead of the header. */
const clientFields = {
  client_id: v.optional(v.string()),
  client_secret: v.optional(v.string()),
}

const form = v.object({
  grant_type: v.picklist(['authorization_code', 'refresh_token']),
  code: v.optional(v.string()),
  redirect_uri: v.optional(v.string()),
  code_verifier: v.optional(v.string()),
  refresh_token: v.optional(v.string()),
  scope: v.optional(v.string()),
  ...clientFields,
})

const client = { client_id: '5f3c1d2e4b6a798001122334', client_secret: 'lks_…' }
const REDIRECT_URI = 'https://files.example.org/api/auth/sso_callback?method=sso_get_token'
const TOKEN_FORM = {
  grant_type: 'authorization_code',
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  redirect_uri: REDIRECT_URI,
  ...client,
}

const metadata = discoveryDocument(ISSUER)

const discovery: Operation = {
  summary: 'Read the metadata of the OpenID provider',
  description:
    'OpenID Connect Discovery 1.0 and RFC 8414. `issuer` is the variable `ISSUER` of `wrangler.toml`, or the address of the request. Browsers go to `authorization_endpoint` and `end_session_endpoint`, which are pages.',
  needs: [],
  plain: 'application/json',
  schema: v.strictObject(
    Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, kindOf(value)])),
  ),
  examples: { success: { answer: { raw: metadata } } },
}

function kindOf(value: unknown) {
  if (Array.isArray(value)) return v.array(v.string())
  return typeof value === 'boolean' ? v.boolean() : v.string()
}

const claims = v.strictObject({
  sub: v.pipe(v.string(), v.description('of the user: 128 random bits, never used again')),
  name: v.pipe(v.optional(v.string()), v.description('with the scope `profile`')),
  preferred_username: v.pipe(v.optional(v.string()), v.description('with the scope `profile`')),
  updated_at: v.pipe(
    v.optional(v.number()),
    v.description('with the scope `profile`; Unix time, seconds'),
  ),
  email: v.pipe(
    v.optional(v.string()),
    v.description('with the scope `email`; only an address that its user has confirmed'),
  ),
  email_verified: v.pipe(v.optional(v.literal(true)), v.description('with `email`')),
  groups: v.pipe(
    v.optional(v.array(v.string())),
    v.description('with the scope `groups`: `admin` or `user`, then own groups'),
  ),
})

const userInfo: Operation = {
  summary: 'Read the claims about the user of an access token',
  description:
    'OpenID Connect Core 1.0, section 5.3. The access token is sent as a bearer token, or as `access_token` of a form. A 401 has `WWW-Authenticate: Bearer`.',
  security: 'accessToken',
  needs: [],
  plain: 'application/json',
  schema: claims,
  examples: {
    success: {
      given: 'a program has an access token of alice',
      answer: {
        raw: {
          sub: '9b1f0c6ad2e84b7397f5a01c3de86b24',
          name: 'alice',
          preferred_username: 'alice',
          updated_at: 1_795_252_506,
        },
      },
    },
    'a token that is not in force': {
      given: 'a program has a token that is not in force',
      answer: {
        raw: {
          error: 'invalid_token',
          error_description: 'the access token is not in force',
        },
        status: 401,
      },
    },
  },
}

/** The endpoints for apps that sign users in through this site. */
export const openidOperations: Operations = {
  'GET /.well-known/openid-configuration': discovery,
  'GET /.well-known/oauth-authorization-server': discovery,
  'GET /oauth/jwks': {
    summary: 'Read the keys that sign ID tokens (RFC 7517)',
    description:
      'A new key is shown before it signs, and an old one until its last token has ended.',
    needs: [],
    plain: 'application/json',
    schema: v.strictObject({ keys: v.array(v.looseObject({ kid: v.string() })) }),
    examples: {
      success: {
        answer: { raw: { keys: [{ kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }] } },
      },
    },
  },
  'POST /oauth/token': {
    summary: 'Exchange a code or a refresh token for tokens (RFC 6749)',
    description:
      'The credentials of the client stand in HTTP Basic or in the form. A code works once, for a minute. A second use of a code or of a replaced refresh token ends everything that came of it. Example: `curl -u $CLIENT_ID:$CLIENT_SECRET -d grant_type=authorization_code -d code=… -d redirect_uri=… https://accounts.example.org/oauth/token`',
    security: 'client',
    needs: ['database'],
    plain: 'application/json',
    form,
    schema: v.strictObject({
      access_token: v.string(),
      token_type: v.literal('Bearer'),
      expires_in: v.pipe(v.number(), v.description('seconds')),
      scope: v.string(),
      id_token: v.string(),
      refresh_token: v.pipe(v.optional(v.string()), v.description('with `offline_access`')),
    }),
    examples: {
      success: {
        given: 'a program has a code of alice',
        form: TOKEN_FORM,
        answer: {
          raw: {
            access_token: 'lka_…',
            token_type: 'Bearer',
            expires_in: 3600,
            scope: 'openid profile',
            id_token: 'eyJhbGciOiJSUzI1NiIs…',
          },
        },
      },
      'a code that is not in force': {
        given: 'a program has a code of alice',
        form: { ...TOKEN_FORM, code: 'unknown' },
        answer: {
          raw: {
            error: 'invalid_grant',
            error_description: 'the code or the token is wrong, used or expired',
          },
          status: 400,
        },
      },
      'a wrong secret': {
        given: 'nobody is signed in',
        form: TOKEN_FORM,
        answer: {
          raw: {
            error: 'invalid_client',
            error_description: 'the client or its secret is not known',
          },
          status: 401,
        },
      },
    },
  },
  'GET /oauth/userinfo': userInfo,
  'POST /oauth/userinfo': userInfo,
  'POST /oauth/revoke': {
    summary: 'End an access token or a refresh token (RFC 7009)',
    description:
      'A refresh token ends everything that came of the same sign-in. An unknown token is no error.',
    security: 'client',
    needs: ['database'],
    plain: 'application/json',
    form: v.object({ token: v.string(), token_type_hint: v.optional(v.string()), ...clientFields }),
    schema: v.strictObject({}),
    examples: {
      success: {
        given: 'a program has a code of alice',
        form: { token: 'lkr_…', ...client },
        answer: { raw: {} },
      },
      'a wrong secret': {
        given: 'nobody is signed in',
        form: { token: 'lkr_…', ...client },
        answer: {
          raw: {
            error: 'invalid_client',
            error_description: 'the client or its secret is not known',
          },
          status: 401,
        },
      },
    },
  },
}
