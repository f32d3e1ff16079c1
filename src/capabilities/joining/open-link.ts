import { sha256Hex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { selectLive } from './link-store.ts'

/**
 * Finds a link that can be used, and changes nothing: scanners of mail open links too.
 *
 * @throws {Refusal} `linkInvalid`.
 */
export async function openLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  secret: string,
): Promise<ReturnType<typeof selectLive>['_']['result'][number]> {
  const [link] = await selectLive(db, await sha256Hex(secret), now())
  if (link === undefined) throw new Refusal('linkInvalid')
  return link
}
