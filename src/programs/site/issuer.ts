import * as v from 'valibot'
import { nearestIssuer, parseIssuer } from '../../core/base/issuer.ts'
import { CommandError } from '../kit/command-error.ts'
import { varsFile } from './dev-vars.ts'
import { readVars } from './site-config.ts'

/** The address of this site on the command line; programs compare it byte by byte. */
export const issuerSchema = v.pipe(
  v.string(),
  v.transform((address) => address.replace(/\/+$/, '')),
  v.check(
    (address) => parseIssuer(address) !== undefined,
    'must be the address of this site, such as https://account.example.org',
  ),
)

/**
 * Returns the address of this site for the settings of a program.
 *
 * @returns `undefined` when neither the option nor the variable `ISSUER` gives it.
 * @throws {CommandError} When the variable `ISSUER` is no issuer: no program could sign in.
 */
export async function readIssuer(
  given: string | undefined,
  isRemote: boolean,
): Promise<string | undefined> {
  const { ISSUER: set } = await readVars(isRemote)
  if (given !== undefined) return given
  if (typeof set !== 'string' || set === '') return undefined
  if (parseIssuer(set) !== undefined) return set
  throw new CommandError(
    `ISSUER in ${varsFile(isRemote)} is ${set}, which is no origin: set it to ${nearestIssuer(set)}.`,
  )
}
