import * as v from 'valibot'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../base/text.ts'
import { fillReason, REASONS } from '../base/reasons.ts'

/** What a setting may hold: the text to store, or why not, to be read after the setting's name. */
export type Check = v.GenericSchema<string, string>

/** Six settings may be this long: all settings together stay below the 64 KiB that a body may have. */
const MAX_TEXT_BYTES = 8 * 1024
const MAX_ADDRESS_CHARACTERS = 1024
/** Logos for a light and for a dark page. */
const MAX_LOGOS = 2

export const aBoolean: Check = v.picklist(['true', 'false'], REASONS.boolean)

export const aPageSize: Check = v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/, REASONS.pageSize))

export const aColour: Check = v.pipe(
  v.string(),
  v.regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i, REASONS.colour),
)

export function oneOf(options: readonly string[]): Check {
  return v.picklist(options, `must be one of ${options.map((option) => option || '""').join(', ')}`)
}

export function aLine(limit: number): Check {
  return v.pipe(possiblyEmptyText(), maxCharacters(limit), noControlCharacters())
}

/**
 * For the site's title, which authenticators show as well. Joiners and variation selectors stay:
 * emoji are made with them, and Persian and Indic words are spelt with them.
 */
export function aName(limit: number): Check {
  return v.pipe(
    aLine(limit),
    v.check((name) => /[^\s\p{Cf}\uFE0E\uFE0F]/u.test(name), REASONS.required),
    v.check(
      (name) => !/[^\P{Cf}\u200C\u200D]|[\p{Zl}\p{Zp}]/u.test(name),
      REASONS.noInvisibleCharacters,
    ),
  )
}

/** Lines end as they do in Go and JavaScript, whatever the form that sent them thinks. */
export const someText: Check = v.pipe(
  possiblyEmptyText(),
  v.transform((text) => text.replaceAll('\r\n', '\n')),
  v.check((text) => !/[^\P{Cc}\n\t]/u.test(text), REASONS.noControlCharacters),
  v.maxBytes(MAX_TEXT_BYTES, fillReason(REASONS.maxBytes, { max: MAX_TEXT_BYTES })),
)

/** An address that a page may load a picture from, or nothing. */
export const anAddress: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((address) => address === '' || isSiteAddress(address), REASONS.address),
)

/** Where to report a problem. @see RFC 9116 section 2.5.3 */
export const aContact: Check = v.pipe(
  aLine(MAX_ADDRESS_CHARACTERS),
  v.check((contact) => contact === '' || isContact(contact), REASONS.contact),
)

export const someLogos: Check = v.pipe(
  someText,
  v.maxLength(
    MAX_LOGOS * MAX_ADDRESS_CHARACTERS,
    fillReason(REASONS.maxCharacters, { max: MAX_LOGOS * MAX_ADDRESS_CHARACTERS }),
  ),
  v.check(
    (text) =>
      text === '' ||
      (text.split('\n').length <= MAX_LOGOS && text.split('\n').every(isSiteAddress)),
    REASONS.logos,
  ),
)

/** As the stock client reads them: one to a line, blank lines count for nothing. */
export const someRegularExpressions: Check = v.pipe(
  someText,
  v.check(
    (text) => text.split('\n').every((line) => line.trim() === '' || isRegularExpression(line)),
    REASONS.regularExpressions,
  ),
)

/** `{"pdf,epub": {"Name of a viewer": "https://…$e_url"}}` */
export const somePreviews: Check = aJson(
  (value) => isObjectOf(value, (viewers) => isObjectOf(viewers, isSiteAddress)),
  REASONS.previews,
)

/** `{"/": "|"}` */
export const someReplacements: Check = aJson(
  (value) => isObjectOf(value, (text) => typeof text === 'string'),
  REASONS.replacements,
)

/**
 * An absolute address on the web or a path of this site; never another scheme, nor another site by
 * `//`.
 */
export function isSiteAddress(address: unknown): boolean {
  if (typeof address !== 'string') return false
  if (!/^(?:https?:\/\/|\/(?![/\\]))[^\s\p{Cc}]*$/iu.test(address)) return false
  return URL.canParse(address, 'https://site.invalid')
}

/** An address of RFC 3986, which has no blanks, no line breaks and only ASCII. */
function isContact(address: string): boolean {
  if (!/^(?:mailto:[^@?]+@[^@]+|https:\/\/[^/].*|tel:\+?[\d().-]+)$/.test(address)) return false
  return /^[!-~]+$/.test(address) && URL.canParse(address)
}

/** It is compiled and never run here. */
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
    v.check((text) => {
      try {
        return isRight(JSON.parse(text))
      } catch {
        return false
      }
    }, message),
  )
}

/** Of every own member, `__proto__` included, which a record of valibot passes over. */
function isObjectOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(isMember)
}
