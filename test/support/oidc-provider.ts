import type { Server } from 'node:http'
import type { Page } from 'playwright-core'
import { Provider } from 'oidc-provider'
import { CLIENT_ID, CLIENT_SECRET } from './sso-client.ts'

/** The npm package `oidc-provider` as the identity provider of a site. */
export class OidcProvider {
  readonly issuer: string
  readonly #server: Server

  private constructor(server: Server, issuer: string) {
    this.#server = server
    this.issuer = issuer
  }

  /**
   * @param site The address of the site that signs in with it.
   * @param requiresPkce OpenList sends none.
   */
  static async start(
    port: string,
    site: string,
    { requiresPkce = true } = {},
  ): Promise<OidcProvider> {
    const issuer = `http://127.0.0.1:${port}`
    const callbacks = ['sso_callback?method=sso_get_token', 'sso_callback?method=get_sso_id']
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [...callbacks, 'sso_get_token', 'get_sso_id'].map((path) =>
            String(new URL(`/api/auth/${path}`, site)),
          ),
        },
      ],
      claims: { openid: ['sub'], profile: ['name', 'preferred_username'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['a key of a test'] },
      features: { claimsParameter: { enabled: true } },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, name: `${id} Doe`, preferred_username: id }),
      }),
      pkce: { required: () => requiresPkce },
    })
    const server = await new Promise<Server>((resolve) => {
      const listening: Server = provider.listen(Number(port), '127.0.0.1', () => resolve(listening))
    })
    return new OidcProvider(server, issuer)
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

/** Signs in at the provider in a browser, and gives consent where it asks. */
export async function signInAt(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}
