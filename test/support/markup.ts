import { expect } from 'vitest'
import { auditEvents, sessions, settings, sshKeys } from '../../schema/tables.ts'
import { SETTING_KEYS } from '../../src/capabilities/settings/defaults.ts'
import { HOUR, NOW, type Site } from './site.ts'

/** Would end a text, an attribute and a textarea, or fill a template, were it not escaped. */
export const MARKUP = `"'></textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>{{1+1}}&amp;`
const ESCAPED =
  '&quot;&#39;&gt;&lt;/textarea&gt;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;{{1+1}}&amp;amp;'

/** Makes markup of everything that is kept as a text of a user or of the site, past every check. */
export async function fillWithMarkup(site: Site, userId: number): Promise<void> {
  const where = { network: MARKUP, userAgent: MARKUP }
  await site.db
    .insert(auditEvents)
    .values({ at: NOW, kind: 'key_used', userId, detail: MARKUP, ...where })
  await site.db.insert(auditEvents).values({ at: NOW, kind: MARKUP, userId, detail: '', ...where })
  await site.db
    .insert(sessions)
    .values({ id: MARKUP, userId, createdAt: NOW, expiresAt: NOW + HOUR, ...where })
  await site.db.insert(sshKeys).values({
    userId,
    title: MARKUP,
    fingerprint: MARKUP,
    type: MARKUP,
    bits: 256,
    line: MARKUP,
    addedAt: NOW,
    lastUsedAt: NOW,
  })
  for (const key of SETTING_KEYS.filter((item) => item !== 'version')) {
    await site.db.insert(settings).values({ key, value: MARKUP })
  }
}

export function expectEscaped(html: string): void {
  expect(html).toContain(ESCAPED)
  expectSafe(html)
}

/** On a page that needn't show it. */
export function expectSafe(html: string): void {
  expect(html).not.toContain('<script>')
  expect(html).not.toContain('<img src=x')
  expect(html).not.toMatch(
    /(?:href|src|srcset|action)="(?!\/|data:image\/|data:text\/plain;|otpauth:\/\/totp\/|#)/,
  )
  expect(html.match(/<\/title>/g)).toHaveLength(1)
}
