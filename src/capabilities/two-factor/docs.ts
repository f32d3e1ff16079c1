import type { Operations } from '../../../scripts/openapi/operation.ts'
import { enrolment, nothing, recoveryCodes } from '../../../scripts/openapi/schemas.ts'

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const codeBody = { otp_code: '123456' }
const refusedCodes = {
  'a wrong code': {
    given: 'alice uses two-step verification',
    body: { otp_code: '000000' },
    answer: { refusal: 'wrongEnrolmentCode' },
  },
  'a session that is not fresh': {
    given: 'alice signed in an hour ago',
    body: codeBody,
    answer: { refusal: 'confirmationNeeded' },
  },
  'two-step verification is off': {
    given: 'alice is signed in',
    body: codeBody,
    answer: { refusal: 'twoFactorOff' },
  },
  'too many wrong codes': {
    given: 'alice entered ten wrong codes',
    body: codeBody,
    answer: { refusal: 'tooManyAttempts' },
  },
} as const

export const twoFactorOperations: Operations = {
  'POST /api/auth/2fa/generate': {
    withoutFactor: 'to enrol',
    summary: 'Get a new secret for an authenticator app',
    description:
      'The secret takes effect when the same session verifies a code from it, within ten minutes.',
    schema: enrolment,
    guest: 'guestTwoFactor',
    examples: {
      success: { answer: { data: { qr: 'data:image/png;base64,iVBORw0KGgo=', secret: SECRET } } },
      'two-step verification is on': {
        given: 'alice uses two-step verification',
        answer: { refusal: 'twoFactorAlreadyOn' },
      },
    },
  },
  'POST /api/auth/2fa/verify': {
    withoutFactor: 'to enrol',
    summary: 'Turn on two-step verification',
    description:
      'Needs a fresh session. From then on, sign-ins need a code. The other sessions of the user end, and everything that apps got.',
    schema: nothing,
    guest: 'guestTwoFactor',
    examples: {
      success: {
        given: 'alice was shown a QR code',
        body: { code: '123456', secret: SECRET },
        answer: { data: null },
      },
      'a missing field': {
        body: { secret: SECRET },
        answer: { refusal: 'invalidBody', fill: 'code is required' },
      },
      'a wrong code': {
        body: { code: '000000', secret: SECRET },
        answer: { refusal: 'wrongEnrolmentCode' },
      },
      'a session that is not fresh': {
        given: 'alice signed in an hour ago',
        body: { code: '123456', secret: SECRET },
        answer: { refusal: 'confirmationNeeded' },
      },
    },
  },
  'POST /api/auth/2fa/recovery_codes': {
    summary: 'Get ten new recovery codes',
    description: 'Needs a fresh session. The codes are shown once. The old codes stop working.',
    schema: recoveryCodes,
    guest: 'guestTwoFactor',
    examples: {
      success: {
        given: 'alice uses two-step verification',
        body: codeBody,
        answer: { data: { recovery_codes: Array.from({ length: 10 }, () => 'abcde-fghij') } },
      },
      'a missing field': {
        body: {},
        answer: { refusal: 'invalidBody', fill: 'otp_code is required' },
      },
      ...refusedCodes,
    },
  },
  'POST /api/auth/2fa/disable': {
    summary: 'Turn off two-step verification',
    description:
      'Needs a fresh session. The other sessions of the user end, and everything that apps got. Refused (403) for the last second factor of a user of whom the site demands one.',
    schema: nothing,
    guest: 'guestTwoFactor',
    examples: {
      success: {
        given: 'alice uses two-step verification',
        body: codeBody,
        answer: { data: null },
      },
      'a missing field': {
        body: {},
        answer: { refusal: 'invalidBody', fill: 'otp_code is required' },
      },
      'the last second factor of a user who needs one': {
        given: 'the site demands a second factor, alice has only an authenticator app',
        body: codeBody,
        answer: { refusal: 'lastFactor' },
      },
      ...refusedCodes,
    },
  },
}
