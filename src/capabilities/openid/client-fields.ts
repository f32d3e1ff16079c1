import * as v from 'valibot'
import { isSafeUrl } from '../../core/base/issuer.ts'
import { reason } from '../../core/base/reasons.ts'
import { maxCharacters, nameText, text } from '../../core/base/text.ts'

const MAX_NAME_CHARACTERS = 100
const MAX_URI_CHARACTERS = 2000
const MAX_URIS = 20

/** The name by which users and operators know a program. */
export const clientNameSchema = nameText(MAX_NAME_CHARACTERS)

/**
 * An address of a client: https, or http on this computer, without a fragment, and spelt as a
 * browser would spell it, because addresses are compared byte by byte.
 *
 * @see RFC 9700 section 2.1
 */
export const clientUriSchema = v.pipe(
  text(),
  maxCharacters(MAX_URI_CHARACTERS),
  v.check(hasSafeScheme, reason('clientUriScheme')),
  v.check(isClientUri, reason('clientUri')),
)

/**
 * The parameters that an answer adds to the query of an address. @see RFC 6749 section 4.1.2, RFC
 * 9207 section 2
 */
const ADDED = ['code', 'state', 'error', 'error_description', 'iss']

/** An address at which a program gets answers. Its own query has no parameter of an answer. */
export const answerUriSchema = v.pipe(
  clientUriSchema,
  v.check(
    (uri) => !URL.canParse(uri) || !ADDED.some((name) => new URL(uri).searchParams.has(name)),
    reason('clientUriQuery'),
  ),
)

/** The address of a site, without the slash that browsers add. */
export const clientSiteSchema = v.pipe(
  v.string(),
  v.transform((address) => address.trim().replace(/\/+$/, '')),
  clientUriSchema,
  // Paths are added to it.
  v.check((address) => !address.includes('?'), reason('clientSite')),
)

/** Holds for everything but plain http to another machine; the next check refuses other texts. */
function hasSafeScheme(uri: string): boolean {
  return !/^http:/i.test(uri) || !URL.canParse(uri) || isSafeUrl(new URL(uri))
}

function isClientUri(uri: string): boolean {
  if (!/^[!-~]+$/.test(uri) || /[#*\\"<>]/.test(uri) || !URL.canParse(uri)) return false
  const url = new URL(uri)
  // The address of a site alone is registered without the slash that browsers add.
  const isSpelt = url.href === uri || url.href === `${uri}/`
  return isSpelt && isSafeUrl(url) && url.username === '' && url.password === ''
}

/** The addresses of a client, in the order in which they were given. */
export const clientUrisSchema = v.pipe(
  v.array(answerUriSchema),
  v.maxLength(MAX_URIS, reason('clientUriCount', { max: MAX_URIS })),
  v.transform((uris) => [...new Set(uris)]),
)
