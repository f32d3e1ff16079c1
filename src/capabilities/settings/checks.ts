import * as v from 'valibot'
import { findJsonFault } from '../../core/base/json-fault.ts'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../../core/base/text.ts'
import { basePathSchema } from '../../core/accounts/fields.ts'
import { namesInList, readGroupMap } from '../../core/accounts/group-lists.ts'
import { MAX_PERMISSION } from '../../core/accounts/roles.ts'
import { reason } from '../../core/base/reasons.ts'
import { isSiteAddress } from '../../core/base/web-address.ts'
import { parseSftpAddress } from './sftp-address.ts'

/**
 * The check of a setting's value: gives the text to store, or a message that follows the setting's
 * name.
 */
export type Check = v.GenericSchema<string, string>

/** Six settings may be this long: all settings together stay below the 64 KiB that a body may have. */
const MAX_TEXT_BYTES = 8 * 1024
const MAX_ADDRESS_CHARACTERS = 1024
const MAX_GROUPS_CHARACTERS = 256
const MAX_GROUP_MAP_BYTES = 2048
/** One logo for light pages, one for dark pages. */
const MAX_LOGOS = 2

export const aBoolean: Check = v.picklist(['true', 'false'], reason('boolean'))

export const aPageSize: Check = v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/, reason('pageSize')))

/**
 * At least 30 days, because a network stays known for as long (audit/known-networks.ts); at most
 * ten years.
 */
export const someRetentionDays: Check = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{1,3}$/, reason('retentionDays')),
  v.check((days) => Number(days) >= 30 && Number(days) <= 3650, reason('retentionDays')),
)

/** 0 for any number of sessions. */
export const someSessions: Check = v.pipe(
  v.string(),
  v.regex(/^(?:0|[1-9]\d{0,3})$/, reason('sessionCount')),
)

/** 0 for an account without an end. */
export const someAccountDays: Check = v.pipe(
  v.string(),
  v.regex(/^(?:0|[1-9]\d{0,3})$/, reason('accountDays')),
  v.check((days) => Number(days) <= 3650, reason('accountDays')),
)

export const aColour: Check = v.pipe(
  v.string(),
  v.regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i, reason('colour')),
)

export function oneOf(options: readonly string[]): Check {
  const named = options.map((option) => option || '""').join(', ')
  return v.picklist(options, reason('oneOf', { options: named }))
}

export function aLine(limit: number): Check {
  return v.pipe(possiblyEmptyText(), maxCharacters(limit), noControlCharacters())
}

/**
 * Checks the site's title, which authenticator apps show as well. Joiners and variation selectors
 * are allowed, because emoji, Persian and Indic words contain them.
 */
export function aName(limit: number): Check {
  return v.pipe(
    aLine(limit),
    v.check((name) => /[^\s\p{Cf}\uFE0E\uFE0F]/u.test(name), reason('required')),
    v.check(
      (name) => !/[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}]/u.test(name),
      reason('noInvisibleCharacters'),
    ),
  )
}

/** A name, or an empty text. */
export function aNameOrNone(limit: number): Check {
  return v.lazy((text) => (text === '' ? v.literal('') : aName(limit)))
}

/** A text of several lines; the CRLF that forms send becomes LF. */
export const someText: Check = v.pipe(
  possiblyEmptyText(),
  v.transform((text) => text.replaceAll('\r\n', '\n')),
  v.check((text) => !/[^\P{Cc}\n\t]/u.test(text), reason('noControlCharacters')),
  v.maxBytes(MAX_TEXT_BYTES, reason('maxBytes', { max: MAX_TEXT_BYTES })),
)

/** The address of a picture, or an empty text. */
export const anAddress: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((address) => address === '' || isSiteAddress(address), reason('address')),
)

/** The contact of security.txt, or an empty text. @see RFC 9116 section 2.5.3 */
export const aContact: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((contact) => contact === '' || isContact(contact), reason('contact')),
)

/** Origins of other sites, one per line: `https://example.org`. */
export const someOrigins: Check = v.pipe(
  someText,
  v.check(
    (text) => text.split('\n').every((line) => line === '' || isHttpsOrigin(line)),
    reason('origins'),
  ),
)

/** The address of the SFTP server, or an empty text. */
export const anSftpAddress: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((text) => text === '' || parseSftpAddress(text) !== undefined, reason('sftpAddress')),
)

/**
 * The issuer of an identity provider, or an empty text. Plain http is only for a provider on this
 * computer, for tests.
 *
 * @see OpenID Connect Discovery 1.0 section 3, `issuer`
 */
export const anIssuer: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((text) => text === '' || isIssuer(text), reason('issuer')),
)

/** Scopes, separated by single spaces. @see RFC 6749 section 3.3 */
export const someScopes: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.transform((text) => text.trim().replaceAll(/ +/g, ' ')),
  v.check((text) => /^[!#-[\]-~ ]*$/.test(text), reason('scopes')),
)

/** The name of a claim. */
export const aClaim: Check = v.pipe(v.string(), v.regex(/^[\w:./-]{1,128}$/, reason('claim')))

/** The name of a claim, or an empty text. */
export const aClaimOrNone: Check = v.lazy((text) => (text === '' ? v.literal('') : aClaim))

/** Names of groups, separated by commas. Whether there are such groups, `saveSettings` finds out. */
export const someGroups: Check = v.pipe(
  aLine(MAX_GROUPS_CHARACTERS),
  v.transform((text) => namesInList(text).join(', ')),
  maxCharacters(MAX_GROUPS_CHARACTERS),
)

/** `{"staff": "finance"}`: a group for each value of a claim. */
export const aGroupMap: Check = v.pipe(
  someText,
  v.maxBytes(MAX_GROUP_MAP_BYTES, reason('maxBytes', { max: MAX_GROUP_MAP_BYTES })),
  v.check((text) => text.trim() === '' || readGroupMap(text) !== undefined, reason('groupMap')),
)

/** The base path of new accounts; empty for that of `usualFolder`. */
export const aNewFolder: Check = v.lazy((text) => (text === '' ? v.literal('') : basePathSchema))

/** A number of 16 bits. */
export const aPermission: Check = v.pipe(
  v.string(),
  v.check((text) => /^\d{1,5}$/.test(text) && Number(text) <= MAX_PERMISSION, reason('permission')),
)

export const someLogos: Check = v.pipe(
  someText,
  v.maxLength(
    MAX_LOGOS * MAX_ADDRESS_CHARACTERS,
    reason('maxCharacters', { max: MAX_LOGOS * MAX_ADDRESS_CHARACTERS }),
  ),
  v.check(
    (text) =>
      text === '' ||
      (text.split('\n').length <= MAX_LOGOS && text.split('\n').every(isSiteAddress)),
    reason('logos'),
  ),
)

/** Regular expressions as the stock client reads them: one per line, blank lines are ignored. */
export const someRegularExpressions: Check = v.pipe(
  someText,
  v.check(
    (text) => text.split('\n').every((line) => line.trim() === '' || isRegularExpression(line)),
    reason('regularExpressions'),
  ),
)

/** `{"pdf,epub": {"Name of a viewer": "https://…$e_url"}}` */
export const somePreviews: Check = aJson(
  (value) => isObjectOf(value, (viewers) => isObjectOf(viewers, isSiteAddress)),
  reason('previews'),
)

/** `{"/": "|"}` */
export const someReplacements: Check = aJson(
  (value) => isObjectOf(value, (text) => typeof text === 'string'),
  reason('replacements'),
)

/** Tells whether a text is an https origin exactly as browsers write it. */
export function isHttpsOrigin(text: string): boolean {
  return text.startsWith('https://') && URL.canParse(text) && new URL(text).origin === text
}

/** Tells whether a text is the address of an identity provider. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(text)
  return isPlain && (url.protocol === 'https:' || isLoopback(url))
}

/** Tells whether an address is on this computer, over plain http. @see RFC 8252 section 7.3 */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}

/** Tells whether this is a URI of RFC 3986: only ASCII, without spaces and line breaks. */
function isContact(address: string): boolean {
  if (!/^(?:mailto:[^@?]+@[^@]+|https:\/\/[^/].*|tel:\+?[\d().-]+)$/.test(address)) return false
  return /^[!-~]+$/.test(address) && URL.canParse(address)
}

/** Compiles the expression to check it; it never runs here. */
function isRegularExpression(line: string): boolean {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/.exec(line.trim()) ?? []
  if (source === undefined) return false
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

function aJson(isRight: (value: unknown) => boolean, message: string): Check {
  return v.pipe(
    someText,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const fault = findJsonFault(dataset.value)
      if (fault !== undefined) addIssue({ message: reason('json', { ...fault }) })
      else if (!isRight(JSON.parse(dataset.value))) addIssue({ message })
    }),
  )
}

/** Checks every own member, including `__proto__`, which valibot's record skips. */
function isObjectOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(isMember)
}
