import type { Deps } from '../../core/deps.ts'

/** The parts of `Deps` that commands use; they need no request. */
export type Site = Pick<
  Deps,
  | 'db'
  | 'kv'
  | 'isolateMemory'
  | 'keyRing'
  | 'hashPassword'
  | 'now'
  | 'wait'
  | 'freshSeconds'
  | 'randomBytes'
  | 'makeSigningKey'
  | 'defer'
  | 'sendOut'
  | 'nearbyDb'
  | 'meter'
>

/** The site that a command works on. */
export interface SiteOptions {
  /** The deployed site; otherwise the local site, which `npm start` serves. */
  remote?: boolean
}
