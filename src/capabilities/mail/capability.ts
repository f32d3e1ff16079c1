import { capability } from '../../web/kit/capability.ts'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  settings: 'a mail names the site',
}

export const mail = capability({})
