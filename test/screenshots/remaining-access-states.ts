import type { Page } from 'playwright-core'
import { phoneCode } from '../support/authenticator.ts'
import { ADMIN_PASSWORD, type Clone } from '../support/clone.ts'
import { press, unfold } from '../support/press.ts'

type Take = (name: string) => Promise<void>

const PROGRAMS = '/account/admin/programs'
const CALLBACK = 'https://files.example.org/callback'
const NEW_PASSWORD = 'another-Passw0rd'
const LONG_NAME = `${'Administratorenarbeitsplatzrechner'.repeat(2)} of the back office`

/**
 * What asks for all that a user has, and what a new password leaves; for an admin with a password,
 * the codes of `secret`, a passkey and a linked account. Elements are found by their forms.
 */
export async function remainingStates(
  page: Page,
  clone: Pick<Clone, 'sql'>,
  secret: string,
  take: Take,
): Promise<void> {
  await signIn(page, clone, secret)
  await confirmStates(page, clone, take)
  clone.sql(
    "insert into users (id, username, username_key, created_at) values (9, 'carol', 'carol', 0)",
  )
  for (const userId of [1, 9]) addWays(clone, userId)
  await page.goto('/account/admin/users/9')
  await page.locator('details:has([action$="/9/password"]) > summary').click()
  await submit(page, '/account/admin/users/9/password')
  await take('remaining-generated')
  await page.goto('/account/security')
  const before = clone.sql('select password_hash, password_changed_at from users where id = 1')[0]
  await unfold(page.locator('#old_password'))
  await page.locator('#old_password').fill(ADMIN_PASSWORD)
  await page.locator('#password').fill(NEW_PASSWORD)
  await page.locator('#repeat').fill(NEW_PASSWORD)
  await submit(page, '/account/security/password')
  await take('remaining')
  clone.sql(
    'update users set password_hash = ?, password_changed_at = ? where id = 1',
    before?.['password_hash'] ?? null,
    before?.['password_changed_at'] ?? null,
  )
  clone.sql('delete from users where id = 9')
}

async function signIn(page: Page, clone: Pick<Clone, 'sql'>, secret: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/account/sign-in')
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(ADMIN_PASSWORD)
  await submit(page, '/account/sign-in')
  clone.sql('update users set totp_step = 0')
  await page.locator('#code').fill(phoneCode(secret, Date.now()))
  await submit(page, '/account/sign-in/code')
}

/** A program that wants the user to prove again who they are. */
async function confirmStates(page: Page, clone: Pick<Clone, 'sql'>, take: Take): Promise<void> {
  await page.goto(`${PROGRAMS}/add?preset=other`)
  await page.locator('[name=name]').fill('files')
  await page.locator('[name=redirect_uris]').fill(CALLBACK)
  await submit(page, `${PROGRAMS}/add`)
  await page.goto(PROGRAMS)
  const parameters = {
    client_id: await page.locator('.rows > li code').first().innerText(),
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    prompt: 'login',
  }
  await page.goto(`/oauth/authorize?${new URLSearchParams(parameters).toString()}`)
  await take('remaining-authorize-confirm')
  await withLinkedAccountOnly(clone, async () => {
    await page.reload()
    await take('remaining-authorize-elsewhere')
  })
  await page.goto(PROGRAMS)
  await unfold(page.locator(`form[action="${PROGRAMS}/delete"]`))
  await submit(page, `${PROGRAMS}/delete`)
}

/** Leaves the admin no way in but the linked account, for a while. */
async function withLinkedAccountOnly(
  clone: Pick<Clone, 'sql'>,
  work: () => Promise<void>,
): Promise<void> {
  const [before] = clone.sql('select password_hash from users where id = 1')
  clone.sql('update users set password_hash = null where id = 1')
  clone.sql('update passkeys set user_id = 2 where user_id = 1')
  await work()
  clone.sql('update passkeys set user_id = 1 where user_id = 2')
  clone.sql('update users set password_hash = ? where id = 1', before?.['password_hash'] ?? null)
}

/** Gives a user several ways in of every kind, with names of every length. */
function addWays(clone: Pick<Clone, 'sql'>, userId: number): void {
  clone.sql(
    `insert into notice_channels (user_id, kind, name, target, config, topics, language, origin,
       since_event_id, created_at)
     values (?, 'ntfy', '', ?, 'x', '', 'en', '', 0, 0)`,
    userId,
    `${'notices-'.repeat(7)}a.example.org`,
  )
  for (const [place, name] of ['laptop', LONG_NAME].entries()) {
    const text = `${userId}-${place}`
    clone.sql(
      `insert into ssh_keys (user_id, title, fingerprint, type, bits, line, added_at, last_used_at)
       values (?, ?, ?, 'ssh-ed25519', 256, 'x', 0, 0)`,
      userId,
      name,
      `SHA256:${text.padEnd(43, 'x')}`,
    )
    clone.sql(
      `insert into app_passwords (user_id, name, token_hash, scopes, created_at)
       values (?, ?, ?, ?, 0)`,
      userId,
      name,
      text,
      place === 0 ? 'files:read' : 'account:read account:write',
    )
    clone.sql(
      `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up,
         transports, aaguid, rp_id, name, created_at)
       values (?, ?, 'x', -7, 0, ?, '', '', 'localhost', ?, 0)`,
      text,
      userId,
      place,
      name,
    )
    clone.sql(
      `insert into identities (issuer, subject, user_id, platform, name, linked_at, linked_by)
       values ('https://idp.example', ?, ?, 'Github', ?, 0, ?)`,
      text,
      userId,
      name,
      place === 0 ? 'user' : 'registration',
    )
  }
}

async function submit(page: Page, action: string): Promise<void> {
  await press(page.locator(`form[action="${action}"] button:not([type])`).first())
}
