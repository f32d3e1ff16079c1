import type { OpenidClient } from '../../openid/client-store.ts'
import { type AuthorizationRequest, wholeQuery } from '../../openid/authorization-request.ts'
import { Avatar } from '../avatar.tsx'
import { CONFIRM_FIELDS, ConfirmFields } from '../confirm.tsx'
import type { Problem } from '../form.ts'
import { SinglePage } from '../layout.tsx'
import { Alert } from '../parts.tsx'
import type { View } from '../view.ts'

const SWITCH_PATH = '/oauth/authorize/switch'

interface RequestProps {
  view: View
  client: OpenidClient
  request: AuthorizationRequest
}

/** Asks whether a program may know the user. */
export function ConsentPage({ view, client, request }: RequestProps) {
  const t = view.t.authorize
  return (
    <SinglePage view={view} title={t.consentTitle(client.name)}>
      <article>
        <h1>{t.consentTitle(client.name)}</h1>
        <p>{t.consentLead(new URL(request.redirectUri).host)}</p>
        <ul>
          {request.scopes
            .flatMap((scope) => t.scopes[scope] ?? [])
            .map((known) => (
              <li>{known}</li>
            ))}
        </ul>
        {request.scopes.includes('offline_access') && <p>{t.consentOffline}</p>}
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
    <SinglePage view={view} title={t.confirmTitle}>
      <article>
        <h1>{t.confirmTitle}</h1>
        <p>{t.confirmLead(client.name)}</p>
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
      </article>
    </SinglePage>
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
    <SinglePage view={view} title={t.untrustedTitle}>
      <article>
        <h1>{t.untrustedTitle}</h1>
        <p>{t.untrusted}</p>
      </article>
    </SinglePage>
  )
}

/** Asks whether to sign out, when the request does not prove that it comes from a program. */
export function EndPage({ view, fields }: { view: View; fields: [string, string][] }) {
  const t = view.t.authorize
  return (
    <SinglePage view={view} title={t.endTitle}>
      <article>
        <h1>{t.endTitle}</h1>
        <p>{t.endLead}</p>
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
      </article>
    </SinglePage>
  )
}

export function EndedPage({ view }: { view: View }) {
  const t = view.t.authorize
  return (
    <SinglePage view={view} title={t.endedTitle}>
      <article>
        <h1>{t.endedTitle}</h1>
        <p>{t.endedLead}</p>
      </article>
    </SinglePage>
  )
}
