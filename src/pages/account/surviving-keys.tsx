import type { listKeys } from '../../ssh-keys/keys.ts'
import type { StoredPasskey } from '../../passkeys/store.ts'
import { SinglePage } from '../layout.tsx'
import { Time } from '../parts.tsx'
import { signInPath } from '../sign-in/next.ts'
import type { View } from '../view.ts'
import { PasskeyFacts } from './passkey-section.tsx'

interface SurvivingKeysProps {
  view: View
  keys: Awaited<ReturnType<typeof listKeys>>['keys']
}

interface Passkeys {
  passkeys: StoredPasskey[]
}

/**
 * Lists the SSH keys and passkeys after a new password. The change has ended every session, so the
 * user can delete them only after the next sign-in.
 */
export function SurvivingKeysPage({ view, keys, passkeys }: SurvivingKeysProps & Passkeys) {
  const t = view.t.survivingKeys
  return (
    <SinglePage view={view} title={t.title}>
      <article>
        <h1>{t.title}</h1>
        {passkeys.length > 0 && (
          <>
            <p>{t.passkeysLead}</p>
            <SurvivingPasskeys view={view} passkeys={passkeys} />
          </>
        )}
        {keys.length > 0 && (
          <>
            <p>{t.lead}</p>
            <SurvivingKeys view={view} keys={keys} />
          </>
        )}
        <p>{t.hint}</p>
        <a role="button" href={signInPath(keys.length > 0 ? '/account/keys' : '/account/security')}>
          {keys.length > 0 ? t.signIn : t.signInForPasskeys}
        </a>
      </article>
    </SinglePage>
  )
}

/** The passkeys that still work after a new password. */
export function SurvivingPasskeys({ view, passkeys }: Passkeys & { view: View }) {
  return (
    <ul class="rows compact">
      {passkeys.map((passkey) => (
        <li>
          <h2>{passkey.name}</h2>
          <PasskeyFacts view={view} passkey={passkey} />
        </li>
      ))}
    </ul>
  )
}

/** The SSH keys that still work after a new password. */
export function SurvivingKeys({ view, keys }: SurvivingKeysProps) {
  return (
    <ul class="rows compact">
      {keys.map((key) => (
        <li>
          <h2>{key.title}</h2>
          <p class="facts">
            <span>
              <Time view={view} at={key.addedAt} phrase={view.t.keys.added} />
            </span>
          </p>
          <code>{key.fingerprint}</code>
        </li>
      ))}
    </ul>
  )
}
