import { OAuthError } from './oauth-error.ts'

/** The parameters of a request by name. A parameter without a value counts as missing. */
export type Parameters = Readonly<Record<string, string>>

/**
 * Reads parameters. Of a repeated one, `repeated` has the name, and no value is taken.
 *
 * @see RFC 6749 section 3.1
 */
export function readParameters(params: URLSearchParams): {
  values: Parameters
  repeated: string[]
} {
  // In time that grows with the length alone: strangers send these.
  const counts = new Map<string, number>()
  for (const name of params.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const repeated = Array.from(counts.keys()).filter((name) => counts.get(name) !== 1)
  const single = Array.from(params).filter(
    ([name, value]) => value !== '' && counts.get(name) === 1,
  )
  return { values: Object.fromEntries(single), repeated }
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Reads a form.
 *
 * @throws {OAuthError} `invalid_request` for another content type, and for a repeated parameter.
 */
export async function readFormParameters(request: {
  header: (name: string) => string | undefined
  arrayBuffer: () => Promise<ArrayBuffer>
}): Promise<Parameters> {
  if (!isFormType(request.header('Content-Type')))
    throw new OAuthError('invalid_request', `the content type must be ${FORM}`)
  const body = new TextDecoder().decode(await request.arrayBuffer())
  const { values, repeated } = readParameters(new URLSearchParams(body))
  if (repeated.length > 0) throw new OAuthError('invalid_request', 'a parameter is repeated')
  return values
}

export function isFormType(type: string | undefined): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === FORM
}
