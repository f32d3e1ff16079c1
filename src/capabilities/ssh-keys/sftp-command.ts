import { SFTP_PORT, type SftpAddress } from '../settings/sftp-address.ts'
import { shellWord } from '../../core/base/shell-word.ts'

/** Returns the command that signs a user in, for a POSIX shell. */
export function sftpCommand(username: string, { host, port }: SftpAddress): string {
  const target = shellWord(`${username}@${host}`)
  const words = ['sftp', ...(port === SFTP_PORT ? [] : ['-P', String(port)])]
  // Without `--`, a name such as `-oProxyCommand=…` would be an option that runs a program.
  return [...words, ...(username.startsWith('-') ? ['--'] : []), target].join(' ')
}
