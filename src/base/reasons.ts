const BETTER_KEY = 'make a better one with: ssh-keygen -t ed25519'

/**
 * The reasons why a value is refused, for every reason that the pages translate. The API sends the
 * words after the name of the field; the pages show the text of the code (`pages/texts/`). `<…>` is
 * a value: `VALUE_PATTERNS` has its form.
 */
export const REASONS = {
  required: 'is required',
  maxCharacters: 'must have at most <max> characters',
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
  clientSite: 'must be the address of a site, without a query',
  userGroup: 'must be a group of users',

  boolean: 'must be true or false',
  pageSize: 'must be a whole number from 1 to 9999',
  colour: 'must be a colour such as #1890ff',
  address: 'must be an address, https://… or /…',
  logos: 'must be an address, https://… or /…, and at most one more on a second line',
  contact: 'must be mailto:…, https://… or tel:…',
  regularExpressions: 'must be regular expressions such as /\\.bak$/i, one per line',
  previews: 'must be a JSON object of objects of addresses, https://… or /…',
  replacements: 'must be a JSON object of texts',

  issuer: 'must be an address such as https://accounts.example.org, without ? and #',
  scopes: 'must be names separated by spaces',
  claim: 'must be the name of a claim, such as preferred_username',
  permission: 'must be a whole number from 0 to 65535',
  origins: 'must be https origins such as https://example.org, one per line',

  topics: 'must name at least one topic',
  email: 'must be an e-mail address',
  telegramToken: 'must be the token of a bot, such as 123456:a1b2c3',
  telegramChat: 'must be the number of a chat, or @name',
  publicAddress: 'must be a public https address',
  httpAddress: 'must be an https or http address',
  addressPath: 'must end in the topic or the device key',
  retentionDays: 'must be a number of days from 30 to 3650',

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

/** The values of a reason, by name. */
export type ReasonValues = Readonly<Record<string, number | string>>

/** The forms of the values that are not numbers, as parts of a regular expression. */
const VALUE_PATTERNS: Readonly<Record<string, string>> = {
  part: KEY_PARTS.join('|'),
  type: String.raw`[\w@.-]+`,
  curve: String.raw`\w+`,
  options: '.+',
}

/** Fills the values of a reason into its words, or into their translation. */
export function fillReason(words: string, values: ReasonValues): string {
  return words.replace(/<(\w+)>/g, (_, name: string) => String(values[name]))
}

/**
 * Finds the reason that has these words. Issues of valibot carry no code, only words.
 *
 * @returns `undefined` for words that the pages don't translate.
 */
export function findReason(words: string): { code: ReasonCode; values: ReasonValues } | undefined {
  for (const code of Object.keys(REASONS).filter(isReasonCode)) {
    const match = patternOf(REASONS[code]).exec(words)
    if (match !== null) return { code, values: match.groups ?? {} }
  }
  return undefined
}

export function isKeyPart(value: unknown): value is KeyPart {
  return KEY_PARTS.some((part) => part === value)
}

function isReasonCode(name: string): name is ReasonCode {
  return Object.hasOwn(REASONS, name)
}

function patternOf(words: string): RegExp {
  const escaped = words.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  const pattern = escaped.replaceAll(
    /<(\w+)>/g,
    (_, name: string) => `(?<${name}>${VALUE_PATTERNS[name] ?? String.raw`\d+`})`,
  )
  return new RegExp(`^${pattern}$`)
}
