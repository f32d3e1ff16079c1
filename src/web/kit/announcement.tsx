import type { Child } from 'hono/jsx'
import { getCookie, setCookie } from 'hono/cookie'
import { sha256Hex } from '../../core/base/encoding.ts'
import { YEAR_SECONDS } from '../../core/base/time.ts'
import type { AppContext } from '../http/context.ts'
import { Markdown } from './markdown.tsx'
import type { OpenAnnouncement, View } from './view.ts'

const COOKIE = 'announcement'
const ID_DIGITS = 16
/** @returns `undefined` when there is no announcement, or the visitor has closed this one. */
export async function openAnnouncement(
  c: AppContext,
  setting: string,
): Promise<OpenAnnouncement | undefined> {
  const text = setting.trim()
  if (text === '') return undefined
  const id = (await sha256Hex(text)).slice(0, ID_DIGITS)
  return getCookie(c, COOKIE) === id ? undefined : { text, id }
}

/** Remembers that the visitor has closed an announcement. A new text is shown again. */
export function closeAnnouncement(c: AppContext, id: string): void {
  if (!/^[\da-f]{16}$/.test(id)) return
  setCookie(c, COOKIE, id, {
    path: '/account',
    maxAge: YEAR_SECONDS,
    httpOnly: true,
    secure: c.req.url.startsWith('https:'),
    sameSite: 'Lax',
  })
}

/** Shows the announcement with a button to close it. */
export function Announcement({ view: { t, site, address } }: { view: View }): Child {
  const { announcement } = site
  if (announcement === undefined) return null
  return (
    <aside class="announcement" aria-label={t.announcement}>
      <div>
        <Markdown text={announcement.text} />
      </div>
      <form method="post" action="/account/announcement">
        <input type="hidden" name="path" value={address} />
        <button class="quiet" name="id" value={announcement.id}>
          {t.closeAnnouncement}
        </button>
      </form>
    </aside>
  )
}
