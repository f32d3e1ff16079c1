import * as v from 'valibot'
import { DEFAULT_SETTINGS } from '../defaults.ts'
import type { Operations } from '../../../../scripts/openapi/operation.ts'
import { publicSettings } from '../../../../scripts/openapi/schemas.ts'

export const publicOperations: Operations = {
  'GET /ping': {
    summary: 'Check that the service is up',
    description: 'Every method gets the same answer.',
    needs: [],
    plain: 'text/plain',
    schema: v.literal('pong'),
    examples: { success: { answer: { raw: 'pong' } } },
  },
  'GET /api/public/settings': {
    summary: 'Get the public settings',
    description: 'Every value is a string. The answer has an `ETag`.',
    needs: ['database'],
    schema: publicSettings,
    otherStatus: { '304': 'The settings still have the ETag in `If-None-Match`.' },
    examples: { success: { answer: { data: DEFAULT_SETTINGS } } },
  },
  'GET /api/public/archive_extensions': {
    summary: 'List the archive types that can be browsed',
    description: 'The list is empty.',
    needs: [],
    schema: v.array(v.string()),
    examples: { success: { answer: { data: [] } } },
  },
  'GET /robots.txt': {
    summary: 'Get the text of the setting `robots_txt`',
    needs: ['database'],
    plain: 'text/plain',
    schema: v.string(),
    examples: { success: { answer: { raw: DEFAULT_SETTINGS.robots_txt } } },
  },
  'GET /.well-known/security.txt': {
    summary: 'Get the contact for security problems (RFC 9116)',
    description:
      'The contact is the setting `security_contact`. `Expires` is half a year from now.',
    needs: ['database'],
    plain: 'text/plain',
    schema: v.string(),
    otherStatus: { '404': 'Administrators have set no contact.' },
    examples: {
      success: {
        given: 'nobody is signed in, an administrator set a security contact',
        answer: {
          raw: 'Contact: mailto:security@example.org\nExpires: 2027-05-20T09:15:06Z\n',
        },
      },
    },
  },
  'GET /.well-known/webauthn': {
    summary: 'List the other sites that may use passkeys of this one (WebAuthn, related origins)',
    description: 'The origins are the setting `passkey_related_origins`.',
    needs: ['database'],
    plain: 'application/json',
    schema: v.strictObject({ origins: v.array(v.string()) }),
    otherStatus: { '404': 'Administrators have set no origins.' },
    examples: {
      success: {
        given: 'nobody is signed in, an administrator set a related origin',
        answer: { raw: { origins: ['https://example.com'] } },
      },
    },
  },
  'GET /favicon.ico': {
    summary: 'Redirect to the address in the setting `favicon`',
    needs: ['database'],
    plain: 'text/plain',
    schema: v.literal(''),
    redirects: 302,
    examples: { success: { answer: { raw: '' } } },
  },
}
