import * as v from 'valibot'
import { of } from '../../../core/access/subject.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../http/context.ts'
import { actorOf } from '../../http/guard.ts'
import { idQuery } from '../../http/input.ts'

/**
 * Returns the id of the user whose page a request names.
 *
 * @throws {Refusal} `userNotFound`.
 */
export function userIdOf(c: AppContext): number {
  const result = v.safeParse(idQuery, c.req.param())
  if (!result.success) throw new Refusal('userNotFound')
  return result.output.id
}

/** The account of that user, for the operator who asks. */
export function accountOfPage(c: AppContext) {
  return [c.get('deps'), of(actorOf(c), userIdOf(c))] as const
}
