import type { AppContext, FileTarget } from '../../../web/http/context.ts'

/** What a request asks of the file server, behind `fileRules`. */
export function targetOf(c: AppContext): FileTarget {
  const target = c.get('fileTarget')
  if (target === undefined) throw new TypeError('this request is not for the file server')
  return target
}
