import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isPublicHttps } from '../../src/core/base/public-address.ts'

/**
 * An address of each entry of IANA's registries of special-purpose addresses, and of multicast.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL = `
  0.1.2.3 10.1.2.3 100.64.1.2 127.0.0.2 169.254.169.254 172.31.255.1 192.0.0.8
  192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1
  198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
  255.255.255.255 [::] [::1] [::ffff:93.184.216.34] [64:ff9b::5db8:d822]
  [64:ff9b:1::1] [100::1] [100:0:0:1::1] [2001::1] [2001:1::1] [2001:2::1] [2001:3::1]
  [2001:4:112::1] [2001:10::1] [2001:20::1] [2001:30::1] [2001:db8::1]
  [2002:5db8:d822::1] [2620:4f:8000::1] [3fff::1] [5f00::1] [fc00::1] [fd12::1]
  [fe80::1] [fec0::1] [ff02::1] [4000::1]`
  .trim()
  .split(/\s+/)
/** Other addresses. Nothing is sent to them: in the test all lead to this machine. */
const GLOBAL = ['93.184.216.34', '198.17.255.255', '198.20.0.1', '[2606:2800:220:1::1]']

const isPublic = (host: string) => isPublicHttps(`https://${host}/`)

test('no address of a special-purpose network is a public one', () => {
  expect(SPECIAL.filter(isPublic)).toEqual([])
  expect(GLOBAL.filter((host) => !isPublic(host))).toEqual([])
})

/** A network of its own, in which every address is one of this machine, and names of its own. */
const ISOLATED = `set -e; ip link set lo up
  ip route add local 0.0.0.0/0 dev lo; ip -6 route add local ::/0 dev lo
  mount --bind "$1" /etc/hosts; shift; exec "$@"`

const isolate = (...args: string[]) =>
  spawnSync('unshare', ['-rnm', 'sh', '-c', ISOLATED, 'sh', ...args], { encoding: 'utf8' })

// It starts a Worker.
test('the network for the addresses of users reaches none, by number or by name', ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-hosts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const names = ['127.0.0.1', '198.18.0.1', '64:ff9b::5db8:d822', '2002:5db8:d822::1', '10.1.2.3']
  const lines = names.map((address, n) => `${address} special${n}.example.org\n`)
  const hosts = join(folder, 'hosts')
  writeFileSync(hosts, `${lines.join('')}93.184.216.34 global.example.org\n`)
  skip(isolate(hosts, 'true').status !== 0, 'this system gives no network of its own')

  const special = [...SPECIAL, ...names.map((_, n) => `special${n}.example.org`)]
  const all = [...special, ...GLOBAL, 'global.example.org']
  const script = join(import.meta.dirname, '../support/reach-public-network.ts')
  const { stdout, stderr } = isolate(hosts, process.execPath, script, ...all)
  expect(stdout, stderr).not.toBe('')
  const outcomes: Record<string, string> = JSON.parse(stdout)
  expect(special.filter((host) => outcomes[host] !== 'refused')).toEqual([])
  expect(all.filter((host) => outcomes[host] === 'reached')).toEqual([
    ...GLOBAL,
    'global.example.org',
  ])
})
