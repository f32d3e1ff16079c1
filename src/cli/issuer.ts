import { readVars } from './deploy/site-config.ts'

/** Returns the address of this site for the settings of a program, or words in its place. */
export async function readIssuer(given: string | undefined): Promise<string> {
  const { ISSUER: set } = await readVars()
  return given ?? (typeof set === 'string' && set !== '' ? set : '(the address of this site)')
}
