import { SFTP_PORT, type SftpAddress } from '../settings/sftp-address.ts'

/** Names that a shell takes as they are, and that `sftp` does not take for an option. */
const PLAIN_NAME = /^[\w][\w.@+-]*$/

/** Returns the command that signs a user in, for a POSIX shell. */
export function sftpCommand(username: string, { host, port }: SftpAddress): string {
  const target = `${username}@${host}`
  const quoted = PLAIN_NAME.test(username)
    ? target
    : `'${target.replaceAll("'", String.raw`'\''`)}'`
  const words = ['sftp', ...(port === SFTP_PORT ? [] : ['-P', String(port)])]
  // Without `--`, a name such as `-oProxyCommand=…` would be an option that runs a program.
  return [...words, ...(username.startsWith('-') ? ['--'] : []), quoted].join(' ')
}
