import type { AppContext, FileTarget } from '../../../web/http/context.ts'

/** Returns the part of the file server that a request asks for, behind `fileRules`. */
export function targetOf(c: AppContext): FileTarget {
  const target = c.get('fileTarget')
  if (target === undefined) throw new TypeError('this request is not for the file server')
  return target
}
