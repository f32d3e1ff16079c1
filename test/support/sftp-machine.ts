import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

const SSHD_FOLDER = 'src/capabilities/ssh-keys/sshd'

/**
 * Why no SFTP server can be tried here; nothing when one can. It takes Debian's openssh-server, and
 * root, who lays a file system of its own over this machine's settings, so that they stay as they
 * are.
 */
export function reasonAgainstSshd(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can give sshd a file system of its own'
  for (const program of ['/usr/sbin/sshd', '/usr/bin/curl', '/usr/bin/sftp']) {
    if (spawnSync('test', ['-x', program]).status !== 0) {
      return `${program} is missing (apt-get install openssh-server openssh-client curl)`
    }
  }
  if (spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/srv']).status !== 0) {
    return 'this machine allows no mounts'
  }
  return undefined
}

/** The result of a client. */
export interface Outcome {
  status: number | null
  printed: string
}

/** A machine that lets its users in by SFTP, set up by our installer as the README says. */
export class SftpMachine {
  readonly #sshd: ChildProcess
  readonly #folder: string
  readonly #port: string
  #log = ''

  private constructor(sshd: ChildProcess, folder: string, port: string) {
    this.#sshd = sshd
    this.#folder = folder
    this.#port = port
    sshd.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.#log += chunk))
    sshd.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.#log += chunk))
  }

  static async start(url: string, token: string, users: string[]): Promise<SftpMachine> {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-sftp-'))
    const port = await freePort()
    const script = `
      set -eu
      mount -t tmpfs -o mode=0755 none /srv
      mount -t tmpfs -o mode=0755 none /run
      mount -t tmpfs none '${folder}'
      for part in etc usr/local/lib; do
        mkdir -p '${folder}'/upper/$part '${folder}'/work/$part
        mount -t overlay overlay -o lowerdir=/$part,upperdir='${folder}'/upper/$part,workdir='${folder}'/work/$part /$part
      done
      mkdir -p /run/sshd
      ssh-keygen -A
      echo "$TOKEN" | sh ${SSHD_FOLDER}/install.sh --url "$URL"
      for user in ${users.join(' ')}; do sh ${SSHD_FOLDER}/install.sh --user "$user"; done
      exec /usr/sbin/sshd -D -e -p ${port} -o ListenAddress=127.0.0.1 -o PidFile=none -o LogLevel=VERBOSE`
    const sshd = spawn('unshare', ['-m', 'sh', '-c', script], {
      env: { ...process.env, URL: url, TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const machine = new SftpMachine(sshd, folder, port)
    await machine.#until('Server listening')
    return machine
  }

  /** Everything sshd and the installer have printed. */
  get log(): string {
    return this.#log
  }

  /** Runs a command of root's on the machine. */
  run(...command: string[]): Promise<Outcome> {
    return execute('nsenter', ['-t', String(this.#sshd.pid), '-m', '--', ...command])
  }

  check(): Promise<Outcome> {
    return this.install('--check')
  }

  /** Runs the installer; what it reads from its standard input is `input`. */
  install(...args: string[]): Promise<Outcome> {
    return this.run('sh', `${process.cwd()}/${SSHD_FOLDER}/install.sh`, ...args)
  }

  /**
   * Adds an ordinary user with a shell, who signs in with a key of their own, not through the
   * service.
   *
   * @param pamEnvironment What the user writes into `~/.pam_environment`.
   * @returns The user's home.
   */
  async addShellUser(name: string, publicKey: string, pamEnvironment: string): Promise<string> {
    const home = `/srv/${name}`
    const script = `
      set -eu
      useradd -m -d "$2" -s /bin/sh -p '*' -- "$1"
      mkdir "$2/.ssh" "$2/bin"
      printf '%s' "$3" >"$2/.ssh/authorized_keys"
      printf '%s' "$4" >"$2/.pam_environment"
      for program in cat curl cut env head id printf sed sh ssh-keygen tr; do
        printf '#!/bin/sh\necho "$0 as $(/usr/bin/id -u)" >>%s\n' "$2/ran" >"$2/bin/$program"
      done
      cp "$2/bin/sed" "$2/startup"
      chmod 0755 "$2" "$2"/bin/* "$2/startup"
      chown -R "$1:" "$2"`
    const values = [name, home, publicKey, pamEnvironment]
    const { status, printed } = await this.run('sh', '-c', script, 'add', ...values)
    if (status !== 0) throw new Error(printed)
    return home
  }

  /** Points the machine at another address, as if the service were there. */
  async setUrl(url: string): Promise<void> {
    await this.run(
      'sed',
      '-i',
      `s|^LATCHKEY_URL=.*|LATCHKEY_URL=${url}|`,
      '/etc/latchkey/sftp.conf',
    )
  }

  /**
   * Runs the lines of a batch as a user with a key, through the real sftp; what takes longer than
   * 10 s ends with status 124.
   */
  async sftp(user: string, keyFile: string, ...lines: string[]): Promise<Outcome> {
    const batch = `${keyFile}.batch`
    writeFileSync(batch, `${lines.join('\n')}\n`)
    return execute('sftp', [
      '-b',
      batch,
      '-P',
      this.#port,
      ...options(keyFile),
      `${user}@127.0.0.1`,
    ])
  }

  /** Tries to run a command through the real ssh. */
  ssh(user: string, keyFile: string, ...command: string[]): Promise<Outcome> {
    return execute('timeout', [
      '10',
      'ssh',
      '-p',
      this.#port,
      ...options(keyFile),
      `${user}@127.0.0.1`,
      ...command,
    ])
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#sshd.once('close', () => {
        rmSync(this.#folder, { recursive: true, force: true })
        resolve()
      })
      this.#sshd.kill('SIGTERM')
    })
  }

  async #until(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => this.#log.includes(text) && resolve()
      this.#sshd.stderr?.on('data', look)
      this.#sshd.once('close', () => reject(new Error(this.#log)))
    })
  }
}

/** Makes a key pair with ssh-keygen. */
export function makeKey(folder: string, name: string, ...args: string[]) {
  const file = join(folder, name)
  execFileSync('ssh-keygen', [
    '-q',
    '-N',
    '',
    '-C',
    name,
    '-f',
    file,
    ...(args.length > 0 ? args : ['-t', 'ed25519']),
  ])
  return { file, publicKey: readFileSync(`${file}.pub`, 'utf8') }
}

function options(keyFile: string): string[] {
  const all = [
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'BatchMode=yes',
  ]
  return ['-F', '/dev/null', '-i', keyFile, ...all.flatMap((option) => ['-o', option])]
}

/** Not `spawnSync`: the service that sshd asks runs in this process. */
function execute(program: string, args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
    }
    child.once('close', (status) => resolve({ status, printed }))
  })
}
