/** Names, key types, programs and abbreviations that stay Latin in a Chinese text. */
const LATIN = new Set(
  [
    'ASCII bin com ctrl CSV curl DER DSA ECDSA Ed25519 FTP home homes html http https ID id_ed25519',
    'JSON KiB Latchkey Logo mailto Markdown NUL OpenSSH PEM pub ROCA RSA SFTP sftp SSH ssh SSH2 tel UTF',
    'PowerShell Aegis FAS Authenticator ntfy',
    'PIN UTC Ctrl Bearer Authorization AList OpenList WebDAV webdav APP_PASSWORD token D',
    'bash zsh Chrome Edge Firefox Linux Safari SFTPGo rclone Windows macOS iPhone Android',
    'DingTalk GitHub Google Microsoft Casdoor OpenID OIDC Connect scope claim issuer Client Secret preferred_username openid profile',
    'code state error error_description iss',
    'ssh-keygen ssh-ed25519 ssh-rsa ed25519 nistp256 base64 English',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Finds the words in Latin letters that a Chinese text should not have.
 *
 * @param known Texts that users and operators wrote, such as names and titles.
 */
export function foreignWords(text: string, known: readonly string[] = []): string[] {
  const rest = known
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, one) => left.replaceAll(one, ' '), text)
    // Addresses, paths, colours, fingerprints, options of commands, e-mail addresses, flaws.
    .replaceAll(
      /\b(?:https?|mailto|otpauth):\S+|(?<![\w/])[~.]?\/[\w./\\$-]*|#[\da-f]{6}|SHA256:\S+|(?<=\s)-\w+|\S+@\S+|CVE-[\d-]+/g,
      ' ',
    )
  const words = rest.match(/[A-Za-z][\w-]*/g) ?? []
  return words.filter((word) => !LATIN.has(word))
}
