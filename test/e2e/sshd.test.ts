import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { type Database, randomBytes } from '../../src/deps.ts'
import { hashPassword, staticDigest } from '../../src/login/passwords.ts'
import { deriveScrypt } from '../../src/login/scrypt.ts'
import { addServiceToken } from '../../src/tokens/service-tokens.ts'
import { freePort } from '../support/free-port.ts'
import { ServedWorker } from '../support/served-worker.ts'
import { makeKey, reasonAgainstSshd, SftpMachine } from '../support/sftp-machine.ts'

const PASSWORD = 'alice-Passw0rd'
const READ = 1 << 10
const READ_AND_WRITE = READ | (1 << 11)

const reason = reasonAgainstSshd()
if (reason !== undefined) console.warn(`The tests with a real sshd are skipped: ${reason}.`)

describe.skipIf(reason !== undefined)('an SFTP server set up by the installer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-sftp-test-'))
  const alice = makeKey(folder, 'alice')
  const bob = makeKey(folder, 'bob', '-t', 'ecdsa', '-b', '384')
  const upload = join(folder, 'upload.txt')
  let worker: ServedWorker
  let machine: SftpMachine
  let db: Database

  beforeAll(async () => {
    writeFileSync(upload, 'from alice\n')
    worker = await ServedWorker.start(inject('workerFolder'))
    await worker.setUp('admin-Passw0rd')
    db = drizzle(await worker.database())
    const deps = { db, now: Date.now, randomBytes, hashPassword: deriveScrypt }
    const passwordHash = await hashPassword(deps, await staticDigest(PASSWORD))
    for (const username of ['alice', 'bob']) {
      await db
        .insert(users)
        .values({ username, usernameKey: username, passwordHash, createdAt: Date.now() })
    }
    const serviceToken = (await addServiceToken(deps, 'files', 'sftp')) ?? ''
    machine = await SftpMachine.start(worker.url.origin, serviceToken, ['alice', 'bob'])
    for (const [username, key] of [
      ['alice', alice],
      ['bob', bob],
    ] as const) {
      const body = { username, password: PASSWORD }
      const { token } = (await worker.call('POST', '/api/auth/login', { body })).data
      await worker.call('POST', '/api/me/sshkey/add', {
        token,
        body: { title: username, key: key.publicKey },
      })
    }
  })

  beforeEach(async () => {
    await machine.setUrl(worker.url.origin)
    await setUser('alice', { permission: READ_AND_WRITE, disabled: false })
    await setUser('bob', { permission: READ_AND_WRITE, disabled: false })
  })

  afterAll(async () => {
    await machine.stop()
    await worker.stop()
    rmSync(folder, { recursive: true })
  })

  async function setUser(username: string, columns: Partial<typeof users.$inferInsert>) {
    await db.update(users).set(columns).where(eq(users.username, username))
  }

  async function signIn(username: string): Promise<string> {
    const body = { username, password: PASSWORD }
    return (await worker.call('POST', '/api/auth/login', { body })).data.token
  }

  async function lastUse(username: string): Promise<{ added: string; used: string }> {
    const session = await signIn(username)
    const { data } = await worker.call('GET', '/api/me/sshkey/list', { token: session })
    const [key] = data.content
    return { added: key.added_time, used: key.last_used_time }
  }

  test('finds nothing wrong with itself', async () => {
    const { status, printed } = await machine.check()
    expect(printed.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))).toEqual([])
    expect(status).toBe(0)
  })

  test('does not take a mere offer for a use', async () => {
    const offered = join(folder, 'offered')
    writeFileSync(`${offered}.pub`, alice.publicKey)
    writeFileSync(offered, alice.publicKey)
    const { status } = await machine.ssh('alice', offered)
    expect(status).toBe(255)
    expect(machine.log).toContain('Accepted key ED25519')
    const { added, used } = await lastUse('alice')
    expect(used).toBe(added)
  })

  test('signs a user in with a key added over the API, and notes the use', async () => {
    const downloaded = join(folder, 'downloaded.txt')
    const { status, printed } = await machine.sftp(
      'alice',
      alice.file,
      `put ${upload} files/upload.txt`,
      `get files/upload.txt ${downloaded}`,
      'mkdir files/folder',
      'rmdir files/folder',
    )
    expect(status, printed + machine.log).toBe(0)
    expect(readFileSync(downloaded, 'utf8')).toBe('from alice\n')
    const { added, used } = await lastUse('alice')
    expect(used > added).toBe(true)
  })

  test('lets a user without the right to write only read', async () => {
    await setUser('alice', { permission: READ })
    const put = await machine.sftp('alice', alice.file, `put ${upload} files/second.txt`)
    expect(put.status).toBe(1)
    expect(put.printed).toContain('Permission denied')
    const list = await machine.sftp('alice', alice.file, 'ls files')
    expect(list.status).toBe(0)
    expect(list.printed).not.toContain('second.txt')
  })

  test('keeps out who is disabled, has lost the right, or has another name', async () => {
    await setUser('alice', { disabled: true })
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
    await setUser('alice', { disabled: false, permission: 0 })
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
    expect((await machine.sftp('bob', alice.file, 'ls')).status).toBe(255)
    expect((await machine.sftp('bob', bob.file, 'ls')).status).toBe(0)
  })

  test('keeps a user from the token, the files of others and the machine', async () => {
    for (const path of [
      '/etc/latchkey/sftp.conf',
      '/srv/sftp/bob/files',
      '/etc/passwd',
      '../../bob',
    ]) {
      const { status, printed } = await machine.sftp('alice', alice.file, `ls ${path}`)
      expect(status, path).toBe(1)
      expect(printed).toMatch(/not found/)
    }
    expect(
      await machine.run('runuser', '-u', 'alice', '--', 'cat', '/etc/latchkey/sftp.conf'),
    ).toMatchObject({
      status: 1,
      printed: expect.stringContaining('Permission denied'),
    })
    const others = await machine.run('runuser', '-u', 'alice', '--', 'ls', '/srv/sftp/bob/files')
    expect(others.status).toBe(2)
  })

  test('gives nobody a shell or a tunnel', async () => {
    const command = await machine.ssh('alice', alice.file, 'id')
    expect(command.printed).not.toContain('uid=')
    const shell = await machine.ssh('alice', alice.file)
    expect(shell.printed).toContain('This service allows sftp connections only.')
    const tunnel = await machine.ssh('alice', alice.file, '-W', '127.0.0.1:1')
    expect(tunnel.status).not.toBe(0)
  })

  test('refuses everybody, and soon, while the service is stopped or hangs', async () => {
    await machine.setUrl(`http://127.0.0.1:${await freePort()}`)
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
    expect(machine.log).toMatch(/AuthorizedKeysCommand .* failed, status 7/)

    const silent = createServer((socket) => socket.resume())
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve)
    })
    const address = silent.address()
    await machine.setUrl(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
    expect(machine.log).toMatch(/AuthorizedKeysCommand .* failed, status 28/)
    await new Promise((resolve) => {
      silent.close(resolve)
    })
  })

  test('refuses nobody because a use could not be reported', async () => {
    const keysOnly = createHttpServer(({ url = '', method, headers }, response) => {
      if (method !== 'GET') return
      const authorization = headers.authorization ?? ''
      void fetch(new URL(url, worker.url), { headers: { authorization } })
        .then((answer) => answer.text())
        .then((text) => response.end(text))
    })
    await new Promise<void>((resolve) => {
      keysOnly.listen(0, '127.0.0.1', resolve)
    })
    const address = keysOnly.address()
    await machine.setUrl(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(0)
    keysOnly.closeAllConnections()
    await new Promise((resolve) => {
      keysOnly.close(resolve)
    })
  })

  test('says what is wrong after somebody loosened something', async () => {
    await machine.run('chmod', '0644', '/etc/latchkey/sftp.conf')
    await machine.run('chmod', '0777', '/srv/sftp/bob')
    await machine.run('usermod', '-s', '/bin/bash', 'bob')
    const { status, printed } = await machine.check()
    expect(status).toBe(1)
    expect(printed).toMatch(/WRONG \/etc\/latchkey\/sftp.conf: it is "root:latchkey-keys 644"/)
    expect(printed).toMatch(/WRONG \/srv\/sftp\/bob/)
    expect(printed).toMatch(/WRONG bob has a shell that reads files the user may write/)
    await machine.run('usermod', '-s', '/bin/sh', 'bob')
    await machine.run('chmod', '0755', '/srv/sftp/bob')
    await machine.run('chmod', '0640', '/etc/latchkey/sftp.conf')
    expect((await machine.check()).status).toBe(0)
  })

  test('refuses a key that was deleted', async () => {
    const session = await signIn('bob')
    const { data } = await worker.call('GET', '/api/me/sshkey/list', { token: session })
    await worker.call('POST', `/api/me/sshkey/delete?id=${data.content[0].id}`, { token: session })
    expect((await machine.sftp('bob', bob.file, 'ls')).status).toBe(255)
  })

  test('keeps the token out of every log and every list of processes', async () => {
    const { printed: conf } = await machine.run('cat', '/etc/latchkey/sftp.conf')
    const [, secret = 'none'] = /LATCHKEY_TOKEN=(\S+)/.exec(conf) ?? []
    expect(machine.log).not.toContain(secret)
    expect(worker.log.join()).not.toContain(secret)
    expect(readFileSync('src/ssh-keys/sshd/authorized-keys', 'utf8')).not.toMatch(
      /curl[^|]*LATCHKEY_TOKEN/,
    )
  })
})
