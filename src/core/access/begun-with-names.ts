/** Names the credential with which a session begins, for the ending of what began with it. */
export const BEGUN_WITH_PASSWORD = 'password'

/** @param credentialId As the table has it. */
export function begunWithPasskey(credentialId: string): string {
  return `passkey ${credentialId}`
}

export function begunWithIdentity({ issuer, subject }: { issuer: string; subject: string }) {
  return `identity ${issuer} ${subject}`
}
