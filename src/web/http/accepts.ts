import type { AppContext } from './context.ts'

/** Tells whether a browser opens a page: browsers name `text/html` then; programs and images don't. */
export function acceptsPages(c: AppContext): boolean {
  if (!['GET', 'HEAD'].includes(c.req.method)) return false
  return /\btext\/html\b/i.test(c.req.header('Accept') ?? '')
}
