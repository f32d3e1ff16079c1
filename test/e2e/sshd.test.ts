import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inArray } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { cheapPasswordHash } from '../support/cheap-hash.ts'
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
  let alice: ReturnType<typeof makeKey>
  let bob: ReturnType<typeof makeKey>
  const upload = join(folder, 'upload.txt')
  let worker: ServedWorker
  let machine: SftpMachine
  let db: DrizzleD1Database

  beforeAll(async () => {
    alice = makeKey(folder, 'alice')
    bob = makeKey(folder, 'bob', '-t', 'ecdsa', '-b', '384')
    writeFileSync(upload, 'from alice\n')
    worker = await ServedWorker.start(inject('workerFolder'))
    await worker.setUp('admin-Passw0rd')
    const d1 = await worker.database()
    db = drizzle(d1)
    const deps = { db: openDatabase(d1, createMeter()), now: Date.now, randomBytes }
    const passwordHash = await cheapPasswordHash(PASSWORD)
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
    await setUsers(['alice', 'bob'], { permission: READ_AND_WRITE, disabled: false })
  })

  afterAll(async () => {
    await machine.stop()
    await worker.stop()
    rmSync(folder, { recursive: true })
  })

  async function setUsers(names: string[], columns: Partial<typeof users.$inferInsert>) {
    await db.update(users).set(columns).where(inArray(users.username, names))
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
    await setUsers(['alice'], { permission: READ })
    const put = await machine.sftp('alice', alice.file, `put ${upload} files/second.txt`)
    expect(put.status).toBe(1)
    expect(put.printed).toContain('Permission denied')
    const list = await machine.sftp('alice', alice.file, 'ls files')
    expect(list.status).toBe(0)
    expect(list.printed).not.toContain('second.txt')
  })

  test('keeps out who is disabled, has lost the right, or has another name', async () => {
    await setUsers(['alice'], { disabled: true })
    expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
    await setUsers(['alice'], { disabled: false, permission: 0 })
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

  test.each([
    ['PATH', 'PATH DEFAULT=/srv/path/bin:/usr/bin:/bin\n'],
    [
      'LD_PRELOAD',
      // Of glibc itself: it writes a file as soon as a program loads it.
      'LD_PRELOAD DEFAULT=libpcprofile.so\nPCPROFILE_OUTPUT DEFAULT=/srv/ld_preload/ran\n',
    ],
    ['LD_DEBUG', 'LD_DEBUG DEFAULT=files\nLD_DEBUG_OUTPUT DEFAULT=/srv/ld_debug/ran\n'],
    ['BASH_ENV', 'BASH_ENV DEFAULT=/srv/bash_env/startup\n'],
    ['ENV', 'ENV DEFAULT=/srv/env/startup\n'],
  ])('runs nothing as root that an ordinary user names in %s', async (variable, lines) => {
    const name = variable.toLowerCase()
    const key = makeKey(folder, name)
    const home = await machine.addShellUser(name, key.publicKey, lines)
    const { printed } = await machine.ssh(name, key.file, `/usr/bin/env`)
    expect(printed).toMatch(new RegExp(`^${variable}=`, 'm'))
    const { printed: ofRoot } = await machine.run('find', home, '-uid', '0')
    expect(ofRoot).toBe('')
    const { printed: ran } = await machine.run('grep', '-sh', 'as 0', `${home}/ran`)
    expect(ran).toBe('')
  })

  const PAM = '/etc/pam.d/sshd'
  const OLD_PAM_LINE =
    'session optional pam_exec.so type=open_session seteuid quiet /usr/local/lib/latchkey/used'

  /** Runs a line of shell on the machine, as root. */
  const shell = (line: string, ...args: string[]) => machine.run('sh', '-c', line, 'sh', ...args)

  test('reports sign-ins before any line of PAM that reads what users write', async () => {
    const { printed } = await shell(`grep -v '^#' ${PAM} | grep . | head -n 2`)
    expect(printed).toBe(
      `session [success=1 default=ignore] pam_succeed_if.so quiet user notingroup sftp-users\n${OLD_PAM_LINE}\n`,
    )
  })

  test('runs nothing as root that a member names in a home of their own', async () => {
    await shell(`
      mkdir /srv/of-bob && usermod -d /srv/of-bob bob
      echo 'LD_DEBUG_OUTPUT DEFAULT=/srv/of-bob/ran' >/srv/of-bob/.pam_environment
      echo 'LD_DEBUG DEFAULT=files' >>/srv/of-bob/.pam_environment
      chown -R bob: /srv/of-bob`)
    expect((await machine.sftp('bob', bob.file, 'ls')).status).toBe(0)
    const { printed } = await machine.run('find', '/srv/of-bob', '-uid', '0')
    await shell('usermod -d / bob')
    expect(printed).toBe('')
  })

  test('loses the line of an older installation when it is installed again', async () => {
    await shell(`
      grep -v -e latchkey -e sftp-users ${PAM} >/srv/pam && cat /srv/pam >${PAM}
      echo '${OLD_PAM_LINE}' >>${PAM}`)
    const before = await machine.check()
    expect(before.status).toBe(1)
    expect(before.printed).toMatch(
      /WRONG \/etc\/pam.d\/sshd runs .*used, but not in its first two lines.*root; .*--upgrade/,
    )
    expect((await machine.install('--upgrade')).status).toBe(0)
    expect((await machine.check()).status).toBe(0)
    const again = await shell(`cat ${PAM}`)
    expect((await machine.install('--upgrade')).status).toBe(0)
    expect(await shell(`cat ${PAM}`)).toEqual(again)
    expect(again.printed.split('\n').filter((line) => line.includes('latchkey'))).toEqual([
      OLD_PAM_LINE,
    ])
  })

  const CONF = '/etc/latchkey/sftp.conf'

  test.each([
    // The first installer took any address that began with https://.
    ['an address that is not allowed any more', `sed -i 's|^LATCHKEY_URL=.*|&/~x?a=1|' ${CONF}`],
    ['no configuration', `rm ${CONF}`],
    ['a broken configuration', `sed -i '/^LATCHKEY_TOKEN=/d' ${CONF}`],
  ])('loses the line of an older installation with %s', async (_, spoil) => {
    await shell(`
      cp -p ${CONF} /srv/conf; cp -p ${PAM} /srv/pam.good
      grep -v -e latchkey -e sftp-users ${PAM} >/srv/pam && cat /srv/pam >${PAM}
      echo '${OLD_PAM_LINE}' >>${PAM}
      ${spoil}`)
    const before = await machine.check()
    expect(before.printed).toMatch(
      /WRONG \/etc\/pam.d\/sshd runs .*used, but not in its first two lines.*root; .*--url URL/,
    )
    expect(before.printed).not.toContain('--upgrade')
    const upgraded = await machine.install('--upgrade')
    expect(upgraded.status).toBe(1)
    expect(upgraded.printed).toMatch(/^install.sh: .*--url/m)
    const lines = await shell(`grep -v '^#' ${PAM} | grep -n latchkey`)
    expect(lines.printed).toBe(`2:${OLD_PAM_LINE}\n`)
    await shell(`cp -p /srv/conf ${CONF}`)
    expect((await machine.check()).status).toBe(0)
    expect(await shell(`cmp ${PAM} /srv/pam.good`)).toMatchObject({ status: 0 })
  })

  test('loses the line of an older installation though it is installed for a wrong address', async () => {
    await shell(`
      cp -p ${PAM} /srv/pam.good
      grep -v -e latchkey -e sftp-users ${PAM} >/srv/pam && cat /srv/pam >${PAM}
      echo '${OLD_PAM_LINE}' >>${PAM}`)
    expect((await machine.install('--url', 'http://accounts.example.org')).status).toBe(1)
    expect(await shell(`cmp ${PAM} /srv/pam.good`)).toMatchObject({ status: 0 })
  })

  /** Runs this while something else answers in place of the service. */
  async function instead(answer: RequestListener, work: () => Promise<void>): Promise<void> {
    const server = createHttpServer(answer)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    await machine.setUrl(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    await work()
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  }

  const keysOf = (name: string) =>
    machine.run('/usr/local/lib/latchkey/authorized-keys', name, 'SHA256:x')

  test('passes on no line but those that allow SFTP alone, whatever answers', async () => {
    const [type, blob] = alice.publicKey.split(' ')
    const key = `${type} ${blob}`
    const good = [
      `restrict,command="internal-sftp" ${key}`,
      `restrict,command="internal-sftp -R" ${key}`,
      `restrict,command="internal-sftp" ${key} a comment`,
    ]
    const bad = [
      key,
      `command="internal-sftp" ${key}`,
      `restrict,pty,command="internal-sftp" ${key}`,
      `restrict,command="internal-sftp",pty ${key}`,
      `restrict,command="internal-sftp",environment="LD_PRELOAD=x" ${key}`,
      `restrict,command="internal-sftp" cert-authority ${key}`,
      `restrict,command="internal-sftp"\tcert-authority ${key}`,
      `restrict,command="internal-sftp -R -d /" ${key}`,
      `restrict,command="internal-sftpx" ${key}`,
      `restrict,command="/bin/sh" ${key}`,
      ` restrict,command="internal-sftp" ${key}`,
      `x restrict,command="internal-sftp" ${key}`,
      `RESTRICT,command="internal-sftp" ${key}`,
      `restrict,command="internal-sftp" `,
    ]
    const lines = [...bad, ...good, ...bad]
    await instead(
      (_, response) => response.end(lines.map((line) => `${line}\n`).join('')),
      async () => {
        const { printed, status } = await keysOf('alice')
        expect({ printed, status }).toEqual({ printed: `${good.join('\n')}\n`, status: 0 })
        // It offers SFTP to a user of the service, and no shell.
        expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(0)
      },
    )
    await instead(
      (_, response) => response.end(`${bad.join('\n')}\n`),
      async () => {
        expect(await keysOf('alice')).toEqual({ printed: '', status: 0 })
        expect((await machine.ssh('alice', alice.file, 'id')).status).toBe(255)
      },
    )
  })

  test('takes no endless answer', async () => {
    const line = `restrict,command="internal-sftp" ${alice.publicKey.trim()}\n`
    for (const length of [undefined, 10_000_000]) {
      await instead(
        (_, response) => {
          if (length !== undefined) response.setHeader('Content-Length', length)
          for (let sent = 0; sent < 10_000_000; sent += line.length) response.write(line)
          response.end()
        },
        async () => {
          const { printed, status } = await keysOf('alice')
          expect(status).not.toBe(0)
          expect(printed.length).toBeLessThan(200_000)
          expect((await machine.sftp('alice', alice.file, 'ls')).status).toBe(255)
        },
      )
    }
  })

  test('says so when its lines are there, but a second time or not for members only', async () => {
    await shell(`cp ${PAM} /srv/pam; echo '${OLD_PAM_LINE}' >>${PAM}`)
    expect((await machine.check()).printed).toMatch(/WRONG .*sshd runs .*used a second time/)
    await shell(`sed 1d /srv/pam >${PAM}`)
    expect((await machine.check()).printed).toMatch(/WRONG .*not in its first two lines/)
    await shell(`cat /srv/pam >${PAM}; sed -i '1i auth required pam_env.so user_readenv=1' ${PAM}`)
    expect((await machine.check()).printed).toMatch(/WRONG .*remove user_readenv=1/)
    await shell(`cat /srv/pam >${PAM}`)
    expect((await machine.check()).status).toBe(0)
  })

  test('runs nothing that is written in its configuration', async () => {
    const conf = '/etc/latchkey/sftp.conf'
    await shell(`
      cp -p ${conf} /srv/conf
      { echo 'touch /srv/executed'; echo 'X=1 touch /srv/executed'; cat /srv/conf; } >${conf}`)
    expect((await machine.sftp('bob', bob.file, 'ls')).status).toBe(0)
    expect((await machine.check()).status).toBe(0)
    for (const url of ['https://h/?a=1&touch /srv/executed', 'https://$(touch /srv/executed)']) {
      await shell(
        `{ printf 'LATCHKEY_URL=%s\\n' "$1"; grep LATCHKEY_TOKEN /srv/conf; } >${conf}`,
        url,
      )
      expect((await machine.sftp('bob', bob.file, 'ls')).status).toBe(255)
      expect((await machine.check()).printed).toMatch(/WRONG Latchkey does not answer/)
    }
    await shell(`cat /srv/conf >${conf}`)
    expect((await machine.run('test', '-e', '/srv/executed')).status).toBe(1)
    expect((await machine.check()).status).toBe(0)
  })

  test('asks the configured address only, whatever the environment and a .curlrc say', async () => {
    const { printed, status } = await shell(
      `HOME=/srv/curl; export HOME; mkdir $HOME
      echo 'proxy = http://127.0.0.1:1' >$HOME/.curlrc
      http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 \
      /usr/local/lib/latchkey/authorized-keys nobody SHA256:none`,
    )
    expect({ printed, status }).toEqual({ printed: '', status: 0 })
  })

  test.each([
    'https://h/?a=1&touch /srv/executed',
    'https://h/$(touch /srv/executed)',
    'https://h/`touch /srv/executed`',
    "https://h/'",
    'https://h/ b',
    'https://user@h',
    'https://h/\nLATCHKEY_TOKEN=other',
    'http://accounts.example.org',
    'https://',
    '--check',
  ])('refuses to be installed for the address %j', async (url) => {
    const before = await shell('cat /etc/latchkey/sftp.conf')
    const outcome = await shell(
      `echo latchkey_x | sh ${process.cwd()}/src/capabilities/ssh-keys/sshd/install.sh --url "$1"`,
      url,
    )
    expect(outcome.status).toBe(1)
    expect(outcome.printed).toMatch(/^install.sh: the URL must start with https:/)
    expect(await shell('cat /etc/latchkey/sftp.conf')).toEqual(before)
  })

  test.each(['', 'a b', 'x;id', '$(id)'])(
    'refuses to be installed with the token %j',
    async (token) => {
      const outcome = await shell(
        `printf %s "$1" | sh ${process.cwd()}/src/capabilities/ssh-keys/sshd/install.sh --url https://h`,
        token,
      )
      expect(outcome.status).toBe(1)
      expect(outcome.printed).toMatch(/^install.sh: (give the|the text on standard input)/)
    },
  )

  test.each(['root', 'daemon', 'latchkey-keys', 'nobody'])(
    'never gives the account %s of the system to a user',
    async (name) => {
      for (const force of [[], ['--force']]) {
        const { status, printed } = await machine.install('--user', name, ...force)
        expect(status).toBe(1)
        expect(printed).toMatch(/is a system account/)
      }
      expect((await machine.run('id', '-nG', name)).printed).not.toContain('sftp-users')
    },
  )

  test.each(['0', '1000', '', '.', '..', '../etc', '-x', '--help', 'a b', 'a:b', 'a\nb', '$(id)'])(
    'makes no account of the name %j',
    async (name) => {
      const before = await shell('cat /etc/passwd /etc/group; ls -la /srv/sftp')
      const { status, printed } = await machine.install('--user', name)
      expect(status).toBe(1)
      expect(printed).toMatch(/^install.sh: a name /)
      expect(await shell('cat /etc/passwd /etc/group; ls -la /srv/sftp')).toEqual(before)
    },
  )

  test('takes an account that existed only when told to', async () => {
    await machine.run('useradd', '-m', '-d', '/srv/carol', '-s', '/bin/sh', 'carol')
    const refused = await machine.install('--user', 'carol')
    expect(refused.status).toBe(1)
    expect(refused.printed).toMatch(/the account carol exists already: --force/)
    expect((await machine.run('id', '-nG', 'carol')).printed).not.toContain('sftp-users')
    expect((await machine.install('--user', 'carol', '--force')).status).toBe(0)
    expect((await machine.install('--user', 'carol')).status).toBe(0)
    expect((await machine.check()).status).toBe(0)
  })

  test('checks a user whose first group is that of SFTP users', async () => {
    await machine.run('useradd', '-M', '-g', 'sftp-users', '-s', '/bin/bash', 'dave')
    expect((await machine.check()).printed).toMatch(/WRONG dave has a shell/)
    await machine.run('userdel', 'dave')
  })

  test('leaves the modes of folders that were there alone', async () => {
    await machine.run('chmod', '0700', '/etc/ssh/sshd_config.d')
    await machine.install('--upgrade')
    const { printed } = await machine.run('stat', '-c', '%a', '/etc/ssh/sshd_config.d')
    await machine.run('chmod', '0755', '/etc/ssh/sshd_config.d')
    expect(printed).toBe('700\n')
  })

  test('writes nothing that others may change, whatever the umask', async () => {
    await shell(`umask 0; sh ${process.cwd()}/src/capabilities/ssh-keys/sshd/install.sh --upgrade`)
    const { printed } = await shell(
      `find /etc/latchkey /usr/local/lib/latchkey ${PAM} /etc/ssh/sshd_config.d -perm /022 ! -type l`,
    )
    expect(printed).toBe('')
    expect((await machine.check()).status).toBe(0)
  })

  test('stops at what keeps sshd from starting, and says what helps', async () => {
    await machine.run('rmdir', '/run/sshd')
    const { status, printed } = await machine.check()
    await machine.run('mkdir', '-m', '0755', '/run/sshd')
    expect(status).toBe(1)
    const wrong = printed.split('\n').filter((line) => line.startsWith('WRONG'))
    expect(wrong).toEqual([
      expect.stringMatching(
        /^WRONG sshd -t fails: Missing privilege separation.*mkdir .*\/run\/sshd/,
      ),
    ])
    expect(printed.trimEnd().split('\n').at(-1)).toBe(wrong[0])
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
    const asked: string[] = []
    const listProcesses = async (url: string) => {
      const listed = await shell("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'")
      asked.push(url, listed.printed)
    }
    const slow = createHttpServer(({ url = '' }, response) => {
      void listProcesses(url).finally(() => response.end())
    })
    await new Promise<void>((resolve) => {
      slow.listen(0, '127.0.0.1', resolve)
    })
    const address = slow.address()
    await machine.setUrl(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    await machine.sftp('alice', alice.file, 'ls')
    slow.closeAllConnections()
    await new Promise((resolve) => {
      slow.close(resolve)
    })
    expect(asked.join('\n')).toContain('curl\n')
    expect(asked.join('\n')).not.toContain(secret)
  })
})
