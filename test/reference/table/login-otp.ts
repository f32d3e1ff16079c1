import {
  success,
  badRequest,
  wrongCredentials,
  wrongCode,
  tooManyAttempts,
  notFoundText,
  wrongType,
} from '../outcomes.ts'
import { send, login, loginHash } from '../requests.ts'
import type { Row } from '../row.ts'

/** Of `alice-Passw0rd`. */
const ALICE_DIGEST = 'd79a85561d52b6eff3a726ad6d36accbab0873611391f62859f81316a606cf9b'

export const loginOtpRows: Row[] = [
  {
    recording: 'login-otp/missing code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd' }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/null code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: null }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/5 digits',
    given: 'two-step verification on',
    request: login({
      username: 'alice',
      password: 'alice-Passw0rd',
      otp_code: '{{code without its first digit}}',
    }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/code of the old (replaced) secret',
    given: 'two-step verification on, with the second secret',
    request: login({
      username: 'alice',
      password: 'alice-Passw0rd',
      otp_code: '{{code of the first}}',
    }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/right code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code}}' }),
    reference: success,
  },
  {
    recording: 'login-otp/reused code (same window, second login)',
    given: 'alice used a code',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code}}' }),
    reference: success,
    expect: wrongCode,
    because: 'ownSecretOnce',
  },
  {
    recording: 'login-otp/previous-window code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code-1}}' }),
    reference: success,
  },
  {
    recording: 'login-otp/two windows back',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code-2}}' }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/older code after a newer one was used',
    given: 'alice used a code after an older one',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code-1}}' }),
    reference: success,
    expect: wrongCode,
    because: 'ownSecretOnce',
  },
  {
    recording: 'login-otp/code as number',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: 123456 }),
    reference: wrongType('number into Go struct field LoginReq.otp_code of type string'),
    expect: badRequest,
  },
  {
    recording: 'login-otp/wrong password, right code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'no', otp_code: '{{code}}' }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-otp/wrong password, no code',
    given: 'two-step verification on',
    request: login({ username: 'alice', password: 'no' }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-otp/hash login, no code',
    given: 'two-step verification on',
    request: loginHash({ username: 'alice', password: ALICE_DIGEST }),
    reference: wrongCode,
  },
  {
    recording: 'login-otp/hash login, right code',
    given: 'two-step verification on',
    request: loginHash({ username: 'alice', password: ALICE_DIGEST, otp_code: '{{code}}' }),
    reference: success,
  },
  {
    recording: 'login-otp/right password and code after 5 x 402',
    given: 'alice left the code out five times',
    request: login({ username: 'alice', password: 'alice-Passw0rd', otp_code: '{{code}}' }),
    reference: tooManyAttempts,
    expect: success,
    because: 'emptyCodeIsFree',
  },
  {
    recording: 'login-otp/WebDAV basic auth with password only (OTP on)',
    given: 'two-step verification on',
    request: send('PROPFIND', '/dav/', {
      Authorization: 'Basic YWxpY2U6YWxpY2UtUGFzc3cwcmQ=',
      Depth: '0',
    }),
    reference: { http: 207 },
    expect: notFoundText,
    because: 'accident',
  },
  {
    recording: 'login-otp/WebDAV basic auth, wrong password (OTP on)',
    given: 'two-step verification on',
    request: send('PROPFIND', '/dav/', { Authorization: 'Basic YWxpY2U6bm8=', Depth: '0' }),
    reference: { http: 401 },
    expect: notFoundText,
    because: 'accident',
  },
]
