import {
  success,
  usernameRequired,
  badRequest,
  wrongCredentials,
  bodyTooLarge,
} from '../outcomes.ts'
import { asForm, post, login, filler, MEGABYTE } from '../requests.ts'
import type { Row } from '../row.ts'

/** A body that is not UTF-8. */
function bytes(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

export const loginBodiesRows: Row[] = [
  {
    recording: 'login/no body, no content-type',
    given: 'admin and a disabled guest',
    request: login(undefined),
    reference: {
      code: 400,
      message:
        "Key: 'LoginReq.Username' Error:Field validation for 'Username' failed on the 'required' tag",
    },
    expect: badRequest,
  },
  {
    recording: 'login/no body, json content-type',
    given: 'admin and a disabled guest',
    request: login(undefined, { 'Content-Type': 'application/json' }),
    reference: { code: 400, message: 'EOF' },
    expect: badRequest,
  },
  {
    recording: 'login/empty body, json',
    given: 'admin and a disabled guest',
    request: login(''),
    reference: { code: 400, message: 'EOF' },
    expect: badRequest,
  },
  {
    recording: 'login/invalid JSON: {',
    given: 'admin and a disabled guest',
    request: login('{'),
    reference: { code: 400, message: 'unexpected EOF' },
    expect: badRequest,
  },
  {
    recording: 'login/invalid JSON: text',
    given: 'admin and a disabled guest',
    request: login('hello'),
    reference: { code: 400, message: "invalid character 'h' looking for beginning of value" },
    expect: badRequest,
  },
  {
    recording: 'login/invalid JSON: single quotes',
    given: 'admin and a disabled guest',
    request: login("{'username':'admin'}"),
    reference: {
      code: 400,
      message: "invalid character '\\'' looking for beginning of object key string",
    },
    expect: badRequest,
  },
  {
    recording: 'login/invalid JSON: trailing comma',
    given: 'admin and a disabled guest',
    request: login('{"username":"admin",}'),
    reference: {
      code: 400,
      message: "invalid character '}' looking for beginning of object key string",
    },
    expect: badRequest,
  },
  {
    recording: 'login/truncated JSON',
    given: 'admin and a disabled guest',
    request: login('{"username":"admin","pass'),
    reference: { code: 400, message: 'unexpected EOF' },
    expect: badRequest,
  },
  {
    recording: 'login/JSON array',
    given: 'admin and a disabled guest',
    request: login([]),
    reference: {
      code: 400,
      message: 'json: cannot unmarshal array into Go value of type handles.LoginReq',
    },
    expect: badRequest,
  },
  {
    recording: 'login/JSON string',
    given: 'admin and a disabled guest',
    request: login('"admin"'),
    reference: {
      code: 400,
      message: 'json: cannot unmarshal string into Go value of type handles.LoginReq',
    },
    expect: badRequest,
  },
  {
    recording: 'login/JSON number',
    given: 'admin and a disabled guest',
    request: login('5'),
    reference: {
      code: 400,
      message: 'json: cannot unmarshal number into Go value of type handles.LoginReq',
    },
    expect: badRequest,
  },
  {
    recording: 'login/JSON true',
    given: 'admin and a disabled guest',
    request: login('true'),
    reference: {
      code: 400,
      message: 'json: cannot unmarshal bool into Go value of type handles.LoginReq',
    },
    expect: badRequest,
  },
  {
    recording: 'login/good JSON then garbage',
    given: 'admin and a disabled guest',
    request: login('{"username":"admin","password":"admin-Passw0rd"} garbage'),
    reference: success,
    expect: badRequest,
    because: 'ownText',
  },
  {
    recording: 'login/good JSON then second JSON',
    given: 'admin and a disabled guest',
    request: login('{"username":"admin","password":"admin-Passw0rd"}{"username":"nobody"}'),
    reference: success,
    expect: badRequest,
    because: 'ownText',
  },
  {
    recording: 'login/leading whitespace/newlines',
    given: 'admin and a disabled guest',
    request: login('\r\n\t {"username":"admin","password":"admin-Passw0rd"}'),
    reference: success,
    expect: success,
  },
  {
    recording: 'login/UTF-8 BOM',
    given: 'admin and a disabled guest',
    request: login('\uFEFF{"username":"admin","password":"admin-Passw0rd"}'),
    reference: { code: 400, message: "invalid character 'ï' looking for beginning of value" },
    expect: badRequest,
  },
  {
    recording: 'login/duplicate key, last one right',
    given: 'admin and a disabled guest',
    request: login('{"username":"nobody","username":"admin","password":"admin-Passw0rd"}'),
    reference: success,
    expect: success,
  },
  {
    recording: 'login/upper-case keys',
    given: 'admin and a disabled guest',
    request: login({ USERNAME: 'admin', Password: 'admin-Passw0rd' }),
    reference: success,
    expect: usernameRequired,
    because: 'exactFields',
  },
  {
    recording: 'login/invalid UTF-8 in username',
    given: 'admin and a disabled guest',
    request: login(bytes('7b22757365726e616d65223a2261646dfffe222c2270617373776f7264223a2278227d')),
    reference: wrongCredentials,
    expect: badRequest,
    because: 'ownText',
  },
  {
    recording: 'login/deep nesting 20000',
    given: 'admin and a disabled guest',
    request: login(
      `{"username":"admin","password":"x","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ),
    reference: { code: 400, message: "invalid character '[' exceeded max depth" },
    expect: badRequest,
  },
  {
    recording: 'login/form-encoded, lower-case names',
    given: 'admin and a disabled guest',
    request: login('username=admin&password=admin-Passw0rd', asForm),
    reference: {
      code: 400,
      message:
        "Key: 'LoginReq.Username' Error:Field validation for 'Username' failed on the 'required' tag",
    },
    expect: badRequest,
  },
  {
    recording: 'login/form-encoded, Go field names (Username, Password)',
    given: 'admin and a disabled guest',
    request: login('Username=admin&Password=admin-Passw0rd', asForm),
    reference: success,
    expect: badRequest,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/multipart, lower-case names',
    given: 'admin and a disabled guest',
    request: login(
      '--X\r\nContent-Disposition: form-data; name="username"\r\n\r\nadmin\r\n--X--\r\n',
      { 'Content-Type': 'multipart/form-data; boundary=X' },
    ),
    reference: {
      code: 400,
      message:
        "Key: 'LoginReq.Username' Error:Field validation for 'Username' failed on the 'required' tag",
    },
    expect: badRequest,
  },
  {
    recording: 'login/multipart without boundary',
    given: 'admin and a disabled guest',
    request: login('x', { 'Content-Type': 'multipart/form-data' }),
    reference: { code: 400, message: 'no multipart boundary param in Content-Type' },
    expect: badRequest,
  },
  {
    recording: 'login/JSON body, application/json; charset=utf-16',
    given: 'admin and a disabled guest',
    request: login(
      { username: 'admin', password: 'admin-Passw0rd' },
      { 'Content-Type': 'application/json; charset=utf-16' },
    ),
    reference: success,
    expect: success,
  },
  {
    recording: 'login/JSON body, application/vnd.api+json',
    given: 'admin and a disabled guest',
    request: login(
      { username: 'admin', password: 'admin-Passw0rd' },
      { 'Content-Type': 'application/vnd.api+json' },
    ),
    reference: {
      code: 400,
      message:
        "Key: 'LoginReq.Username' Error:Field validation for 'Username' failed on the 'required' tag",
    },
    expect: success,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/no content-type, credentials in query as Go field names',
    given: 'admin and a disabled guest',
    request: post('/api/auth/login?Username=admin&Password=admin-Passw0rd'),
    reference: success,
    expect: badRequest,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/XML body',
    given: 'admin and a disabled guest',
    request: login(
      '<LoginReq><Username>admin</Username><Password>admin-Passw0rd</Password></LoginReq>',
      { 'Content-Type': 'application/xml' },
    ),
    reference: success,
    expect: badRequest,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/YAML body (lower-case Go names)',
    given: 'admin and a disabled guest',
    request: login('username: admin\npassword: admin-Passw0rd\n', {
      'Content-Type': 'application/x-yaml',
    }),
    reference: success,
    expect: badRequest,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/TOML body',
    given: 'admin and a disabled guest',
    request: login('Username = "admin"\nPassword = "admin-Passw0rd"\n', {
      'Content-Type': 'application/toml',
    }),
    reference: success,
    expect: badRequest,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/protobuf content-type',
    given: 'admin and a disabled guest',
    request: login('x', { 'Content-Type': 'application/x-protobuf' }),
    reference: { code: 400, message: 'obj is not ProtoMessage' },
    expect: badRequest,
  },
  {
    recording: 'login/huge body: 2 MB password',
    given: 'admin and a disabled guest',
    request: login({ username: 'admin', password: filler(2 * MEGABYTE) }),
    reference: wrongCredentials,
    expect: bodyTooLarge,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/huge body: 2 MB username',
    given: 'admin and a disabled guest',
    request: login({ username: filler(2 * MEGABYTE), password: 'x' }),
    reference: wrongCredentials,
    expect: bodyTooLarge,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/huge body: 2 MB unknown field, right password',
    given: 'admin and a disabled guest',
    request: login({ username: 'admin', password: 'admin-Passw0rd', pad: filler(2 * MEGABYTE) }),
    reference: success,
    expect: bodyTooLarge,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/huge body: 2 MB spaces then garbage',
    given: 'admin and a disabled guest',
    request: login(`${' '.repeat(2 * MEGABYTE)}x`),
    reference: { code: 400, message: "invalid character 'x' looking for beginning of value" },
    expect: bodyTooLarge,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/huge form 11 MB (urlencoded)',
    given: 'admin and a disabled guest',
    request: login(`Username=admin&a=${filler(11 * MEGABYTE)}`, asForm),
    reference: { code: 400, message: 'http: POST too large' },
    expect: bodyTooLarge,
    because: 'onlySmallJson',
  },
  {
    recording: 'login/content-encoding gzip claimed, plain JSON',
    given: 'admin and a disabled guest',
    request: login(
      { username: 'admin', password: 'admin-Passw0rd' },
      { 'Content-Encoding': 'gzip' },
    ),
    reference: success,
    expect: success,
  },
]
