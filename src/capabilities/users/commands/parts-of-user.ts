import { CAPABILITIES } from '../../../programs/site/capabilities.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'

/** Loads what capabilities have of a user, in the order of the list. */
export async function loadPartsOfUser(): Promise<OfUser[]> {
  return Promise.all(CAPABILITIES.map(async ({ ofUser }) => (await ofUser?.()) ?? {}))
}

/** Puts what they answer into one object. */
export async function mergedParts<Part extends object>(
  ask: (part: OfUser) => Promise<Part> | undefined,
): Promise<Part> {
  const parts = await loadPartsOfUser()
  return Object.assign({}, ...(await Promise.all(parts.map(async (part) => ask(part)))))
}
