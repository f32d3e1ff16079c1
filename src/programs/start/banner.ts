import { isIPv6 } from 'node:net'
import type { FileServer } from '../../core/base/file-server.ts'
import { VERSION } from '../../capabilities/settings/defaults.ts'
import { isLoopback } from './front-request.ts'
import type { StartOptions } from './options.ts'
import { latchkey, saidHere, userWord } from '../kit/printed-command.ts'
import { visible } from '../../core/base/text.ts'

interface Admin {
  id: number
  username: string
}

/** The servers around the site that the operator has set. */
interface Surroundings {
  /** Where people reach the site (`siteAddressOf`); `undefined` where nothing says it. */
  address: string | undefined
  /** `undefined` for none. */
  fileServer: Pick<FileServer, 'origin' | 'problem'> | undefined
}

/**
 * Returns the text that each start shows: where the site is, who can sign in, and what to do when
 * it does not work.
 *
 * @param admins The admins who can sign in with a password.
 */
export function bannerOf(
  options: StartOptions,
  admins: readonly Admin[],
  { address, fileServer }: Surroundings,
): string {
  const { proxy } = options
  const site = siteUrl(options)
  // Behind a proxy, the site answers at the proxy's address only.
  const base = address ?? (proxy === undefined ? site : 'https://<your address>')
  const whom = proxy === undefined ? '' : `, for the proxy that sets ${proxy.header}`
  return `
Latchkey ${VERSION} serves on ${site}${whom} (${saidHere('Ctrl-C stops it')})

  account page   ${base}/account
  interface      ${base}/docs${fileServerLine(fileServer)}
  sign in        ${signInAdvice(admins)}
  all well?      ${latchkey('doctor')}
`
}

function fileServerLine(fileServer: Surroundings['fileServer']): string {
  if (fileServer === undefined) return ''
  const { origin, problem } = fileServer
  const state = problem === undefined ? 'all well?' : `no files are served: ${problem};`
  return `\n  file server    ${origin}; ${state} ${latchkey('files', 'check')}`
}

/** Passkeys need a name: browsers accept no IP address for them. */
function siteUrl({ hosts: [host], port }: StartOptions): string {
  const isLocal = isLoopback(host) || host === '0.0.0.0' || host === '::'
  const name = isLocal ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}

function signInAdvice([first, ...others]: readonly Admin[]): string {
  if (first === undefined)
    return `no admin is enabled and has a password: ${latchkey('doctor')} says what to do`
  const more =
    others.length === 0
      ? ''
      : ` or ${others.length === 1 ? 'another admin' : `${others.length} other admins`}`
  const command = latchkey('user', 'password', userWord(first), '--generate')
  return `${visible(first.username)}${more}; password lost: ${command}`
}

/** Shows the password of the first admin, unless the operator has chosen it. */
export function announceAdmin(password: string, isChosen: boolean): void {
  if (isChosen) console.log('Created the user admin with the password from ADMIN_PASSWORD.')
  else
    console.log(`\n  user      admin\n  password  ${password}\n\nThe password is shown only once.`)
}

export function announceIgnoredPassword(): void {
  console.log(
    `ADMIN_PASSWORD is ignored, because there is an admin already. To change the password: ${latchkey('user', 'password', 'admin')}`,
  )
}

/** Says what is unprotected when the site listens on the network. */
export function announceOpenAddress({ proxy }: StartOptions): void {
  console.log(
    proxy === undefined
      ? saidHere(
          'This address is open to the network and not encrypted: others on the network can read and change passwords, codes and sessions. Put a proxy with https in front (docs/self-hosting.md).',
        )
      : 'This address is open to the network: only requests from the proxy are accepted, but the connection from the proxy is not encrypted.',
  )
}
