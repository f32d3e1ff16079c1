import {
  badRequest,
  guestDisabled,
  unknownPath,
  htmlPage,
  pong,
  noContent,
  emptyNotAllowed,
  missing,
} from '../outcomes.ts'
import { get, send, login } from '../requests.ts'
import type { Row } from '../row.ts'

const fromElsewhere = { Origin: 'https://evil.example' }

export const corsRows: Row[] = [
  {
    recording: 'cors/GET /ping with Origin',
    given: 'admin and a disabled guest',
    request: get('/ping', fromElsewhere),
    reference: pong,
  },
  {
    recording: 'cors/POST /api/auth/login with Origin',
    given: 'admin and a disabled guest',
    request: login({}, fromElsewhere),
    reference: missing('LoginReq.Username'),
    expect: badRequest,
  },
  {
    recording: 'cors/GET /api/me with Origin',
    given: 'admin and a disabled guest',
    request: get('/api/me', fromElsewhere),
    reference: guestDisabled,
  },
  {
    recording: 'cors/GET /api/nope with Origin',
    given: 'admin and a disabled guest',
    request: get('/api/nope', fromElsewhere),
    reference: htmlPage,
    expect: unknownPath,
    because: 'unknownPath',
  },
  {
    recording: 'cors/GET /robots.txt with Origin',
    given: 'admin and a disabled guest',
    request: get('/robots.txt', fromElsewhere),
    reference: { http: 200, text: 'User-agent: *\nAllow: /' },
  },
  {
    recording: 'cors/preflight /api/auth/login for POST content-type',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/auth/login', {
      ...fromElsewhere,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    }),
    reference: noContent,
  },
  {
    recording: 'cors/preflight /api/me for GET authorization',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/me', {
      ...fromElsewhere,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }),
    reference: noContent,
  },
  {
    recording: 'cors/preflight /api/admin/user/list for GET authorization',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/admin/user/list', {
      ...fromElsewhere,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'authorization',
    }),
    reference: noContent,
  },
  {
    recording: 'cors/preflight /ping for GET ',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/ping', { ...fromElsewhere, 'Access-Control-Request-Method': 'GET' }),
    reference: noContent,
  },
  {
    recording: 'cors/preflight /robots.txt for GET ',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/robots.txt', {
      ...fromElsewhere,
      'Access-Control-Request-Method': 'GET',
    }),
    reference: noContent,
  },
  {
    recording: 'cors/OPTIONS without Origin',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/me'),
    reference: emptyNotAllowed,
    expect: noContent,
    because: 'accident',
  },
  {
    recording: 'cors/same Origin as Host, OPTIONS',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/me', {
      Origin: 'http://localhost',
      'Access-Control-Request-Method': 'GET',
    }),
    reference: emptyNotAllowed,
    expect: noContent,
    because: 'accident',
  },
  {
    recording: 'cors/Origin with private network request',
    given: 'admin and a disabled guest',
    request: send('OPTIONS', '/api/me', {
      ...fromElsewhere,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Private-Network': 'true',
    }),
    reference: noContent,
  },
]
