import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {}

export const undo = capability({
  pages: [['/undo', () => import('./pages/routes.tsx').then(({ undoPages }) => undoPages)]],
  parts: () => import('./pages/parts.tsx').then(({ undoParts }) => undoParts),
  frequent: () => import('./runs.ts').then(({ frequent }) => frequent),
})
