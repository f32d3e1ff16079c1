/** Matches the private keys of PEM, PGP, SSH 2, SSH 1 and PuTTY, and OpenSSH's without its frame. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY|BEGIN SSH2 ENCRYPTED PRIVATE KEY|SSH PRIVATE KEY FILE FORMAT|PuTTY-User-Key-File-|b3BlbnNzaC1rZXktdjE/

/** Tells whether a text contains a private key. A private key must not be sent, or shown again. */
export function isPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text)
}
