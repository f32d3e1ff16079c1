import type { CDPSession, Page } from 'playwright-core'

/** An authenticator of Chromium's own, which answers without a person. */
export class VirtualAuthenticator {
  readonly #session: CDPSession
  readonly #id: string

  private constructor(session: CDPSession, id: string) {
    this.#session = session
    this.#id = id
  }

  /** @see https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/ */
  static async addTo(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page)
    await session.send('WebAuthn.enable')
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return new VirtualAuthenticator(session, authenticatorId)
  }

  /** While absent, nobody touches it: a sign-in by the name field waits. */
  async setPresent(enabled: boolean): Promise<void> {
    const authenticatorId = this.#id
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', {
      authenticatorId,
      enabled,
    })
  }

  /** The user is not recognised, which browsers report as a cancelled request. */
  async setVerified(isUserVerified: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setUserVerified', {
      authenticatorId: this.#id,
      isUserVerified,
    })
  }

  async count(): Promise<number> {
    return (await this.credentials()).length
  }

  /** Breaks its answers from now on: as named here, and in no other way. */
  async breakAnswers(
    how: { isBogusSignature?: boolean; isBadUV?: boolean; isBadUP?: boolean } = {},
  ): Promise<void> {
    await this.#session.send('WebAuthn.setResponseOverrideBits', {
      authenticatorId: this.#id,
      isBogusSignature: false,
      isBadUV: false,
      isBadUP: false,
      ...how,
    })
  }

  /** Sets the counters of its credentials, as in an authenticator that was copied earlier. */
  async setCounters(signCount: number): Promise<void> {
    const authenticatorId = this.#id
    for (const credential of await this.credentials()) {
      const { credentialId } = credential
      await this.#session.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
      await this.#session.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { ...credential, signCount },
      })
    }
  }

  /** Takes a passkey of another page's authenticator over, as a device has it in every window. */
  async add(
    credential: Awaited<ReturnType<VirtualAuthenticator['credentials']>>[number],
  ): Promise<void> {
    await this.#session.send('WebAuthn.addCredential', { authenticatorId: this.#id, credential })
  }

  /** Its passkeys, with their private keys. */
  async credentials() {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', {
      authenticatorId: this.#id,
    })
    return credentials
  }
}
