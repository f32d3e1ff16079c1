import * as v from 'valibot'
import { LISTED_METHODS } from '../../src/core/access/sign-in-methods.ts'
import { APP_PASSWORD_SCOPES } from '../../src/core/access/scopes.ts'
import { FILE_LINKS, FILE_SERVER_PROBLEMS } from '../../src/capabilities/files/state.ts'
import { SSO_PLATFORMS } from '../../src/core/base/sso-platforms.ts'
import { CAPABILITY_KEYS, SETTING_KEYS } from '../../src/capabilities/settings/defaults.ts'
import { CHANNEL_KINDS, NOTICE_LANGUAGES } from '../../src/capabilities/notices/channels.ts'
import { LINK_KINDS } from '../../src/capabilities/joining/links.ts'
import { ACCESS } from '../../src/capabilities/groups/decision.ts'
import { TOPICS } from '../../src/core/audit/topics.ts'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'

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
  last_active_time: v.pipe(time, v.description('to the hour')),
  network,
  user_agent: v.string(),
  methods: v.pipe(
    v.array(v.picklist(LISTED_METHODS)),
    v.description('how the user signed in, and what the user has shown since'),
  ),
  current: v.boolean(),
})
export const appPasswords = v.strictObject({
  content: v.array(
    v.strictObject({
      id,
      name: v.string(),
      scopes: v.array(v.picklist(APP_PASSWORD_SCOPES)),
      created_at: time,
      expires_at: v.nullable(time),
      last_used_at: v.nullable(time),
      last_network: v.nullable(network),
      lacks_second_factor: v.pipe(
        v.boolean(),
        v.description(
          'it opens nothing now: the site demands a second factor of its user, and it was made without one',
        ),
      ),
    }),
  ),
  total,
})
export const keptCredentials = v.strictObject({ app_passwords: total, ssh_keys: total })
export const createdAppPassword = v.strictObject({
  id,
  token: v.pipe(v.string(), v.regex(/^lk_[0-9A-Za-z]{38}$/)),
})
const failure = v.pipe(
  v.string(),
  v.description('why the last attempt failed, such as `status 404`; empty after a success'),
)
const noticeChannel = v.strictObject({
  id,
  kind: v.picklist(CHANNEL_KINDS),
  name: v.string(),
  target: v.pipe(v.string(), v.description('the host, or the e-mail address')),
  topics: v.array(v.picklist(TOPICS)),
  language: v.picklist(NOTICE_LANGUAGES),
  created_at: time,
  last_sent_at: v.nullable(time),
  last_failed_at: v.nullable(time),
  failure,
  waiting: v.pipe(total, v.description('notices that are to be sent')),
  lost: v.pipe(total, v.description('notices that were given up after a day')),
})
export const noticeChannels = v.strictObject({ content: v.array(noticeChannel), total })
export const ownNoticeChannel = v.nullable(noticeChannel)
const webhookSecret = v.pipe(
  v.string(),
  v.description('signs each notice of a webhook (Standard Webhooks); empty for other kinds'),
)
export const createdNoticeChannel = v.strictObject({ id, secret: webhookSecret })
export const savedNoticeChannel = v.strictObject({ secret: webhookSecret })
export const noticeTest = v.strictObject({ delivered: v.boolean(), failure })
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

const base64url = v.pipe(v.string(), v.regex(/^[\w-]+$/), v.description('base64url'))
const sessionText = v.pipe(
  v.string(),
  v.description('sent back in the header `session`, unchanged, within five minutes'),
)
const descriptors = v.array(
  v.strictObject({
    type: v.literal('public-key'),
    id: base64url,
    transports: v.exactOptional(v.array(v.string())),
  }),
)
const userVerification = v.literal('required')

/** The options of `navigator.credentials.get`, as JSON. */
export const assertionOptions = v.strictObject({
  options: v.strictObject({
    publicKey: v.strictObject({
      challenge: base64url,
      timeout: v.number(),
      rpId: v.string(),
      allowCredentials: v.exactOptional(descriptors),
      userVerification,
    }),
  }),
  session: sessionText,
})

/** The options of `navigator.credentials.create`, as JSON. */
export const registrationOptions = v.strictObject({
  options: v.strictObject({
    publicKey: v.strictObject({
      rp: v.strictObject({ name: v.string(), id: v.string() }),
      user: v.strictObject({ id: base64url, name: v.string(), displayName: v.string() }),
      challenge: base64url,
      pubKeyCredParams: v.array(v.strictObject({ type: v.literal('public-key'), alg: v.number() })),
      excludeCredentials: descriptors,
      timeout: v.number(),
      authenticatorSelection: v.strictObject({
        residentKey: v.literal('required'),
        requireResidentKey: v.literal(true),
        userVerification,
      }),
      attestation: v.literal('none'),
    }),
  }),
  session: sessionText,
})

const passkey = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[\w+/]+={0,2}$/), v.description('base64 with padding')),
  fingerprint: v.pipe(
    v.string(),
    v.regex(/^[0-9A-F]{2}( [0-9A-F]{2}){15}$/),
    v.description('AAGUID: the model of the authenticator, not proven'),
  ),
  name: v.string(),
  created_at: time,
  last_used_at: v.exactOptional(time),
})
export const passkeys = v.array(passkey)
export const done = v.string()

export const userPasskeys = listOf(
  v.strictObject({
    ...passkey.entries,
    rp_id: v.string(),
    transports: v.array(v.string()),
    backup_eligible: v.pipe(
      v.nullable(v.boolean()),
      v.description('whether it can be synced; null until an imported passkey is used'),
    ),
    backed_up: v.pipe(v.boolean(), v.description('whether it was synced when last used')),
  }),
)

export const userIdentities = listOf(
  v.strictObject({
    issuer: v.pipe(v.string(), v.description('the identity provider')),
    subject: v.pipe(v.string(), v.description("the provider's id for the user")),
    platform: v.picklist(SSO_PLATFORMS),
    name: v.pipe(v.string(), v.description('what the provider calls the user; can be empty')),
    linked_at: time,
    linked_by: v.picklist(['user', 'registration', 'import']),
    last_used_at: v.pipe(v.nullable(time), v.description('null until the first sign-in with it')),
    last_way_in: v.pipe(
      v.boolean(),
      v.description('whether the user has no password, no passkey and no other linked account'),
    ),
  }),
)

export const users = listOf(user)
export const keys = listOf(key)
export const sessions = listOf(session)
export const events = listOf(event)

const email = v.pipe(v.string(), v.description('empty without one'))
const end = v.pipe(v.nullable(time), v.description('null without an end'))
export const madeLink = v.strictObject({
  id,
  link: v.pipe(v.string(), v.description('shown only here; empty when it was mailed')),
  ends_at: time,
})
export const linkList = listOf(
  v.strictObject({
    id,
    kind: v.picklist(LINK_KINDS),
    name: v.pipe(v.string(), v.description('the note of an invitation')),
    username: v.pipe(v.string(), v.description('for whom; empty where the user chooses')),
    email,
    uses: total,
    used: total,
    created_by: v.pipe(
      v.string(),
      v.description('the admin; empty for the command line, a deleted admin and the user'),
    ),
    created_at: time,
    ends_at: time,
    state: v.picklist(['live', 'used', 'ended']),
  }),
)
export const ownDetails = v.strictObject({ email, email_verified: v.boolean(), ends_at: end })
export const userDetails = v.strictObject({
  id,
  username: v.string(),
  ...ownDetails.entries,
  waiting: v.pipe(v.boolean(), v.description('whether the registration waits for an approval')),
})
export const waitingUsers = listOf(
  v.strictObject({ id, username: v.string(), registered_at: time, network }),
)

export const group = v.strictObject({
  id,
  name: v.string(),
  note: v.string(),
  members: total,
  rules: v.pipe(total, v.description('folder rules that name it')),
  created_at: time,
})
export const groupList = listOf(group)
export const groupNames = listOf(v.string())
export const madeGroup = v.strictObject({ id })
export const memberList = listOf(
  v.strictObject({
    id,
    username: v.string(),
    added_at: time,
    added_by: v.pipe(
      v.string(),
      v.description(
        'the admin, or `sso`, `invitation`, `registration`, `import`; empty for the command line and a deleted admin',
      ),
    ),
  }),
)

const access = v.picklist(ACCESS)
export const folderRuleList = listOf(
  v.strictObject({
    id,
    path: v.string(),
    group: v.pipe(v.nullable(v.string()), v.description('null for the rule of a user')),
    uid: v.pipe(v.nullable(id), v.description('null for the rule of a group')),
    username: v.pipe(v.nullable(v.string()), v.description('null when the user was deleted')),
    access,
  }),
)
const waiting = v.pipe(total, v.description('folders that are not written yet'))
export const waitingFolders = v.strictObject({ waiting })
export const adoptedFolders = v.strictObject({ rules: total, waiting })
export const writtenFolders = v.strictObject({ folders: total, written: total, waiting })
export const madeFolderRule = v.strictObject({
  id,
  waiting,
  warnings: v.pipe(v.array(v.string()), v.description('what makes the rule weaker than it looks')),
})
export const checkedFolder = v.strictObject({
  access: v.picklist([...ACCESS, 'open']),
  rule: v.nullable(id),
  reach: v.boolean(),
  other_spelling_of: v.exactOptional(
    v.pipe(v.string(), v.description('present only where it decides')),
  ),
})

export const publicSettings = v.strictObject({
  ...v.entriesFromList(SETTING_KEYS, v.string()),
  ...v.entriesFromList(
    CAPABILITY_KEYS,
    v.exactOptional(v.pipe(v.literal('true'), v.description('present only while it is on'))),
  ),
})

const setting = v.strictObject({
  key: v.picklist(SETTINGS.map((item) => item.key)),
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
  files: v.optional(
    v.strictObject({
      ...partHealth.entries,
      problem: v.nullable(v.picklist(FILE_SERVER_PROBLEMS)),
      links: v.picklist(FILE_LINKS),
    }),
  ),
})

function listOf<Item extends v.GenericSchema>(item: Item) {
  return v.strictObject({ content: v.array(item), total })
}
