import type { listKeys } from '../../ssh-keys/keys.ts'
import { SinglePage } from '../layout.tsx'
import { Time } from '../parts.tsx'
import type { View } from '../view.ts'

interface SurvivingKeysProps {
  view: View
  keys: Awaited<ReturnType<typeof listKeys>>['keys']
}

/**
 * Lists the SSH keys after a new password. The change has ended every session, so the user can
 * delete keys only after the next sign-in.
 */
export function SurvivingKeysPage({ view, keys }: SurvivingKeysProps) {
  const t = view.t.survivingKeys
  return (
    <SinglePage view={view} title={t.title}>
      <article>
        <hgroup>
          <h1>{t.title}</h1>
          <p>{t.lead}</p>
        </hgroup>
        <SurvivingKeys view={view} keys={keys} />
        <p>{t.hint}</p>
        <a role="button" href="/account/sign-in?next=keys">
          {t.signIn}
        </a>
      </article>
    </SinglePage>
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
              {view.t.keys.added} <Time view={view} at={key.addedAt} />
            </span>
          </p>
          <code>{key.fingerprint}</code>
        </li>
      ))}
    </ul>
  )
}
