import { type AuthorizationRequest, wholeQuery } from '../authorization-request.ts'
import type { OpenidClient } from '../client-store.ts'
import { Avatar } from '../../../web/kit/avatar.tsx'
import { CONFIRM_FIELDS, ConfirmFields } from '../../../web/kit/confirm.tsx'
import { Alert } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import { Icon } from '../../../web/kit/icons.tsx'
import { SinglePage } from '../../../web/kit/layout.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import type { View } from '../../../web/kit/view.ts'

const SWITCH_PATH = '/oauth/authorize/switch'

interface RequestProps {
  view: View
  client: OpenidClient
  request: AuthorizationRequest
}

/** Asks whether an app may know the user. */
export function ConsentPage({ view, client, request }: RequestProps) {
  const t = view.t.authorize
  return (
    <SinglePage view={view} title={t.consentTitle(client.name)}>
      <article>
        <p class="pair">
          <Avatar name={client.name} isLarge />
          <Icon name="turned" />
          <Avatar name={view.account?.username ?? ''} isLarge />
        </p>
        <Heading
          title={t.consentTitle(client.name)}
          lead={t.consentLead(new URL(request.redirectUri).host)}
        />
        <ul class="may">
          {request.scopes
            .flatMap((scope) => t.scopes[scope] ?? [])
            .map((known) => (
              <li>{known}</li>
            ))}
        </ul>
        <form method="post" action="/oauth/authorize/consent">
          <RequestFields view={view} request={request} />
          <p class="buttons">
            <button name="answer" value="allow">
              {t.allow}
            </button>
            <button class="secondary" name="answer" value="deny">
              {t.deny}
            </button>
          </p>
        </form>
        <NotYou view={view} request={request} />
      </article>
    </SinglePage>
  )
}

/** Asks the user to prove again who they are; one who can't here, to sign in at the provider. */
export function ConfirmPage({
  view,
  client,
  request,
  canConfirm,
  problem,
}: RequestProps & { canConfirm: boolean; problem?: Problem | undefined }) {
  const t = view.t.authorize
  return (
    <CardPage
      view={view}
      icon="security"
      tone="amber"
      title={t.confirmTitle}
      lead={t.confirmLead(client.name)}
    >
      {canConfirm ? (
        <form method="post" action="/oauth/authorize/confirm">
          <Alert problem={problem} fields={CONFIRM_FIELDS} />
          <RequestFields view={view} request={request} />
          <ConfirmFields view={view} form="confirm" problem={problem} needsAll>
            <button>{t.confirmSubmit}</button>
          </ConfirmFields>
        </form>
      ) : (
        <>
          <p>{t.cannotConfirm(view.account?.username ?? '')}</p>
          <form method="post" action={SWITCH_PATH}>
            <RequestFields view={view} request={request} />
            <button>{t.signInAgain}</button>
          </form>
          <p class="hint">
            {t.cannotConfirmHint} <a href="/account/security">{view.t.nav.security}</a>
          </p>
        </>
      )}
      {canConfirm && <NotYou view={view} request={request} />}
    </CardPage>
  )
}

/** The request, and the user who saw it: another user must not answer it. */
function RequestFields({ view, request }: Omit<RequestProps, 'client'>) {
  return (
    <>
      <input type="hidden" name="request" value={wholeQuery(request)} />
      <input type="hidden" name="user" value={String(view.account?.id)} />
    </>
  )
}

function NotYou({ view, request }: Omit<RequestProps, 'client'>) {
  const t = view.t.authorize
  return (
    <form class="aside" method="post" action={SWITCH_PATH}>
      <p class="person">
        <Avatar name={view.account?.username ?? ''} />
        <span>{t.signedInAs(view.account?.username ?? '')}</span>
      </p>
      <RequestFields view={view} request={request} />
      <button class="quiet">{t.notYou}</button>
    </form>
  )
}

/** Says that a request can't be answered. Nothing leads to the address in it. */
export function UntrustedPage({ view }: { view: View }) {
  const t = view.t.authorize
  return (
    <CardPage
      view={view}
      icon="unprotected"
      tone="red"
      title={t.untrustedTitle}
      lead={t.untrusted}
    />
  )
}

/** Asks whether to sign out, when the request does not prove that it comes from a program. */
export function EndPage({ view, fields }: { view: View; fields: [string, string][] }) {
  const t = view.t.authorize
  return (
    <CardPage view={view} icon="sign-out" title={t.endTitle} lead={t.endLead}>
      <form method="post" action="/oauth/end_session/confirm">
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <p class="buttons">
          <button>{t.endSubmit}</button>
          <a role="button" class="secondary" href="/account">
            {t.endStay}
          </a>
        </p>
      </form>
    </CardPage>
  )
}

export function EndedPage({ view }: { view: View }) {
  const t = view.t.authorize
  return (
    <CardPage view={view} icon="done" tone="green" title={t.endedTitle} lead={t.endedLead}>
      <p class="aside">
        <a href="/account/sign-in">{t.signInAgain}</a>
      </p>
    </CardPage>
  )
}
