import { runBatch } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { composeMail, type MailContent } from '../mail/message.ts'
import { type SealedMail, sealMail } from '../mail/outbox.ts'
import { withAllDefaults } from '../settings/store.ts'
import { selectSettingsOf } from './registration-store.ts'

/** For so long a mail without a link is tried. */
const NEWS_MILLISECONDS = 24 * 60 * 60 * 1000

export type MailDeps = Pick<
  Deps,
  'db' | 'now' | 'keyRing' | 'randomBytes' | 'mailer' | 'siteAddress' | 'outbox'
>

/** Writes and seals a mail. It is given up when its link ends. */
export async function prepareMail(
  deps: Pick<Deps, 'db' | 'now' | 'keyRing' | 'randomBytes'>,
  content: Omit<MailContent, 'site'>,
): Promise<SealedMail> {
  const { stored } = await runBatch(deps.db, { stored: selectSettingsOf(deps.db, ['site_title']) })
  const message = composeMail({ ...content, site: withAllDefaults(stored).site_title })
  const milliseconds = content.link?.milliseconds ?? NEWS_MILLISECONDS
  return sealMail(deps, { message }, deps.now() + milliseconds)
}
