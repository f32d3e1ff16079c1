import { Buffer } from 'node:buffer'
import { equalBytes } from '../../src/core/base/encoding.ts'
import { DEFAULT_COST } from '../../src/core/passwords/passwords.ts'

export { PasswordHasher } from '../../src/core/crypto/password-hasher.ts'

/**
 * The limit: the least that each endpoint's job needs, without a framework, a log, or any care.
 * What the service takes beyond this is what it costs to do the job well.
 */
interface LimitEnv extends Omit<Env, 'FILES_ORIGIN'> {
  /** Base64url. */
  TOKEN_KEY: string
  FILES_ORIGIN: string
}

const encoder = new TextEncoder()
let key: Promise<CryptoKey> | undefined

export default {
  async fetch(request, env) {
    switch (new URL(request.url).pathname) {
      case '/ping':
        return new Response('pong')
      case '/api/public/settings':
        return json(await env.SETTINGS.get('settings', { type: 'text', cacheTtl: 30 }))
      case '/api/me':
        return me(request, env)
      case '/api/me/sshkey/list':
        return listKeys(request, env)
      case '/api/fs/list':
        return listFiles(request, env)
      default:
        return signIn(request, env)
    }
  },
} satisfies ExportedHandler<LimitEnv>

async function me(request: Request, env: LimitEnv): Promise<Response> {
  const { sub, jti } = await verify(request, env)
  const { results } = await env.DB.prepare(
    `select users.* from users join sessions on sessions.user_id = users.id
     where users.id = ? and sessions.id = ? and sessions.expires_at > ? and not users.disabled`,
  )
    .bind(Number(sub), jti, Date.now())
    .all()
  const [user] = results
  const data = {
    id: user?.['id'],
    username: user?.['username'],
    password: '',
    base_path: user?.['base_path'],
    role: user?.['role'],
    disabled: user?.['disabled'] === 1,
    permission: user?.['permission'],
    sso_id: user?.['sso_id'],
    otp: user?.['totp_seed'] !== null,
  }
  return Response.json({ code: user === undefined ? 401 : 200, message: 'success', data })
}

/** One read of D1, and the same request to the file server. */
async function listFiles(request: Request, env: LimitEnv): Promise<Response> {
  const answer = await me(request, env)
  if (!answer.ok) return answer
  const { body, headers } = request
  const sent = new Headers(headers)
  sent.set('Authorization', 'a token')
  return fetch(`${env.FILES_ORIGIN}/api/fs/list`, { method: 'POST', headers: sent, body })
}

async function listKeys(request: Request, env: LimitEnv): Promise<Response> {
  const { sub, jti } = await verify(request, env)
  const { results } = await env.DB.prepare(
    `select ssh_keys.id, title, fingerprint, added_at, last_used_at from ssh_keys
     join sessions on sessions.user_id = ssh_keys.user_id
     where ssh_keys.user_id = ? and sessions.id = ? and sessions.expires_at > ? order by ssh_keys.id`,
  )
    .bind(Number(sub), jti, Date.now())
    .all()
  const content = results.map((row) => ({
    id: row['id'],
    title: row['title'],
    fingerprint: row['fingerprint'],
    added_time: new Date(Number(row['added_at'])).toISOString(),
    last_used_time: new Date(Number(row['last_used_at'])).toISOString(),
  }))
  return Response.json({ code: 200, message: 'success', data: { content, total: content.length } })
}

/** The same scrypt in the same object; against a fixed salt and hash, so without a database. */
async function signIn(request: Request, env: LimitEnv): Promise<Response> {
  const { password } = await request.json<{ password: string }>()
  const object = env.PASSWORD_HASHER.getByName(`local-${Math.floor(Math.random() * 16)}`)
  const hash = await object.hash(password, new Uint8Array(16), DEFAULT_COST)
  const isSame = equalBytes(hash, new Uint8Array(32))
  return Response.json({ code: 200, message: 'success', data: { token: String(isSame) } })
}

/** One HMAC, and two fields of the payload. */
async function verify(request: Request, env: LimitEnv): Promise<{ sub: string; jti: string }> {
  const [header = '', payload = '', signature = ''] = (
    request.headers.get('Authorization') ?? ''
  ).split('.')
  const isGenuine = await crypto.subtle.verify(
    'HMAC',
    await (key ??= importKey(env.TOKEN_KEY)),
    Buffer.from(signature, 'base64url'),
    encoder.encode(`${header}.${payload}`),
  )
  if (!isGenuine) throw new Error('not genuine')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function importKey(text: string): Promise<CryptoKey> {
  const bytes = Buffer.from(text, 'base64url')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function json(text: string | null): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json' } })
}
