import { sql } from 'drizzle-orm'
import { settings } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { saveSettings } from '../../src/capabilities/settings/manage-settings.ts'
import type { Deps } from '../../src/core/deps.ts'
import { CheapSite } from './cheap-site.ts'
import { FakeProviders, ISSUER } from './identity-provider.ts'
import { CLIENT_ID, CLIENT_SECRET } from './sso-client.ts'

/** A site whose provider is a fake one. */
export class SsoSite extends CheapSite {
  readonly providers: FakeProviders

  constructor(faults: Partial<Deps> = {}, bindings: Partial<Env> = {}) {
    const providers = new FakeProviders(() => Math.floor(this.now / 1000))
    super({ sendOut: providers.fetch, ...faults }, bindings)
    this.providers = providers
  }

  /** Turns single sign-on on. */
  async setUp(values: Record<string, string> = {}): Promise<void> {
    await saveSettings(this.deps, COMMAND_LINE, {
      sso_login_enabled: 'true',
      sso_login_platform: 'OIDC',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      sso_endpoint_name: ISSUER,
      ...values,
    })
  }

  /** The stored settings. */
  async stored(): Promise<Record<string, string>> {
    const rows = await this.db
      .select()
      .from(settings)
      .where(sql`true`)
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  }
}
