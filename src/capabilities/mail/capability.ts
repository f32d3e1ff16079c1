import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  settings: 'a mail names the site',
}

export const mail = capability({})
