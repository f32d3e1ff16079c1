import type { AppContext } from '../../../web/http/context.ts'
import { loadPart } from '../../../core/base/load-part.ts'

/** Returns the checks of the parts that other capabilities have. */
export function checksOf(c: AppContext) {
  const loads = c.get('capabilities').flatMap(({ health = [] }) => health)
  return loads.map((load) => async () => (await loadPart(load))(c.get('deps')))
}
