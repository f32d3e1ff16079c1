import type * as v from 'valibot'
import { sealedText } from '../../../core/crypto/sealed-text.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { isInUse, type ProviderId } from '../config.ts'
import { clearSsoCookie, readSsoCookie, setSsoCookie, type SsoCookie } from './cookies.ts'

/**
 * Makes a cookie for what a provider has proven to the browser's user.
 *
 * @param use A text of one use does not open for another.
 * @param seconds The lifetime.
 */
export function provenCookie<Content extends { provider: ProviderId }>(
  cookie: SsoCookie,
  use: string,
  seconds: number,
  schema: v.GenericSchema<Content>,
) {
  const text = sealedText(use, seconds, schema)
  return {
    save: async (c: AppContext, content: Content): Promise<void> =>
      setSsoCookie(c, cookie, await text.seal(c.get('deps'), content), seconds),
    /**
     * @returns `undefined` without the cookie, and when it has expired, or the operator has turned
     *   single sign-on off or changed the provider since.
     */
    read: async (c: AppContext): Promise<Content | undefined> => {
      const deps = c.get('deps')
      const sealed = readSsoCookie(c, cookie)
      const content = sealed === '' ? undefined : await text.open(deps, sealed)
      if (content === undefined || content === 'expired') return undefined
      return (await isInUse(deps, content.provider)) ? content : undefined
    },
    clear: (c: AppContext): void => clearSsoCookie(c, cookie),
  }
}
