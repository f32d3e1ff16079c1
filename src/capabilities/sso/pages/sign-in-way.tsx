import { Icon } from '../../../web/kit/icons.tsx'
import type { View } from '../../../web/kit/view.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { providerIcon, siteProviderName } from '../../../web/kit/provider-names.ts'

/** Leads to the identity provider. A form could not: `form-action` forbids it to leave the site. */
export function SsoButton({ view, next }: { view: View; next: string }) {
  if (view.platform === undefined) return <></>
  return (
    <a role="button" class="secondary sso" href={signInPath(next, '/sso')}>
      <Icon name={providerIcon(view.platform)} />
      {view.t.sso.submit(siteProviderName(view, view.platform))}
    </a>
  )
}
