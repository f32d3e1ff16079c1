import type { Child } from 'hono/jsx'
import type { StoredKey } from '../../ssh-keys/store.ts'
import type { RemainingAccess } from '../remaining-access.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import { EMAIL_PATH } from '../../joining/pages/own-email.tsx'
import { signInPath } from '../../sign-in/pages/next.ts'
import { IdentityFacts } from '../../sso/pages/identity-section.tsx'
import { TimeFact } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'
import { AppPasswordFacts } from '../../app-passwords/pages/app-passwords.tsx'
import { OWN_NOTICES_PATH } from '../../notices/pages/notices.tsx'
import { PasskeyFacts } from '../../passkeys/pages/passkey-section.tsx'

interface RemainingAccessProps {
  view: View
  remaining: RemainingAccess
  /** For an operator: the account is another user's. */
  ofOther?: boolean
}

/**
 * Lists what still gives access after a new password. The change has ended every session, so the
 * user can delete it only after the next sign-in.
 */
export function RemainingAccessPage({ view, remaining }: RemainingAccessProps) {
  const t = view.t.remaining
  return (
    <CardPage view={view} icon="done" tone="green" title={t.title} lead={t.lead}>
      <RemainingAccessLists view={view} remaining={remaining} />
      <p>{t.hint}</p>
      <a role="button" href={signInPath(pageFor(remaining))}>
        {view.t.signIn.submit}
      </a>
    </CardPage>
  )
}

/** Returns the page on which the first kind of them can be deleted. */
function pageFor(remaining: RemainingAccess): string {
  const { passkeys, identities, keys, appPasswords, channels } = remaining
  if (passkeys.length + identities.length > 0) return '/account/security'
  if (keys.length > 0) return '/account/keys'
  if (appPasswords.length > 0) return '/account/app-passwords'
  return channels.length > 0 ? OWN_NOTICES_PATH : EMAIL_PATH
}

/** Lists what remains, by kind; leaves empty kinds out. */
export function RemainingAccessLists({ view, remaining, ofOther = false }: RemainingAccessProps) {
  const { passkeys, identities, appPasswords, keys, channels, addresses } = remaining
  const { t } = view
  const kinds: [title: string, rows: [name: string, facts: Child][]][] = [
    [
      t.passkeys.title,
      passkeys.map((passkey) => [passkey.name, <PasskeyFacts view={view} passkey={passkey} />]),
    ],
    [
      t.sso.title,
      identities.map((identity) => [
        identity.name || t.sso.unnamed,
        <IdentityFacts view={view} identity={identity} ofOther={ofOther} />,
      ]),
    ],
    [
      t.appPasswords.title,
      appPasswords.map((appPassword) => [
        appPassword.name,
        <AppPasswordFacts view={view} item={appPassword} />,
      ]),
    ],
    [t.keys.title, keys.map((key) => [key.title, <KeyFacts view={view} sshKey={key} />])],
    [
      t.channels.title,
      channels.map((channel) => [
        `${t.channels.kinds[channel.kind]} · ${channel.target}`,
        <p class="facts">
          <TimeFact view={view} at={channel.createdAt} phrase={t.keys.added} />
          {ofOther ? (
            <span>{t.remaining.channelOfOther}</span>
          ) : (
            <a href={signInPath(OWN_NOTICES_PATH)}>{t.channels.deleteSubmit}</a>
          )}
        </p>,
      ]),
    ],
    [
      t.joining.ownTitle,
      addresses.map(({ email }) => [
        email,
        <p class="facts">
          <span>{t.remaining.address}</span>
          {!ofOther && <a href={signInPath(EMAIL_PATH)}>{t.joining.manage}</a>}
        </p>,
      ]),
    ],
  ]
  return (
    <>
      {kinds
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => (
          <>
            <h2>{title}</h2>
            <ul class="rows compact">
              {rows.map(([name, facts]) => (
                <li>
                  <h3>{name}</h3>
                  {facts}
                </li>
              ))}
            </ul>
          </>
        ))}
    </>
  )
}

function KeyFacts({ view, sshKey }: { view: View; sshKey: StoredKey }) {
  return (
    <>
      <p class="facts">
        <TimeFact view={view} at={sshKey.addedAt} phrase={view.t.keys.added} />
      </p>
      <code>{sshKey.fingerprint}</code>
    </>
  )
}
