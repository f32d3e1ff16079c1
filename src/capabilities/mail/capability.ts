import { capability, loadAll } from '../../web/kit/capability.ts'
import { mailsAfterRequests } from './http/after-requests.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  settings: 'a mail names the site',
}

export const mail = capability({
  middleware: { around: [['*', mailsAfterRequests]] },
  async frequent(capabilities) {
    const [{ frequentWith }, makers] = await Promise.all([
      import('./runs.ts'),
      loadAll(capabilities.flatMap(({ makeMails = [] }) => makeMails)),
    ])
    return frequentWith(makers)
  },
})
