import { AccountPage } from '../../../web/kit/layout.tsx'
import { CopyButton } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'

interface RecoveryCodesProps {
  view: View
  username: string
  codes: string[]
  /** The page after this one. */
  done: string
}

/** Shows the recovery codes once, in the answer to the form that generated them. */
export function RecoveryCodesPage({ view, username, codes, done }: RecoveryCodesProps) {
  const { t } = view
  return (
    <AccountPage view={view} title={t.recovery.title}>
      <h1>{t.recovery.title}</h1>
      <article>
        <p>{t.recovery.lead}</p>
        <div class="recovery">
          <div>
            <label for="codes">{t.recovery.codes}</label>
            <textarea id="codes" class="codes" readonly rows={codes.length} spellcheck={false}>
              {codes.join('\n')}
            </textarea>
          </div>
          <div>
            <p>{t.recovery.keep}</p>
            <p class="buttons">
              <a
                role="button"
                href={`data:text/plain;charset=utf-8,${encodeURIComponent(fileOf(view, username, codes))}`}
                download={`recovery-codes-${username.replaceAll(/[^\w.-]+/g, '-')}.txt`}
              >
                {t.recovery.download}
              </a>
              <button type="button" class="secondary" data-print hidden>
                {t.print}
              </button>
              <CopyButton view={view} from="codes" />
            </p>
          </div>
        </div>
        <p class="buttons">
          <a role="button" class="secondary" href={done}>
            {t.recovery.done}
          </a>
        </p>
      </article>
    </AccountPage>
  )
}

/** The file is in the page itself: the codes go over the network once, and no script is needed. */
function fileOf({ t, site, now }: View, username: string, codes: string[]): string {
  const date = new Date(now).toISOString().slice(0, 10)
  const title = t.recovery.fileTitle(username, site.title, date)
  return [title, t.recovery.fileHint, '', ...codes, ''].join('\r\n')
}
