import * as v from 'valibot'
import { SETTING_KEYS } from '../../src/settings/defaults.ts'
import { SETTINGS } from '../../src/settings/definitions.ts'

/** Schemas of `data`, by kind of answer. */

const time = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
  v.description('RFC 3339, three fractional digits, always UTC'),
)
const id = v.pipe(v.number(), v.integer(), v.minValue(1))
const total = v.pipe(v.number(), v.integer(), v.minValue(0))
const network = v.pipe(v.string(), v.description('an IPv4 address or an IPv6 /64'))

export const nothing = v.null()
export const token = v.strictObject({
  token: v.pipe(v.string(), v.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/), v.description('JWT, HS256')),
})
export const enrolment = v.strictObject({
  qr: v.pipe(v.string(), v.regex(/^data:image\/png;base64,/)),
  secret: v.pipe(v.string(), v.regex(/^[A-Z2-7]{32}$/), v.description('20 bytes, base32')),
})
export const recoveryCodes = v.strictObject({
  recovery_codes: v.pipe(v.array(v.string()), v.minLength(10), v.maxLength(10)),
})

export const user = v.strictObject({
  id,
  username: v.string(),
  password: v.pipe(v.literal(''), v.description('always empty')),
  base_path: v.string(),
  role: v.pipe(v.picklist([0, 1, 2]), v.description('0 general, 1 guest, 2 admin')),
  disabled: v.boolean(),
  permission: v.pipe(v.number(), v.integer(), v.description('set of 16 bits')),
  sso_id: v.string(),
  otp: v.pipe(v.boolean(), v.description('true while two-step verification is on')),
})
const key = v.strictObject({
  id,
  title: v.string(),
  fingerprint: v.pipe(v.string(), v.regex(/^SHA256:[\w+/]{43}$/)),
  added_time: time,
  last_used_time: time,
})
const session = v.strictObject({
  id: v.string(),
  created_time: time,
  expires_time: time,
  network,
  user_agent: v.string(),
  current: v.boolean(),
})
const changedValue = v.union([v.string(), v.number(), v.boolean(), v.null()])
const event = v.strictObject({
  id,
  time,
  kind: v.string(),
  detail: v.string(),
  network,
  user_agent: v.string(),
  actor: v.nullable(
    v.strictObject({
      id: v.pipe(v.nullable(id), v.description('null for the command line')),
      username: v.pipe(v.nullable(v.string()), v.description('null after the admin was deleted')),
      command_line: v.boolean(),
    }),
  ),
  changes: v.array(v.strictObject({ field: v.string(), from: changedValue, to: changedValue })),
})

export const users = listOf(user)
export const keys = listOf(key)
export const sessions = listOf(session)
export const events = listOf(event)

export const publicSettings = v.strictObject(v.entriesFromList(SETTING_KEYS, v.string()))

const setting = v.strictObject({
  key: v.picklist(SETTINGS.map((one) => one.key)),
  value: v.string(),
  help: v.string(),
  type: v.picklist(['string', 'text', 'number', 'bool', 'select']),
  options: v.pipe(v.string(), v.description('options of a select, separated by commas')),
  group: v.pipe(v.number(), v.integer()),
  flag: v.pipe(v.picklist([0, 1, 2]), v.description('0 public, 1 not public, 2 read-only')),
  index: v.pipe(v.number(), v.integer()),
})
export const settingList = v.array(setting)
export const settingOrSettings = v.union([setting, settingList])

const partHealth = v.strictObject({
  ok: v.boolean(),
  milliseconds: v.pipe(v.number(), v.integer(), v.minValue(0)),
})
export const health = v.strictObject({
  d1: partHealth,
  kv: partHealth,
  hasher: partHealth,
  migrations: partHealth,
})

function listOf<Item extends v.GenericSchema>(item: Item) {
  return v.strictObject({ content: v.array(item), total })
}
