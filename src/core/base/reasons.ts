import * as v from 'valibot'

const BETTER_KEY = 'make a better one with: ssh-keygen -t ed25519'

/**
 * The reasons why a value is refused. The API sends the words after the name of the field; the
 * pages show the text of the code (`pages/texts/`). `<…>` is a value.
 */
export const REASONS = {
  /** The words of valibot, or of a file. */
  other: '<words>',
  required: 'is required',
  expected: 'must be a <expected>',
  json: 'is no JSON from line <line>, column <column> on',
  jsonObject: 'must be a JSON object',
  jsonArray: 'must be a JSON array',
  future: 'must be in the future',
  fixed: 'can not be changed',
  ofFileServer: 'is a setting of the file server, change it on its own pages: /@manage',
  notASetting: 'is not a setting',
  maxCharacters: 'must have at most <max> characters',
  maxEntries: 'must have at most <max> entries',
  maxBytes: 'must have at most <max> bytes',
  integer: 'must be an integer',
  noControlCharacters: 'must not contain control characters',
  noInvisibleCharacters: 'must not contain invisible characters',

  usernameNotTrimmed: 'must not begin or end with a blank',
  usernameLines: 'must stand in one line',
  usernamePath: 'must not be . or .. nor contain / or \\',
  usernameId: 'must not be # and digits, which mean an id',
  basePath: 'must be an absolute path',
  role: 'must be one of 0, 2',
  passwordLength: 'must have <min> to <max> characters',
  commonPassword: 'is one of the most common ones, choose another',
  eventKind: 'must be a kind of event',
  nameIsAppPassword: 'must not be an app password',
  clientUri: 'must be an address such as https://files.example.org/callback, without #',
  clientUriScheme: 'must begin with https:// (http only on this machine)',
  clientUriQuery:
    'must not have code, state, error, error_description or iss in its query: the answer adds them',
  clientUriCount: 'must be at most <max>',
  clientSite: 'must be the address of a site, without a query',
  userGroup: 'must be a group of users',
  userOrder: 'must be an order of users',

  boolean: 'must be true or false',
  pageSize: 'must be a whole number from 1 to 9999',
  colour: 'must be a colour such as #1890ff',
  address: 'must be an address, https://… or /…',
  logos: 'must be an address, https://… or /…, and at most one more on a second line',
  contact: 'must be mailto:…, https://… or tel:…',
  regularExpressions: 'must be regular expressions such as /\\.bak$/i, one per line',
  groupMap: 'must be a JSON object whose values are names of groups',
  previews: 'must be a JSON object of objects of addresses, https://… or /…',
  replacements: 'must be a JSON object of texts',
  repeatedRow: 'repeats an earlier row',

  issuer: 'must be an address such as https://accounts.example.org, without ? and #',
  scopes: 'must be names separated by spaces',
  claim: 'must be the name of a claim, such as preferred_username',
  permission: 'must be a whole number from 0 to 65535',
  origins: 'must be https origins such as https://example.org, one per line',

  topics: 'must name at least one topic',
  email: 'must be an e-mail address',
  telegramToken: 'must be the token of a bot, such as 123456:a1b2c3',
  telegramChat: 'must be the number of a chat, or @name',
  confirmedAddress: 'must be empty, notices go to the confirmed address of the account',
  publicAddress: 'must be a public https address',
  httpAddress: 'must be an https or http address',
  addressPath: 'must end in the topic or the device key',
  retentionDays: 'must be a number of days from 30 to 3650',
  sessionCount: 'must be a whole number from 0 to 9999',
  accountDays: 'must be a number of days from 0 to 3650',
  usernameAt: 'must not contain @',
  usernameAlphabets: 'must not mix alphabets',
  usernameFolder: 'must fit the name of a folder: no colon, no dot at the end, no name of a device',
  usernameFiles: 'must not end in ~ and digits, which the file server needs',
  linkEnd: 'must be at most <days> days away',
  oneUse: 'must be 1 for a fixed name or an e-mail address',
  oneEnd: 'must not be given together with account_ends_at',
  range: 'must be <min> to <max>',
  time: 'must be a time such as 2027-11-21T09:15:00Z',

  titleIsPrivateKey: 'must not be a private key',
  keyIsPrivate:
    'this is a private key, which must never be pasted anywhere; replace it by a new one and paste the .pub file',
  keyTooLong: 'it is longer than 16 KiB',
  keySeveral: 'it must be one key, there are several',
  keyLines: 'it must be one key on one line',
  keyOptions: 'options in front of a key are not accepted, it must begin with its type',
  keyWithoutType: 'it must begin with its type, such as ssh-ed25519',
  keyBase64: 'its base64 is broken',
  keyComment: 'its comment has control characters',
  keyCertificate: 'this is a certificate, paste the plain public key',
  keyDsa: 'DSA keys are broken and no server takes them, make one with: ssh-keygen -t ed25519',
  keyType: 'keys of this type are not accepted, make one with: ssh-keygen -t ed25519',

  validUnicode: 'must be valid Unicode',
  noNul: 'must not contain NUL',
  oneOf: 'must be one of <options>',
  sftpAddress: 'must be a host such as files.example.org, with :port unless it is 22',

  keyOtherType: 'it says <type>, its data is of another type',
  keyEndsBefore: 'the key data ends before its <part>',
  keyEndsWithin: 'the key data ends within its <part>',
  keyZero: 'its <part> is zero',
  keyNegative: 'its <part> is negative',
  keyLeadingZeros: 'its <part> has needless zeros in front',
  keyTrailingBytes: '<bytes> bytes too many follow the key',
  keySsh2Frame: 'its SSH2 frame is broken',
  keyPemFrame: 'its PEM frame is not that of one public key',
  keyPemType: 'its PEM holds a key of a type that SSH does not know',
  keyPemContent: 'its PEM holds no public key that can be read',
  keyCurve: 'its curve is not that of its type',
  keyPointForm: 'its point is not an uncompressed one',
  keyApplication: 'its application holds a NUL',
  keyEd25519Length: 'an Ed25519 key has 32 bytes',
  keyEd25519Form: `its Ed25519 point is not in canonical form; ${BETTER_KEY}`,
  keyEd25519Order: `its Ed25519 point is of small order; ${BETTER_KEY}`,
  keyRsaShort: `an RSA key of <bits> bits can be broken, <min> are the least; ${BETTER_KEY}`,
  keyRsaLong: `an RSA key may have at most <max> bits, not <bits>; ${BETTER_KEY}`,
  keyRsaLargeExponent: `its RSA exponent is too large; ${BETTER_KEY}`,
  keyRsaExponent: `its RSA exponent is <exponent>, it should be 65537; ${BETTER_KEY}`,
  keyRsaFactor: `its RSA modulus can be divided by <factor>; ${BETTER_KEY}`,
  keyRsaRoca: `it was made by a chip with the ROCA flaw (CVE-2017-15361); ${BETTER_KEY}`,
  keyOffCurve: `its point is not on <curve>; ${BETTER_KEY}`,
  keyUnlikelyPoint: `its point is an unlikely one; ${BETTER_KEY}`,
} as const satisfies Record<string, string>

export type ReasonCode = keyof typeof REASONS

/** A reason why a text is not accepted as a key. */
export type KeyReason = Extract<ReasonCode, `key${string}`>

/** The names of the fields in the data of a key. */
export const KEY_PARTS = [
  'type',
  'public key',
  'exponent',
  'modulus',
  'curve',
  'point',
  'application',
] as const

export type KeyPart = (typeof KEY_PARTS)[number]

/** The values of a text, by name. */
export type TextValues = Readonly<Record<string, number | string>>

/** Why a value is refused, until somebody reads it. */
export interface Reason {
  code: ReasonCode
  values: TextValues
}

/** Fills values into a text of ours, or into its translation. */
export function fillText(text: string, values: TextValues): string {
  return text.replace(/<(\w+)>/g, (_, name: string) => String(values[name]))
}

/** Says a reason in English, as the end of a sentence that begins with what is refused. */
export function wordsOf({ code, values }: Reason): string {
  return fillText(REASONS[code], values)
}

/** Makes the message of a check: valibot carries nothing but a text. `readReason` reads it. */
export function reason(code: ReasonCode, values: TextValues = {}): string {
  return JSON.stringify({ code, values } satisfies Reason)
}

const reasonSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    code: v.custom<ReasonCode>(isReasonCode),
    values: v.record(v.string(), v.union([v.number(), v.string()])),
  }),
)

export function isReasonCode(code: unknown): code is ReasonCode {
  return typeof code === 'string' && Object.hasOwn(REASONS, code)
}

/** Reads the message of an issue; one that `reason` didn't make is the reason `other`. */
export function readReason(message: string): Reason {
  const read = v.safeParse(reasonSchema, message)
  return read.success ? read.output : { code: 'other', values: { words: message } }
}

export function isKeyPart(value: unknown): value is KeyPart {
  return KEY_PARTS.some((part) => part === value)
}
