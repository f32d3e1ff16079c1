import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { sha256Hex } from '../../../core/base/encoding.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { findActor } from '../../../web/http/guard.ts'
import { adminSettingItems } from '../../settings/http/operator-routes.ts'
import { act, of } from '../../../core/access/subject.ts'
import { describeSetting, listSettings, saveSettings } from '../../settings/manage-settings.ts'
import { readSettings } from '../../settings/copy.ts'
import { callAsAdmin, callOrigin } from '../origin.ts'
import { SHARED_LOOK } from '../../../core/base/settings-elsewhere.ts'
import {
  isGuardedSetting,
  keptValue,
  LDAP_GROUP,
  OPENLIST_SETTINGS,
  SSO_GROUP,
  UNKNOWN_SETTING,
} from '../openlist-settings.ts'
import { isReading } from '../rights.ts'
import { filesSettingsMemory } from '../settings-there.ts'
import { readText } from './body.ts'

/** The public settings that are this site's: how people sign in, and whether they may register. */
const OVERLAID = [
  'allow_register',
  'webauthn_login_enabled',
  'sso_login_enabled',
  'sso_login_platform',
  'sso_compatibility_mode',
] as const
/** How long the answer of the file server is used again. */
const MEMORY_MILLISECONDS = 30_000
/** How long the file server may take while there is a last good answer. */
const PATIENCE_MILLISECONDS = 3000
const ETAG_DIGITS = 24
/** No setting has a longer key. A refusal shows this much of it. */
const MAX_KEY_CHARACTERS = 64

const recordSchema = v.record(v.string(), v.unknown())
const itemSchema = v.looseObject({ key: v.string(), value: v.string(), group: v.number() })
const itemsSchema = v.array(itemSchema)
type Item = v.InferOutput<typeof itemSchema>
/** OpenList does not tell `KEY` from `key`, and takes the last: its own other members are sent. */
const savedSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ key: v.string(), value: v.string() })),
)

/** Answers the settings, which two services have parts of; `undefined` for every other path. */
export async function answerSettings(
  c: AppContext,
  files: FileServer,
  path: string,
): Promise<Response | undefined> {
  const { method } = c.req
  if (path === '/api/public/settings') {
    if (isReading(method)) return answerPublic(c, files)
    throw new Refusal('notThroughHere')
  }
  const [, name = ''] = /^\/api\/admin\/setting\/(\w+)$/.exec(path) ?? []
  if (name === 'list' && isReading(method)) return answerList(c, files, 'list')
  if (name === 'default' && method === 'POST') return answerList(c, files, 'default')
  if (name === 'get' && isReading(method)) return answerGet(c, files)
  if (name === 'save' && method === 'POST') return saveSplit(c, files)
  if (name === 'reset_token') throw new Refusal('notThroughHere')
  if (name === 'delete' && (await isOurs(c, files, c.req.query('key') ?? '')))
    throw new Refusal('notThroughHere')
  return undefined
}

async function answerPublic(c: AppContext, files: FileServer): Promise<Response> {
  const own = (await readSettings(c.get('deps'))).values
  const theirs = await readTheirs(c, files)
  const overlaid = OVERLAID.map((key) => [key, own[key]] as const)
  const values = theirs && {
    ...own,
    ...theirs,
    ...Object.fromEntries(overlaid),
    ldap_login_enabled: 'false',
  }
  const body = JSON.stringify({ code: 200, message: 'success', data: values ?? own })
  const etag = `"${(await sha256Hex(body)).slice(0, ETAG_DIGITS)}"`
  const headers = { ETag: etag, 'Cache-Control': 'no-cache', 'Content-Type': 'application/json' }
  const isKnown = (c.req.header('If-None-Match') ?? '').includes(etag)
  return isKnown ? c.body(null, 304, headers) : c.body(body, 200, headers)
}

/** @returns The last good ones while the file server is away; `undefined` when there are none. */
async function readTheirs(
  c: AppContext,
  files: FileServer,
): Promise<Record<string, unknown> | undefined> {
  const deps = c.get('deps')
  const memory = filesSettingsMemory(deps)
  const { kept } = memory
  if (kept !== undefined && deps.now() - kept.readAt < MEMORY_MILLISECONDS) return kept.values
  if (kept !== undefined) kept.readAt = deps.now()
  const timeoutMilliseconds =
    kept === undefined
      ? files.timeoutMilliseconds
      : Math.min(files.timeoutMilliseconds, PATIENCE_MILLISECONDS)
  try {
    const patient = { ...files, timeoutMilliseconds }
    const { code, data } = await callOrigin(deps, patient, '/api/public/settings')
    if (code !== 200 || !v.is(recordSchema, data)) return kept?.values
    memory.kept = { values: data, readAt: deps.now() }
    return data
  } catch (error) {
    if (error instanceof Refusal) return kept?.values
    throw error
  }
}

/** Lists the settings of both. @throws {Refusal} `notAdmin`. */
async function listBoth(c: AppContext, files: FileServer, name: 'list' | 'default') {
  const deps = c.get('deps')
  const actor = await findActor(c, 'admin')
  if (actor === undefined) throw new Refusal('notAdmin')
  c.set('caller', { actor })
  const settings = await listSettings(deps, actor)
  const path = `/api/admin/setting/${name}`
  const { code, data } = await callAsAdmin(deps, files, path, name === 'list' ? undefined : {})
  if (code !== 200 || !v.is(itemsSchema, data))
    throw new Refusal('filesBroken', { detail: 'no list of settings' })
  const theirKeys = new Set(data.map(({ key }) => key))
  const isOurKey = (key: string, group: number) =>
    group === SSO_GROUP || OVERLAID.some((overlaid) => overlaid === key) || !theirKeys.has(key)
  const shown = settings.map((setting) =>
    name === 'list' ? setting : { ...setting, value: setting.default },
  )
  const ours = adminSettingItems(shown).filter(({ key, group }) => isOurKey(key, group))
  const ourKeys = new Set(ours.map(({ key }) => key as string))
  const theirs = data.filter(
    ({ key, group }) => group !== SSO_GROUP && group !== LDAP_GROUP && !ourKeys.has(key),
  )
  // The token is a key to everything there, and nobody has to read it here.
  const hidden = theirs.map((item) => (item.key === 'token' ? { ...item, value: '' } : item))
  return { actor, items: [...hidden, ...ours] as Item[], ourKeys, settings, known: data }
}

async function answerList(c: AppContext, files: FileServer, name: 'list' | 'default') {
  const { items } = await listBoth(c, files, name)
  const wanted = c.req.query('group') || c.req.query('groups') || ''
  const groups = wanted.split(',').map(Number)
  return ok(c, wanted === '' ? items : items.filter(({ group }) => groups.includes(group)))
}

async function answerGet(c: AppContext, files: FileServer) {
  const { items } = await listBoth(c, files, 'list')
  const find = (name: string) => items.find(({ key }) => key === name) ?? null
  const { key = '', keys = '' } = c.req.query()
  return ok(c, key === '' && keys !== '' ? keys.split(',').map(find) : find(key))
}

async function isOurs(c: AppContext, files: FileServer, key: string): Promise<boolean> {
  const { ourKeys } = await listBoth(c, files, 'list')
  return isToken(key) || ourKeys.has(key)
}

/** A database there may compare without regard to case, accents and spaces at the end. */
function isToken(key: string): boolean {
  return !/^\w+$/.test(key) || key.toLowerCase() === 'token'
}

/**
 * Saves the settings of this site, which may be refused, before those of the file server. When the
 * file server fails, those of this site get their values back. The client's restore sends every
 * setting back: an empty token would make everybody an admin.
 *
 * @throws {Refusal} `confirmationNeeded`, `invalidBody` for a key that is no setting of either,
 *   those of `saveSettings`, `filesUnavailable`, `filesBroken`.
 */
async function saveSplit(c: AppContext, files: FileServer): Promise<Response> {
  const deps = c.get('deps')
  const saved = await readSaved(c)
  const { actor, ourKeys, settings, known } = await listBoth(c, files, 'list')
  const knownItems = new Map(known.map((item) => [item.key, item]))
  for (const { key } of saved) {
    // OpenList would make a row of it, and its database may take `TOKEN` for `token`.
    if (!ourKeys.has(key) && !knownItems.has(key) && !OPENLIST_SETTINGS.has(key))
      describeSetting(key)
  }
  const items = saved.filter(({ key }) => key !== 'version' && key !== 'token')
  const ours = items.filter(({ key }) => ourKeys.has(key) || SHARED_LOOK.some((k) => k === key))
  const theirs = items
    .filter(({ key }) => !ourKeys.has(key))
    .map(({ key, value }) => ({
      ...UNKNOWN_SETTING,
      ...knownItems.get(key),
      key,
      value: keptValue(files, key, value),
    }))
    .filter(({ group }) => group !== LDAP_GROUP)
  const isGuarded = theirs.some(
    ({ key, value }) => isGuardedSetting(key) && knownItems.get(key)?.value !== value,
  )
  if (isGuarded) await act(deps, of(actor), { fresh: true }, () => ({}))
  const save = (values: readonly { key: string; value: string }[]) =>
    saveSettings(deps, actor, Object.fromEntries(values.map(({ key, value }) => [key, value])))
  if (ours.length > 0) await save(ours)
  if (theirs.length === 0) return ok(c, null)
  const takeBack = async () => {
    const keys = new Set(ours.map(({ key }) => key))
    // The value of a secret is not known any more; no page of the web client saves one of ours with theirs.
    const before = settings.filter(({ key, isSecret }) => keys.has(key) && !isSecret)
    if (before.length > 0) await save(before)
  }
  const answer = callAsAdmin(deps, files, '/api/admin/setting/save', theirs)
  const { code, message } = await answer.catch(async (error: unknown) => {
    await takeBack()
    throw error
  })
  delete filesSettingsMemory(deps).kept
  if (code === 200) return ok(c, null)
  await takeBack()
  return c.json({ code, message, data: null })
}

/** @throws {Refusal} `bodyTooLarge`, `invalidBody`, also for a key that is too long for a setting. */
async function readSaved(c: AppContext) {
  const parsed = v.safeParse(savedSchema, await readText(c))
  if (!parsed.success)
    throw new Refusal('invalidBody', { reason: { code: 'jsonArray', values: {} } })
  const long = parsed.output.find(({ key }) => key.length > MAX_KEY_CHARACTERS)
  if (long !== undefined) describeSetting(long.key.slice(0, MAX_KEY_CHARACTERS))
  return parsed.output
}
