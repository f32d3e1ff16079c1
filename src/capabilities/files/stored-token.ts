import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import type { Deps } from '../../core/deps.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'
import { type FileUser, recordToken } from './store.ts'

export type StoredTokenDeps = Pick<Deps, 'db' | 'now' | 'randomBytes' | 'keyRing' | 'isolateMemory'>

/** Tokens of the file server, by their sealed texts. */
const openedTokens = remembered('opened tokens of the file server', () => new Map<string, string>())

const MAX_OPENED = 1000
/** Tokens of the file server live for 48 hours. */
const TOKEN_MILLISECONDS = 47 * HOUR_MILLISECONDS
const USE = 'file server token'

export async function openToken(
  deps: StoredTokenDeps,
  link: FileUser,
): Promise<string | undefined> {
  if (link.token === null || link.tokenMadeAt <= deps.now() - TOKEN_MILLISECONDS) return undefined
  const opened = openedTokens(deps)
  const known = opened.get(link.token)
  if (known !== undefined) return known
  const bytes = await openBox(await deps.keyRing(), link.token, USE, 'a token').catch(
    () => undefined,
  )
  const token = bytes && new TextDecoder().decode(bytes)
  if (opened.size >= MAX_OPENED) opened.clear()
  if (token !== undefined) opened.set(link.token, token)
  return token
}

export async function storeToken(
  deps: StoredTokenDeps,
  userId: number,
  token: string,
): Promise<void> {
  const bytes = new Uint8Array(new TextEncoder().encode(token))
  const sealed = await sealBox(deps, await deps.keyRing(), bytes, USE)
  await recordToken(deps.db, userId, sealed, deps.now())
}
