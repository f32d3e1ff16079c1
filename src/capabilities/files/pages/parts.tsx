import { Choose } from '../../../web/kit/rows.tsx'
import type { PageParts } from '../../../web/kit/view.ts'

/** The pages of settings from which some are at the file server. */
const PAGES = ['site', 'style', 'files', 'preview']

export const filesParts: PageParts = {
  welcome: ({ files, t }) =>
    files && (
      <Choose
        href={files.start}
        icon="files"
        tone="green"
        title={t.files.open}
        hint={t.files.openHint}
      />
    ),
  siteState: ({ files, t }) =>
    files && (
      <a role="button" class="secondary" href={files.manage}>
        {t.files.manage}
      </a>
    ),
  aboveSettings: ({ view: { files, t }, page }) =>
    files &&
    PAGES.includes(page) && (
      <p class="note">
        {t.files.setThere} <a href={files.manage}>{t.files.manage}</a>
      </p>
    ),
}
