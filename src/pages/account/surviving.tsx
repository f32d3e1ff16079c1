import type { Child } from 'hono/jsx'
import type { StoredKey } from '../../ssh-keys/store.ts'
import type { Surviving } from '../../users/surviving.ts'
import { SinglePage } from '../layout.tsx'
import { Time } from '../parts.tsx'
import { signInPath } from '../sign-in/next.ts'
import { IdentityFacts } from '../sso/identity-section.tsx'
import type { View } from '../view.ts'
import { AppPasswordFacts } from './app-passwords.tsx'
import { PasskeyFacts } from './passkey-section.tsx'

interface SurvivingProps {
  view: View
  surviving: Surviving
  /** For an operator: the account is another user's. */
  ofOther?: boolean
}

/**
 * Lists what still gives access after a new password. The change has ended every session, so the
 * user can delete it only after the next sign-in.
 */
export function SurvivingPage({ view, surviving }: SurvivingProps) {
  const t = view.t.surviving
  return (
    <SinglePage view={view} title={t.title}>
      <article>
        <h1>{t.title}</h1>
        <p>{t.lead}</p>
        <SurvivingLists view={view} surviving={surviving} />
        <p>{t.hint}</p>
        <a role="button" href={signInPath(pageFor(surviving))}>
          {t.signIn}
        </a>
      </article>
    </SinglePage>
  )
}

/** Returns the page on which the first kind of them can be deleted. */
function pageFor({ passkeys, identities, keys }: Surviving): string {
  if (passkeys.length + identities.length > 0) return '/account/security'
  return keys.length > 0 ? '/account/keys' : '/account/app-passwords'
}

/** Lists what survives, by kind; leaves empty kinds out. */
export function SurvivingLists({ view, surviving, ofOther = false }: SurvivingProps) {
  const { passkeys, identities, appPasswords, keys } = surviving
  const { t } = view
  const kinds: [title: string, rows: Child[]][] = [
    [
      t.passkeys.title,
      passkeys.map((one) => (
        <Row name={one.name}>
          <PasskeyFacts view={view} passkey={one} />
        </Row>
      )),
    ],
    [
      t.sso.title,
      identities.map((one) => (
        <Row name={one.name || t.sso.unnamed}>
          <IdentityFacts view={view} identity={one} ofOther={ofOther} />
        </Row>
      )),
    ],
    [
      t.appPasswords.title,
      appPasswords.map((one) => (
        <Row name={one.name}>
          <AppPasswordFacts view={view} item={one} />
        </Row>
      )),
    ],
    [
      t.keys.title,
      keys.map((one) => (
        <Row name={one.title}>
          <KeyFacts view={view} sshKey={one} />
        </Row>
      )),
    ],
  ]
  return (
    <>
      {kinds
        .filter(([, rows]) => rows.length > 0)
        .map(([title, rows]) => (
          <>
            <h2>{title}</h2>
            <ul class="rows compact">{rows}</ul>
          </>
        ))}
    </>
  )
}

function Row({ name, children }: { name: string; children?: Child }) {
  return (
    <li>
      <h3>{name}</h3>
      {children}
    </li>
  )
}

function KeyFacts({ view, sshKey }: { view: View; sshKey: StoredKey }) {
  return (
    <>
      <p class="facts">
        <span>
          <Time view={view} at={sshKey.addedAt} phrase={view.t.keys.added} />
        </span>
      </p>
      <code>{sshKey.fingerprint}</code>
    </>
  )
}
