import type { FileServer } from '../../../core/base/file-server.ts'
import { GENERAL } from '../../../core/accounts/roles.ts'
import { listRemoteUsers } from '../remote-users.ts'
import { deleteFileUser, findLink, insertFileUser, listLinks } from '../store.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { command, takes } from '../../../programs/kit/declaration.ts'
import { parseFiles } from '../../../programs/kit/files-option.ts'
import { type Finding, showFindings } from '../../../programs/kit/findings.ts'
import { parseId } from '../../../programs/kit/paging.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import { loadChecks } from '../../../programs/site/capabilities.ts'
import { USER } from '../../../programs/site/find-user.ts'
import { readFileServer } from '../../../programs/site/file-server.ts'
import { onSite, openSite } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'
import { checkFiles } from './check.ts'

const COLUMNS = ['id', 'username', 'openlist_id', 'openlist_name', 'state']
const FILES = takes(
  '--files <url>',
  'the address of OpenList, when FILES_ORIGIN is not set',
  'OpenList 的地址，在未设置 FILES_ORIGIN 时使用',
  parseFiles,
)

const status = onSite({
  about: 'lists which user of OpenList each user is',
  zh: '列出每个用户对应 OpenList 中的哪个用户',
  examples: ['files status'],
  async run(site, _, { output }) {
    const links = await listLinks(site.db, site.now())
    const content = links.map(({ userId, name, remoteId, remoteName, isUsed, isBehind }) => ({
      id: userId,
      username: name,
      openlist_id: remoteId,
      openlist_name: remoteName,
      state: stateOf(isUsed, isBehind),
    }))
    output.list(COLUMNS, { content }, 'No user is linked to a user of OpenList yet.')
  },
})

function stateOf(isUsed: boolean, isBehind: boolean): string {
  if (isBehind) return 'waits to be written'
  return isUsed ? 'in use' : 'not used yet'
}

const check = command({
  about: 'checks OpenList: address, token, settings, users',
  zh: '检查 OpenList：地址、令牌、设置、用户',
  takes: { files: FILES },
  notes: [
    'The exit code is 1 when a check fails; a warning alone gives 0. Nothing is changed.',
    '有检查失败时退出码为 1，只有警告时为 0。不会更改任何内容。',
  ],
  examples: ['files check', 'files check --files http://127.0.0.1:5244'],
  async run({ files }, { remote, json }) {
    const server = await readFileServer(remote, files)
    const findings = await openSite({ remote }, async (site) => [
      ...(await checkFiles(site, server)),
      ...(await checksOfOthers(site, server)),
    ])
    showFindings(findings, json)
  },
})

/** What other capabilities check of the file server. */
async function checksOfOthers(site: Site, server: FileServer): Promise<Finding[]> {
  const checks = await loadChecks()
  const found = await Promise.all(
    checks.map(async ({ ofFiles }) => (await ofFiles?.(site, server)) ?? []),
  )
  return found.flat()
}

const link = onSite({
  about: 'makes a user be a user that OpenList has already',
  zh: '把用户与 OpenList 中已有的用户关联',
  takes: {
    user: USER,
    remoteId: takes('<id>', 'the id of the user at OpenList', '用户在 OpenList 中的 id', parseId),
    files: FILES,
  },
  notes: [
    `From then on the user here is the user there, with name, rights and folder of the user here: the shares
and what metas allow stay. Nobody is linked by name alone, because the same name may be somebody else's.`,
    `此后这里的用户就是那里的用户，名称、权限和文件夹以这里为准；分享和元信息中的授权保留。
不会仅凭名称关联，因为同名者可能是别人。`,
  ],
  examples: ['files link alice 7'],
  before: ({ files }, { remote }) => readFileServer(remote, files),
  async run(site, { user: { id, username, role }, remoteId }, { output }, server) {
    if (role !== GENERAL)
      throw new CommandError(
        'Admins act as the admin of OpenList, and the guest as its guest: only other users are linked.',
      )
    const remote = (await listRemoteUsers(site, server)).find((user) => user.id === remoteId)
    if (remote === undefined || remote.role !== GENERAL)
      throw new CommandError(
        `OpenList has no user ${remoteId} who is neither admin nor guest: its page of users shows the ids.`,
      )
    if (!(await insertFileUser(site.db, id, { remoteId, remoteName: remote.username })))
      throw new CommandError(
        `${username} or user ${remoteId} of OpenList is linked already: ${latchkey('files', 'status')} shows to whom.`,
      )
    const done = `${username} is ${remote.username} of OpenList (${remoteId}).`
    output.done(done, { username, openlist_id: remoteId, openlist_name: remote.username })
  },
})

const unlink = onSite({
  about: 'ends a link; the user at OpenList stays, and the next request makes another',
  zh: '取消关联；OpenList 中的用户保留，下次请求时会另建一个',
  takes: { user: USER },
  examples: ['files unlink alice'],
  async run(site, { user }, { output }) {
    const { id, username } = user
    const present = await findLink(site.db, id, site.now())
    if (present === undefined)
      throw new CommandError(
        `${username} is linked to no user of OpenList: ${latchkey('files', 'link', userWord(user), 'ID')} does it.`,
      )
    await deleteFileUser(site.db, id)
    const done = `${username} is no longer ${present.remoteName} of OpenList.`
    output.done(done, { username, openlist_id: present.remoteId })
  },
})

/** `latchkey files …`: the file server behind the site. */
export const filesCommands = { status, check, link, unlink }
