import type { Client } from './client.ts'
import type { Envelope } from './envelope.ts'
import type { SoftwarePasskey } from './passkey.ts'

/** Registers a passkey at a served site, as the stock client does. */
export async function registerAt(
  site: Client,
  passkey: SoftwarePasskey,
  token: string,
  name = '',
): Promise<Envelope> {
  const query = name === '' ? '' : `?name=${encodeURIComponent(name)}`
  const path = `/api/authn/webauthn_begin_registration${query}`
  const { data } = await site.call('GET', path, { token })
  const answer = await passkey.create(data.options.publicKey)
  return finish(site, 'webauthn_finish_registration', answer, { session: data.session, token })
}

/** Signs in at a served site, as the stock client does. */
export async function signInAt(
  site: Client,
  passkey: SoftwarePasskey,
  username = '',
): Promise<Envelope> {
  const query = `?username=${username}`
  const { data } = await site.call('GET', `/api/authn/webauthn_begin_login${query}`)
  const answer = await passkey.get(data.options.publicKey)
  return finish(site, `webauthn_finish_login${query}`, answer, { session: data.session, token: '' })
}

async function finish(
  { url, headers }: Client,
  path: string,
  answer: unknown,
  { session, token }: { session: string; token: string },
): Promise<Envelope> {
  const response = await fetch(new URL(`/api/authn/${path}`, url), {
    method: 'POST',
    // OpenList reads a body as its content type says.
    headers: {
      ...headers,
      Authorization: token,
      'Content-Type': 'application/json;charset=UTF-8',
      session,
    },
    body: JSON.stringify(answer),
  })
  const envelope: Envelope = await response.json()
  return envelope
}
