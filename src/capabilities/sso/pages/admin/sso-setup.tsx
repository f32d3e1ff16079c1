import type { SsoCheck } from '../../check.ts'
import { redirectUrisOf } from '../../redirect-uris.ts'
import { CopyButton } from '../../../../web/kit/parts.tsx'
import type { Texts } from '../../../../web/kit/texts.ts'
import type { View } from '../../../../web/kit/view.ts'

function checkText(t: Texts['sso'], checked: SsoCheck): string {
  if ('problem' in checked) return t.checkProblems[checked.problem]
  const { host, isClientAccepted } = checked
  return isClientAccepted ? t.checkGood(host) : t.checkUnsure(host)
}

interface SsoSetupProps {
  view: View
  settings: readonly { key: string; value: string }[]
  /** What the identity provider answered. */
  checked?: SsoCheck | undefined
  /** An address of the site. */
  site: string
}

/** What an operator registers at the identity provider, and a check of the saved settings. */
export function SsoSetup({ view, settings, checked, site }: SsoSetupProps) {
  const t = view.t.sso
  const mode = settings.find(({ key }) => key === 'sso_compatibility_mode')
  return (
    <article>
      <h2>{t.redirectUris}</h2>
      <p>{t.redirectUrisLead}</p>
      <ul class="rows compact">
        {redirectUrisOf(site, mode?.value === 'true').map((uri, place) => (
          <li class="bar">
            <code id={`redirect-uri-${place}`}>{uri}</code>
            <CopyButton view={view} from={`redirect-uri-${place}`} />
          </li>
        ))}
      </ul>
      <h2>{t.check}</h2>
      <p>{t.checkLead}</p>
      {checked !== undefined && (
        <p
          class={'host' in checked && checked.isClientAccepted ? 'done' : 'note warn'}
          role="status"
        >
          {checkText(t, checked)}
        </p>
      )}
      <form method="post" action="/account/admin/settings/sso/check">
        <button class="secondary">{t.checkSubmit}</button>
      </form>
    </article>
  )
}
