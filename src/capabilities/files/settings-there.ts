import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { type IsolateMemory, remembered } from '../../core/base/isolate-memory.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { type SettingsElsewhere, SHARED_LOOK } from '../../core/base/settings-elsewhere.ts'
import { SET_THERE, UNKNOWN_SETTING } from './openlist-settings.ts'
import { callAsAdmin, type OriginDeps } from './origin.ts'

type ThereDeps = OriginDeps & { isolateMemory: IsolateMemory }

const itemSchema = v.looseObject({ key: v.string(), value: v.string() })
const itemsSchema = v.array(itemSchema)

/** The public settings of the file server, and when they were asked for (milliseconds). */
interface FilesSettingsMemory {
  kept?: { values: Record<string, unknown>; readAt: number }
}

export const filesSettingsMemory = remembered(
  'the settings of the file server',
  (): FilesSettingsMemory => ({}),
)

/** The settings of a site that its file server has, as the functions of settings take them. */
export function settingsThere(deps: ThereDeps, files: FileServer): SettingsElsewhere {
  return { alone: SET_THERE, shared: SHARED_LOOK, prepareSaving: () => prepareSaving(deps, files) }
}

async function prepareSaving(deps: ThereDeps, files: FileServer) {
  if (files.problem !== undefined) throw new Refusal('filesNotSetUp', { detail: files.problem })
  const { code, data } = await callAsAdmin(deps, files, '/api/admin/setting/list')
  if (code !== 200 || !v.is(itemsSchema, data))
    throw new Refusal('filesBroken', { detail: 'no list of settings' })
  const known = new Map(data.map((item) => [item.key, item]))
  return async (values: Readonly<Record<string, string>>) => {
    const items = Object.entries(values)
      .filter(([key, value]) => known.get(key)?.value !== value)
      .map(([key, value]) => ({ ...UNKNOWN_SETTING, ...known.get(key), key, value }))
    if (items.length === 0) return
    try {
      await save(deps, files, items)
    } catch (error) {
      // It may have saved them, or some, although its answer did not come.
      const before = items.flatMap(({ key }) => known.get(key) ?? [])
      await save(deps, files, before).catch(() => undefined)
      throw error
    } finally {
      delete filesSettingsMemory(deps).kept
    }
  }
}

async function save(deps: OriginDeps, files: FileServer, items: readonly object[]): Promise<void> {
  const { code } = await callAsAdmin(deps, files, '/api/admin/setting/save', items)
  if (code !== 200) throw new Refusal('filesBroken', { detail: `settings are refused: ${code}` })
}

/**
 * Makes the file server forget what it keeps of storages: lists of folders, and links of files,
 * also of one that somebody downloads. OpenList does so whenever a setting is saved. Its version is
 * saved as it is: nobody else changes it.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function forgetKept(deps: OriginDeps, files: FileServer): Promise<void> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/setting/get?key=version')
  if (!v.is(itemSchema, data))
    throw new Refusal('filesBroken', { detail: 'it does not tell its version' })
  await save(deps, files, [data])
}
