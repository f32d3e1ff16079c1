import * as v from 'valibot'
import type { FileServer } from '../../../core/base/file-server.ts'
import { findLinkAddress } from '../link-address.ts'
import { selectSettings } from '../../settings/store.ts'
import { SHARED_LOOK } from '../../../core/base/settings-elsewhere.ts'
import { keptValue } from '../openlist-settings.ts'
import { callAsAdmin } from '../origin.ts'
import { listRemoteUsers, type RemoteUser } from '../remote-users.ts'
import { type Link, listLinks } from '../store.ts'
import { GENERAL } from '../../../core/accounts/roles.ts'
import { failure, type Finding, good, some, warning } from '../../../programs/kit/findings.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import type { Site } from '../../../programs/site/site.ts'
import { judgeFileServer, judgeLinks, judgeShares, readStateOf } from './judge.ts'

const settingsSchema = v.array(v.object({ key: v.string(), value: v.string() }))

/** Checks the file server of a site, and the links of users to its users. Changes nothing. */
export async function checkFiles(site: Site, files: FileServer): Promise<Finding[]> {
  const state = await readStateOf(site, files)
  const server = judgeFileServer(files, state)
  if (server.status === 'fail') return [server]
  const { data } = await callAsAdmin(site, files, '/api/admin/setting/list')
  const settings = new Map(
    v.is(settingsSchema, data) ? data.map(({ key, value }) => [key, value]) : [],
  )
  const [links, remote] = [await listLinks(site.db, site.now()), await listRemoteUsers(site, files)]
  return [
    server,
    judgeLinks(state),
    checkHeaders(files, settings.get('proxy_ignore_headers') ?? ''),
    ...checkScripts(settings),
    ...(await checkLook(site, settings)),
    await checkSiteUrl(site, files),
    checkOwnSignIn(settings),
    checkExpiration(settings.get('link_expiration') ?? ''),
    ...checkLinks(links, remote),
    ...(await judgeShares(site, files)),
  ]
}

/** OpenList compares each name, between commas, with the name of a header in small letters. */
function checkHeaders(files: FileServer, ignored: string): Finding {
  const check = 'headers'
  const named = new Set(ignored.split(','))
  const needed = keptValue(files, 'proxy_ignore_headers', '').split(',')
  const lacking = needed.filter((name) => !named.has(name))
  if (lacking.length === 0) return good(check, 'FILES_TOKEN is not passed on to storages')
  return failure(
    check,
    `proxy_ignore_headers lacks ${lacking.join(', ')}: OpenList sends FILES_TOKEN and passwords to the servers of storages`,
    'save the page Preview of its settings through this site, which completes it; then reset the token there, and set FILES_TOKEN to it',
  )
}

/** The policy of this site stops such scripts, unless FILES_PAGE_POLICY is off. */
function checkScripts(settings: ReadonlyMap<string, string>): Finding[] {
  if (settings.get('filter_readme_scripts') !== 'false') return []
  const text =
    'filter_readme_scripts is off: scripts in files that users upload run in pages of OpenList'
  return [warning('scripts', text, 'turn it on at OpenList')]
}

/** Settings that are saved through this site are saved at both places. */
async function checkLook(site: Site, there: ReadonlyMap<string, string>): Promise<Finding[]> {
  const saved = await selectSettings(site.db, [...SHARED_LOOK])
  const others = saved.filter(({ key, value }) => (there.get(key) ?? value) !== value)
  if (others.length === 0) return []
  const names = others.map(({ key }) => key).join(', ')
  const text = `${names}: the pages of the account have another value than OpenList`
  return [warning('look', text, 'save it again, on the page Site or Style of the settings')]
}

async function checkSiteUrl(site: Site, files: FileServer): Promise<Finding> {
  const check = 'site_url'
  const address = await findLinkAddress(site, files)
  if (address === undefined)
    return warning(
      check,
      'not seen: OpenList has no file whose link it makes itself',
      'run this again when there is a storage with a file',
    )
  if (address === '') return good(check, 'links have the address of this site')
  const own =
    files.host !== undefined && URL.canParse(address) && new URL(address).host === files.host
  if (own) return good(check, `links begin with ${address}, the host of the files`)
  return warning(
    check,
    `links of OpenList begin with ${address}`,
    'empty site_url in config.json of OpenList and restart it, unless it is the address of this site',
  )
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
