import {
  success,
  passwordRequired,
  badRequest,
  wrongCredentials,
  unknownPath,
  methodNotAllowed,
  htmlPage,
  emptyOk,
  noContent,
  redirectPostToSlashless,
  emptyNotAllowed,
  missing,
  wrongType,
} from '../outcomes.ts'
import { get, post, send, login, loginHash } from '../requests.ts'
import type { Row } from '../row.ts'

/** The static digest of `admin-Passw0rd` (docs/interface.md, Values). */
const ADMIN_DIGEST = '48ac3d93cee8e78fc42a0b419dcc62036fefb413dca238e8ce4365a0206f20f8'

export const loginHashRows: Row[] = [
  {
    recording: 'login-hash/success',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: ADMIN_DIGEST, otp_code: '' }),
    reference: success,
  },
  {
    recording: 'login-hash/upper-case hex',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: ADMIN_DIGEST.toUpperCase() }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/leading space',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: ` ${ADMIN_DIGEST}` }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/trailing newline',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: `${ADMIN_DIGEST}\n` }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/wrong suffix (OpenListTeam salt)',
    given: 'admin and a disabled guest',
    request: loginHash({
      username: 'admin',
      password: '578c7e66cf1fa1122ced67c2bd913984c632914a4103fc3c3022234e764ad5dd',
    }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/raw password instead of hash',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: 'admin-Passw0rd' }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/hash given to plain /login',
    given: 'admin and a disabled guest',
    request: login({ username: 'admin', password: ADMIN_DIGEST }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/empty password',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: '' }),
    reference: wrongCredentials,
    expect: passwordRequired,
    because: 'ownText',
  },
  {
    recording: 'login-hash/unknown user',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'nobody', password: ADMIN_DIGEST }),
    reference: wrongCredentials,
  },
  {
    recording: 'login-hash/wrong type',
    given: 'admin and a disabled guest',
    request: loginHash({ username: 'admin', password: 5 }),
    reference: wrongType('number into Go struct field LoginReq.password of type string'),
    expect: badRequest,
  },
  {
    recording: 'login-hash/no body',
    given: 'admin and a disabled guest',
    request: loginHash(undefined, { 'Content-Type': 'application/json' }),
    reference: { code: 400, message: 'EOF' },
    expect: badRequest,
  },
  {
    recording: 'login-hash/invalid JSON',
    given: 'admin and a disabled guest',
    request: loginHash('{'),
    reference: { code: 400, message: 'unexpected EOF' },
    expect: badRequest,
  },
  {
    recording: 'login-hash/null',
    given: 'admin and a disabled guest',
    request: loginHash('null'),
    reference: missing('LoginReq.Username'),
    expect: badRequest,
  },
  {
    recording: 'login-hash/unicode user',
    given: 'users with odd names',
    request: loginHash({
      username: 'ユーザー',
      password: 'd903184b3ddf358d2d0b7ee05cba1d85549f9ed0889b9a94b6d687ec73c0c285',
    }),
    reference: success,
  },
  {
    recording: 'login-hash/disabled user',
    given: 'a disabled user',
    request: loginHash({
      username: 'disabled1',
      password: 'd92ead7d66488621952c3a34beb695c0512218f4867d1c7830222ac3522db79f',
    }),
    reference: success,
    expect: wrongCredentials,
    because: 'noTokenForThem',
  },
  {
    recording: 'login-hash/guest',
    given: 'admin and a disabled guest',
    request: loginHash({
      username: 'guest',
      password: '58dbc53287db56c2f3d2c1ff16620af6d6cc4a09ae5109620f2162313f345ec2',
    }),
    reference: success,
    expect: wrongCredentials,
    because: 'noTokenForThem',
  },
  {
    recording: 'login-hash/method GET',
    given: 'admin and a disabled guest',
    request: get('/api/auth/login/hash'),
    reference: htmlPage,
    expect: methodNotAllowed,
    because: 'wrongMethod',
  },
  {
    recording: 'login-hash/method HEAD',
    given: 'admin and a disabled guest',
    request: send('HEAD', '/api/auth/login/hash'),
    reference: emptyNotAllowed,
    expect: emptyOk,
    because: 'oneEnvelope',
  },
  {
    recording: 'login-hash/method OPTIONS',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/auth/login/hash'),
    reference: emptyNotAllowed,
    expect: noContent,
    because: 'accident',
  },
  {
    recording: 'login-hash/trailing slash',
    given: 'admin and a disabled guest',
    request: post('/api/auth/login/hash/', { username: 'admin', password: ADMIN_DIGEST }),
    reference: redirectPostToSlashless,
    expect: unknownPath,
    because: 'accident',
  },
]
