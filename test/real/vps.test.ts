import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { onCleanMachine, reasonAgainstMachine } from './clean-machine.ts'

/** Four installations of all packages: 206 s on a machine that does nothing else. */
const TEST_MILLISECONDS = 900_000
const PASSWORD = 'another-Passw0rd'

/** The blocks of a section of the guide, in their order. */
function blocksOf(heading: string): string[] {
  const [, section = ''] =
    new RegExp(`^## ${heading}\\n(.*?)^## `, 'ms').exec(
      readFileSync('docs/self-hosting.md', 'utf8'),
    ) ?? []
  return Array.from(section.matchAll(/^```\w+\n(.*?)^```/gms), ([, code = '']) => code)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

/** The version before the latest migration. */
function olderVersion(): string {
  return git('rev-parse', `${git('log', '-1', '--format=%H', '--', 'schema/migrations')}^`)
}

/** Runs commands as the user of the site, in its folder. */
function asUser(commands: string): string {
  return `su -s /bin/bash - latchkey <<'END'\nset -e\n${commands}\nEND`
}

test(
  'the commands of the guide, in their order, run a service, upgrade it, go back, and restore it',
  { timeout: TEST_MILLISECONDS },
  async ({ skip }) => {
    const reason = reasonAgainstMachine()
    skip(reason !== undefined, reason)
    const port = await freePort()
    const [install = '', unit = '', list = '', set = ''] = blocksOf('As a service')
    const [upgrade = '', back = ''] = blocksOf('Upgrade, and back')
    const [backup = '', cron = '', restore = ''] = blocksOf('Backup')
    const [rotate = ''] = blocksOf('Another secret')
    const older = olderVersion()
    const newer = git('rev-parse', 'HEAD')
    const ask = (path: string, members = '') =>
      `node -e "fetch('http://127.0.0.1:${port}${path}', { headers: { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https', Host: 'accounts.example.org' }, ${members} }).then(async (answer) => console.log(await answer.text()))"`
    const signIn = ask(
      '/api/auth/login',
      `method: 'POST', body: JSON.stringify({ username: 'alice', password: '${PASSWORD}' })`,
    )
    const [nightly = ''] = /(?<=\* \* \* )cd .*/.exec(cron) ?? []
    const { status, stdout, stderr } = onCleanMachine(
      `set -euo pipefail
exec 2>&1
sed 's/8787/${port}/' /home/owner/latchkey/test/real/systemctl.sh > /usr/bin/systemctl
chmod 755 /usr/bin/systemctl
# The repository at its host, with the older version as the latest.
git config --system safe.directory '*'
git clone -q --bare /home/owner/latchkey /srv/repository
git -C /srv/repository update-ref HEAD ${older}
echo '== install'
${install.replace('<this repository>', '/srv/repository')}
cat > /etc/systemd/system/latchkey.service <<'END'
${unit.replaceAll('8787', port)}
END
systemctl enable --now latchkey
grep password /var/log/journal
${list}
${asUser(`echo ${PASSWORD} | npm run -s latchkey -- user add alice --password-stdin`)}
echo '== set'
${set}
${ask('/.well-known/openid-configuration')}
echo '== upgrade'
git -C /srv/repository update-ref HEAD ${newer}
${upgrade}
${asUser('git rev-parse HEAD')}
${signIn}
${asUser('npm run -s latchkey -- user add later --generate > /dev/null; npm run -s latchkey -- doctor || true')}
echo '== older with newer data'
systemctl stop latchkey
${asUser(`git checkout -q --detach ${older} && npm ci > /dev/null`)}
systemctl start latchkey && echo 'it started'
${asUser('git switch -q - && npm ci > /dev/null')}
systemctl start latchkey
echo '== back'
version=$(basename /srv/backup/upgrade-*.sqlite .sqlite | cut -d- -f2)
${back.replaceAll("'", '"').replaceAll('VERSION', '$version')}
${asUser('git rev-parse HEAD; npm run -s latchkey -- user list')}
${signIn}
echo '== forward'
systemctl stop latchkey
${asUser('git switch -q - && npm ci > /dev/null')}
systemctl start latchkey
${signIn}
echo '== nightly'
${asUser(backup.replace('$(date +%F)', 'by-hand'))}
${asUser(nightly.replaceAll(String.raw`\%`, '%'))}
ls -l /srv/backup
echo '== rotation'
${asUser('npm run -s latchkey -- client add wiki --redirect https://wiki.example.org/back > /dev/null')}
${ask('/oauth/jwks')}
${rotate}
${asUser('grep -c , .dev.vars')}
${signIn}
echo '== restore'
systemctl stop latchkey
install -d -m 755 /safe/place /srv/again
cp /srv/latchkey/.dev.vars /safe/place/ && chmod 644 /safe/place/.dev.vars && chown latchkey /srv/again
su -s /bin/bash - latchkey -c 'git clone -q /srv/repository /srv/again && cd /srv/again && npm ci' > /dev/null
sed -i 's#/srv/latchkey#/srv/again#' /etc/systemd/system/latchkey.service
${asUser(`cd /srv/again\n${restore.replace('npm start\n', '').replace('latchkey-2026-11-21', 'latchkey-by-hand')}`)}
systemctl start latchkey
${signIn}
systemctl stop latchkey
echo '== end'`.replace(
        "systemctl start latchkey && echo 'it started'",
        "(systemctl start latchkey && echo 'it started') || tail -n 2 /var/log/journal",
      ),
      'root',
    )
    console.log(stdout, stderr)
    expect(status).toBe(0)
    const part = (name: string) => new RegExp(`^== ${name}$(.*?)^== `, 'ms').exec(stdout)?.[1] ?? ''
    const signedIn = /"code":200,"message":"success","data":\{"token"/
    expect(part('install')).toMatch(/password {2}\S{20}/)
    expect(part('install')).toMatch(/^ *1 +admin /m)
    expect(part('set')).toContain('"issuer":"https://accounts.example.org"')
    expect(part('upgrade')).toContain(newer)
    expect(part('upgrade')).toMatch(signedIn)
    expect(part('upgrade')).toMatch(/^ok +issuer|^ok +token hours/m)
    expect(part('older with newer data')).not.toContain('it started')
    expect(part('back')).toContain(older)
    expect(part('back')).not.toContain('later')
    expect(part('back')).toMatch(signedIn)
    expect(part('forward')).toMatch(signedIn)
    expect(part('nightly').match(/-rw------- .*latchkey-.*\.sqlite$/gm)).toHaveLength(2)
    expect(part('rotation')).toMatch(/^Sealed anew: 1 signing key\.$/m)
    expect(part('rotation')).toMatch(/^ok +sealed +the first entry of SECRET_KEYS opens /m)
    expect(part('rotation')).toMatch(/^1$/m)
    expect(part('rotation')).toMatch(signedIn)
    expect(part('restore')).toMatch(signedIn)
  },
)
