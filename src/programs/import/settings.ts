import * as v from 'valibot'
import { readReason, wordsOf } from '../../core/base/reasons.ts'
import { type SettingDefinition, SETTINGS } from '../../capabilities/settings/definitions.ts'
import type { Item, RawRow } from './source.ts'

/** The defaults of all versions of OpenList and AList, without white space. */
const LOGO =
  /^https:\/\/((res|cdn)\.oplist\.org|cdn\.jsdelivr\.net\/gh\/alist-org)\/.*logo\.(svg|png)$/i
const OLD_DEFAULTS: Record<string, RegExp> = {
  site_title: /^(openlist|alist)$/i,
  sso_default_dir: /^\/$/,
  announcement: /^(###repo)?https:\/\/github\.com\/alist-org\/alist$|^WelcometotheOpenListproject!/,
  logo: LOGO,
  favicon: LOGO,
  audio_cover: LOGO,
  ocr_api:
    /^https:\/\/(openlistteam-ocr-api-server\.hf\.space|api\.(nn\.ci|example\.com))\/ocr\/file\/json$/,
  iframe_previews:
    /^\{"doc,docx,xls,xlsx,ppt,pptx":\{"Microsoft":"[^"]*","Google":"[^"]*"\},"pdf":\{"PDF.js":"https:\/\/(res\.oplist\.org|openlistteam\.github\.io|alist-org\.github\.io)\/[^"]*"\},"epub":\{"EPUB.js":"https:\/\/(res\.oplist\.org|openlistteam\.github\.io|alist-org\.github\.io)\/[^"]*"\}\}$/,
}

const SEALED = 'is sealed with the key of the old site: set it again, with setting set … --stdin'

/** The plan for the settings of a source. */
interface SettingsPlan {
  /** The values by their keys. */
  changes: Record<string, string>
  kept: number
  refused: Item[]
}

/**
 * Decides which settings are imported: settings that exist here, were changed in the source, and
 * were not changed here.
 *
 * @param isSealed Whether the secrets of the source are sealed, so that they can't be imported.
 */
export function planSettings(
  rows: RawRow[],
  changedHere: string[],
  isSealed = false,
): SettingsPlan {
  const seen = new Set(changedHere)
  const plan: SettingsPlan = { changes: {}, kept: 0, refused: [] }
  for (const row of rows) {
    const setting = SETTINGS.find(({ key, isReadOnly }) => key === row['key'] && !isReadOnly)
    const value = row['value'] ?? ''
    if (setting === undefined || isDefault(setting, value)) continue
    const { key, check } = setting
    const checked = v.safeParse(check, value, { abortPipeEarly: true })
    if (seen.has(key)) plan.kept += 1
    else if (setting.isSecret && isSealed)
      plan.refused.push({ kind: 'setting', name: key, reason: SEALED })
    else if (checked.success) plan.changes[key] = checked.output
    else plan.refused.push({ kind: 'setting', name: key, reason: issueText(checked.issues[0]) })
    seen.add(key)
  }
  return plan
}

function isDefault(setting: SettingDefinition, value: unknown): boolean {
  if (typeof value !== 'string') return false
  const compact = value.replaceAll(/\s/g, '')
  const isOurs = compact === setting.default.replaceAll(/\s/g, '')
  return isOurs || (OLD_DEFAULTS[setting.key]?.test(compact) ?? false)
}

/** Returns the reason without quoting the value. */
function issueText(issue: v.BaseIssue<unknown>): string {
  return issue.kind === 'schema' && issue.type === 'string'
    ? 'must be a text'
    : wordsOf(readReason(issue.message))
}
