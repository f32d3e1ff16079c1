/** Where users reach their files over SFTP. */
export interface SftpAddress {
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  host: string
  port: number
}

export const SFTP_PORT = 22
const MAX_PORT = 65_535

/** Labels of letters, digits and inner hyphens. @see RFC 1123 section 2.1 */
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/**
 * Reads the setting `sftp_address`: `files.example.org`, `files.example.org:2022`, `[2001:db8::1]`.
 *
 * @returns `undefined` for any other text. Users paste the address into a shell, so nothing else
 *   may stand in it.
 */
export function parseSftpAddress(text: string): SftpAddress | undefined {
  const [, host = '', digits] = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const port = digits === undefined ? SFTP_PORT : Number(digits)
  const isHost = host.startsWith('[') ? URL.canParse(`http://${host}`) : HOST_NAME.test(host)
  return isHost && port > 0 && port <= MAX_PORT ? { host, port } : undefined
}
