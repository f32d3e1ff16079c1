import { describe, expect, test } from 'vitest'
import { sftpCommand } from '../../src/capabilities/ssh-keys/sftp-command.ts'

const HOME = { host: 'files.example.org', port: 22 }

describe('the command for a user', () => {
  test.each([
    ['alice', HOME, 'sftp alice@files.example.org'],
    ['alice', { ...HOME, port: 2022 }, 'sftp -P 2022 alice@files.example.org'],
    ['alice', { host: '[2001:db8::1]', port: 22 }, "sftp 'alice@[2001:db8::1]'"],
    ['a b', HOME, "sftp 'a b@files.example.org'"],
    ["o'hara", HOME, String.raw`sftp 'o'\''hara@files.example.org'`],
    ['$(id)', HOME, "sftp '$(id)@files.example.org'"],
    ['müller', HOME, "sftp 'müller@files.example.org'"],
    ['-oProxyCommand=x', HOME, 'sftp -- -oProxyCommand=x@files.example.org'],
  ])('%j runs nothing else', (username, address, command) => {
    expect(sftpCommand(username, address)).toBe(command)
  })
})
