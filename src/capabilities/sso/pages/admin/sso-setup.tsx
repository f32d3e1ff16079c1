import { redirectUrisOf } from '../../redirect-uris.ts'
import { CopyButton } from '../../../../web/kit/parts.tsx'
import type { PageParts } from '../../../../web/kit/view.ts'

type Part = NonNullable<PageParts['settings']>

/** The addresses to register at the identity provider, which come before everything else. */
export const SsoAddresses: Part = ({ view, page, settings, site }) => {
  if (page !== 'sso') return <></>
  const t = view.t.sso
  const mode = settings.find(({ key }) => key === 'sso_compatibility_mode')
  return (
    <article>
      <h2>{t.redirectUris}</h2>
      <p class="hint">{t.redirectUrisLead}</p>
      <ul class="rows compact">
        {redirectUrisOf(site, mode?.value === 'true').map((uri, place) => (
          <li class="bar">
            <code id={`redirect-uri-${place}`}>{uri}</code>
            <CopyButton view={view} from={`redirect-uri-${place}`} />
          </li>
        ))}
      </ul>
    </article>
  )
}

/** A check of the saved settings. */
export const SsoCheck: Part = ({ view, page, checked }) => {
  if (page !== 'sso') return <></>
  const t = view.t.sso
  return (
    <article>
      <h2>{t.check}</h2>
      <p>{t.checkLead}</p>
      {checked !== undefined && (
        <p class={checked.isGood ? 'done' : 'note warn'} role="status">
          {checked.text}
        </p>
      )}
      <form method="post" action="/account/admin/settings/sso/check">
        <button class="secondary">{t.checkSubmit}</button>
      </form>
    </article>
  )
}
