import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { settingsElsewhere } from './elsewhere.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { jsonArrayBody, query } from '../../../web/http/input.ts'
import { maxCharacters, possiblyEmptyText, text } from '../../../core/base/text.ts'
import { describeSetting, listSettings, saveSettings, type Setting } from '../manage-settings.ts'
import { GROUP_NUMBERS, SETTINGS } from '../definitions.ts'
import { reason } from '../../../core/base/reasons.ts'

/** The flags that OpenList gives a setting (docs/interface.md). */
const PUBLIC = 0
const PRIVATE = 1
const READ_ONLY = 2

/** More than there are settings: the stock client sends all of them at once. */
const MAX_ITEMS = 100
const MAX_KEY_CHARACTERS = 64

/** `group=1` or `groups=1,2`; without either, every group. */
const groupsQuery = v.object({
  group: v.pipe(v.optional(v.string(), ''), v.regex(/^(?:-?\d+)?$/, reason('integer'))),
  groups: v.pipe(
    v.optional(v.string(), ''),
    v.regex(/^(?:-?\d+(?:,-?\d+)*)?$/, 'must be integers such as 1,2'),
  ),
})

/** `key=logo` or `keys=logo,favicon` */
const keysQuery = v.object({
  key: v.pipe(v.optional(v.string(), ''), maxCharacters(MAX_KEY_CHARACTERS)),
  keys: v.pipe(v.optional(v.string(), ''), maxCharacters(MAX_ITEMS * MAX_KEY_CHARACTERS)),
})

/** The stock client sends whole items back; only `key` and `value` are read. */
const itemsSchema = v.pipe(
  v.array(
    v.object({
      key: v.pipe(text(), maxCharacters(MAX_KEY_CHARACTERS)),
      value: possiblyEmptyText(),
    }),
  ),
  v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`),
)

/** Routes under `/api/admin/setting`, for operators. */
export const adminSettingRoutes = new Hono<App>()
  .get('/list', admin(), query(groupsQuery), async (c) => {
    const settings = await listSettings(c.get('deps'), actorOf(c))
    return ok(c, inGroups(settings, c.req.valid('query')).map(settingItem))
  })
  .get('/get', admin(), query(keysQuery), async (c) => {
    const { key, keys } = c.req.valid('query')
    const settings = await listSettings(c.get('deps'), actorOf(c))
    const items = settings.map(settingItem)
    const find = (name: string) => items.find((item) => item.key === describeSetting(name).key)
    return ok(c, key === '' && keys !== '' ? keys.split(',').map(find) : find(key))
  })
  .post('/save', admin(), jsonArrayBody(itemsSchema), async (c) => {
    const items = c.req.valid('json')
    // The stock client sends the version as well, which may be an older one.
    const changeable = items.filter(({ key }) => key !== 'version')
    const values = Object.fromEntries(changeable.map(({ key, value }) => [key, value]))
    await saveSettings(c.get('deps'), actorOf(c), values, await settingsElsewhere(c))
    return ok(c, null)
  })
  .post('/default', admin(), query(groupsQuery), async (c) => {
    // As in OpenList, it shows the defaults and sets nothing (docs/interface.md).
    const settings = await listSettings(c.get('deps'), actorOf(c))
    const defaults = settings.map((setting) => ({ ...setting, value: setting.default }))
    return ok(c, inGroups(defaults, c.req.valid('query')).map(settingItem))
  })

/** The settings with the members of OpenList. */
export function adminSettingItems(settings: Setting[]) {
  return settings.map(settingItem)
}

function inGroups(
  settings: Setting[],
  { group, groups }: v.InferOutput<typeof groupsQuery>,
): Setting[] {
  const wanted = group || groups
  if (wanted === '') return settings
  const numbers = wanted.split(',').map(Number)
  return settings.filter((setting) => numbers.includes(GROUP_NUMBERS[setting.group]))
}

/** Returns a setting with the members of OpenList (docs/interface.md). */
function settingItem(setting: Setting) {
  const { key, value, help, type, options, group, isReadOnly, isPublic } = setting
  const visibility = isPublic ? PUBLIC : PRIVATE
  return {
    key,
    value,
    help,
    type,
    options: options.join(','),
    group: GROUP_NUMBERS[group],
    flag: isReadOnly ? READ_ONLY : visibility,
    index: SETTINGS.findIndex((definition) => definition.key === key),
  }
}
