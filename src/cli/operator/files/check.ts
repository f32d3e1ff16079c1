import * as v from 'valibot'
import { type FileServer } from '../../../base/file-server.ts'
import { Refusal } from '../../../base/refusals.ts'
import { callAsAdmin, callOrigin } from '../../../files/origin.ts'
import { listRemoteUsers, type RemoteUser } from '../../../files/remote-users.ts'
import { type Link, listLinks } from '../../../files/store.ts'
import { GENERAL } from '../../../accounts/roles.ts'
import { reasonIn } from '../../shared/command-error.ts'
import { failure, type Finding, good, warning } from '../../shared/findings.ts'
import { latchkey } from '../../shared/printed-command.ts'
import type { Site } from '../../site/site.ts'

const settingsSchema = v.array(v.object({ key: v.string(), value: v.string() }))
const MAX_NAMES = 5

/** Checks the file server of a site, and the links of users to its users. Changes nothing. */
export async function checkFiles(site: Site, files: FileServer): Promise<Finding[]> {
  const reached = await reach(site, files)
  if (reached.status === 'fail') return [reached]
  const token = await checkToken(site, files)
  if (token.status === 'fail') return [reached, token]
  const { data } = await callAsAdmin(site, files, '/api/admin/setting/list')
  const settings = new Map(
    v.is(settingsSchema, data) ? data.map(({ key, value }) => [key, value]) : [],
  )
  const [links, remote] = [await listLinks(site.db, site.now()), await listRemoteUsers(site, files)]
  return [
    reached,
    token,
    await checkGuests(site, files),
    checkSiteUrl(settings.get('site_url') ?? ''),
    checkOwnSignIn(settings),
    checkExpiration(settings.get('link_expiration') ?? ''),
    ...checkLinks(links, remote),
  ]
}

async function reach(site: Site, files: FileServer): Promise<Finding> {
  const check = 'file server'
  try {
    const { code, data } = await callOrigin(site, files, '/api/public/settings')
    const version = v.is(v.object({ version: v.string() }), data) ? data.version : ''
    if (code === 200) return good(check, `${files.origin} is OpenList ${version}`)
    return failure(check, `${files.origin} answers ${code}`)
  } catch (error) {
    const text = `${files.origin} gives no answer of OpenList: ${reasonIn(error)}`
    return failure(check, text, 'start OpenList, and set FILES_ORIGIN to its address')
  }
}

async function checkToken(site: Site, files: FileServer): Promise<Finding> {
  const check = 'token'
  const fix = 'copy “Token” of Manage → Settings → Other at OpenList into FILES_TOKEN'
  try {
    await callAsAdmin(site, files, '/api/admin/setting/get?key=site_url')
    return good(check, 'FILES_TOKEN is the token of its admin')
  } catch (error) {
    if (error instanceof Refusal) return failure(check, reasonIn(error), fix)
    throw error
  }
}

/** An empty token at OpenList makes every request without one the admin's. */
async function checkGuests(site: Site, files: FileServer): Promise<Finding> {
  const check = 'strangers'
  const { code } = await callOrigin(site, files, '/api/admin/setting/list')
  if (code !== 200) return good(check, 'nobody is an admin without a token')
  const text = 'OpenList has an empty token, so everybody is its admin'
  return failure(check, text, 'reset the token there, and set FILES_TOKEN to it')
}

function checkSiteUrl(url: string): Finding {
  const check = 'site_url'
  if (url === '') return good(check, 'links have the address of this site')
  const text = `links of OpenList begin with ${url}`
  const fix = 'empty site_url at OpenList, unless it is the address of this site'
  return warning(check, text, fix)
}

function checkOwnSignIn(settings: ReadonlyMap<string, string>): Finding {
  const check = 'other ways in'
  const on = ['ldap_login_enabled', 'sso_login_enabled', 'webauthn_login_enabled'].filter(
    (key) => settings.get(key) === 'true',
  )
  if (on.length === 0) return good(check, 'OpenList signs nobody in but with a password')
  const text = `OpenList has ${on.join(', ')} on, for whoever reaches it past this site`
  return warning(check, text, 'let OpenList listen on 127.0.0.1, or turn them off')
}

function checkExpiration(hours: string): Finding {
  const check = 'signed links'
  if (Number(hours) > 0) return good(check, `signed links end after ${hours} hours`)
  const text = 'signed links of files never end, those of users who are gone included'
  return warning(check, text, 'set link_expiration (hours) at OpenList')
}

function checkLinks(links: Link[], remote: RemoteUser[]): Finding[] {
  const byId = new Map(remote.map((user) => [user.id, user]))
  const linked = new Set(links.map(({ remoteId }) => remoteId))
  const lost = links.filter(({ remoteId }) => !byId.has(remoteId))
  const behind = links.filter(({ isBehind }) => isBehind)
  const others = remote.filter(({ id, role }) => role === GENERAL && !linked.has(id))
  const check = 'users'
  return [
    lost.length === 0
      ? good(
          check,
          links.length === 0
            ? 'nobody has used the files yet'
            : `${links.length} linked to users of OpenList`,
        )
      : warning(
          check,
          `${some(lost.map(({ name, userId }) => name ?? `#${userId}`))}: the user at OpenList is gone; the next request makes another`,
        ),
    ...(behind.length === 0
      ? []
      : [
          warning(
            check,
            `${some(behind.map(({ remoteName }) => remoteName))}: not yet written to OpenList; the run every five minutes does it`,
          ),
        ]),
    ...(others.length === 0
      ? []
      : [
          warning(
            check,
            `${some(others.map(({ username }) => username))}: at OpenList, and linked to nobody here; nobody signs in as them here`,
            `${latchkey('files', 'link', 'NAME', 'ID')} for who is the same person`,
          ),
        ]),
  ]
}

function some(names: string[]): string {
  const more = names.length - MAX_NAMES
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
