import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Whether certificates can be made here. Tests that need one are skipped otherwise, and say so. */
export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined

/** Makes `<name>.crt`, of 127.0.0.1, and `<name>.key` in a folder. @returns Their paths. */
export function makeCertificate(folder: string, name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    ...kind,
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  ])
  if (made.status !== 0) throw new Error(String(made.stderr))
  return { cert, key }
}
