import type { Deps, OptionalBindings } from '../../src/core/deps.ts'
import { cheapHash, cheapPasswordHash } from './cheap-hash.ts'
import { Site } from './site.ts'

/** A site whose passwords cost nothing, those of the users it adds included. */
export class CheapSite extends Site {
  constructor(faults: Partial<Deps> = {}, bindings: Partial<Env & OptionalBindings> = {}) {
    super({ hashPassword: cheapHash, ...faults }, bindings)
  }

  protected override hash(password: string): Promise<string> {
    return cheapPasswordHash(password)
  }
}
