/**
 * The reasons why a value is refused, for every reason that the pages translate. The API sends the
 * words after the name of the field; the pages show the text of the code (`pages/texts/`). `<…>` is
 * a number.
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

  boolean: 'must be true or false',
  pageSize: 'must be a whole number from 1 to 9999',
  colour: 'must be a colour such as #1890ff',
  address: 'must be an address, https://… or /…',
  logos: 'must be an address, https://… or /…, and at most one more on a second line',
  contact: 'must be mailto:…, https://… or tel:…',
  regularExpressions: 'must be regular expressions such as /\\.bak$/i, one per line',
  previews: 'must be a JSON object of objects of addresses, https://… or /…',
  replacements: 'must be a JSON object of texts',

  titleIsPrivateKey: 'must not be a private key',
  keyIsPrivate:
    'this is a private key, which must never be pasted anywhere; replace it by a new one and paste the .pub file',
  keyTooLong: 'it is longer than 16 KiB',
  severalKeys: 'it must be one key, there are several',
  keyLines: 'it must be one key on one line',
  keyOptions: 'options in front of a key are not accepted, it must begin with its type',
  keyWithoutType: 'it must begin with its type, such as ssh-ed25519',
  keyBase64: 'its base64 is broken',
  keyComment: 'its comment has control characters',
  keyCertificate: 'this is a certificate, paste the plain public key',
  keyDsa: 'DSA keys are broken and no server takes them, make one with: ssh-keygen -t ed25519',
  keyType: 'keys of this type are not accepted, make one with: ssh-keygen -t ed25519',
} as const satisfies Record<string, string>

export type ReasonCode = keyof typeof REASONS

/** The numbers of a reason, by name. */
export type ReasonNumbers = Readonly<Record<string, number | string>>

/** Fills the numbers of a reason into its words, or into their translation. */
export function fillReason(words: string, numbers: ReasonNumbers): string {
  return words.replace(/<(\w+)>/g, (_, name: string) => String(numbers[name]))
}

/**
 * Finds the reason that has these words. Issues of valibot carry no code, only words.
 *
 * @returns `undefined` for words that the pages don't translate.
 */
export function findReason(
  words: string,
): { code: ReasonCode; numbers: ReasonNumbers } | undefined {
  for (const code of Object.keys(REASONS).filter(isReasonCode)) {
    const match = patternOf(REASONS[code]).exec(words)
    if (match !== null) return { code, numbers: match.groups ?? {} }
  }
  return undefined
}

function isReasonCode(name: string): name is ReasonCode {
  return Object.hasOwn(REASONS, name)
}

function patternOf(words: string): RegExp {
  const escaped = words.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  return new RegExp(`^${escaped.replaceAll(/<\w+>/g, String.raw`(?$&\d+)`)}$`)
}
