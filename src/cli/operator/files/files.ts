import type { Command } from 'commander'
import { listRemoteUsers } from '../../../files/identity.ts'
import { deleteFileUser, findLink, insertFileUser, listLinks } from '../../../files/store.ts'
import { GENERAL } from '../../../accounts/roles.ts'
import { CommandError } from '../../shared/command-error.ts'
import { showFindings } from '../../shared/findings.ts'
import { parseFiles } from '../../shared/files-option.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { addHelp } from '../../shared/help.ts'
import { parseCount } from '../../shared/paging.ts'
import { latchkey, userWord } from '../../shared/printed-command.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { onSite, openSite } from '../../site/on-site.ts'
import { checkFiles } from './check.ts'
import { readFileServer } from './file-server.ts'

const FILES_OPTION = '--files <url>'
const FILES_TEXT = 'the address of OpenList, when FILES_ORIGIN is not set'
const COLUMNS = ['id', 'username', 'openlist_id', 'openlist_name', 'state']
const LINK_NOTES = `From then on the user here is the user there, with name, rights and folder of the user here: the shares
and what metas allow stay. Nobody is linked by name alone, because the same name may be somebody else's.`

interface FilesOptions {
  files?: string
}

/** `latchkey files status|check|link|unlink`: the file server behind the site. */
export function addFilesCommands(program: Command, files: Command): void {
  addHelp(files.command('status'), { examples: ['files status'] })
    .description('lists which user of OpenList each user is')
    .action(() =>
      onSite(program, async (site, output) => {
        const links = await listLinks(site.db, site.now())
        const content = links.map(({ userId, name, remoteId, remoteName, isUsed, isBehind }) => ({
          id: userId,
          username: name,
          openlist_id: remoteId,
          openlist_name: remoteName,
          state: stateOf(isUsed, isBehind),
        }))
        output.list(COLUMNS, { content }, 'No user is linked to a user of OpenList yet.')
      }),
    )
  addHelp(files.command('check'), {
    notes: 'The exit code is 1 when a check fails; a warning alone gives 0. Nothing is changed.',
    examples: ['files check', 'files check --files http://127.0.0.1:5244'],
  })
    .description('checks OpenList: address, token, settings, users')
    .option(FILES_OPTION, FILES_TEXT, parseFiles)
    .action(async (options: FilesOptions) => {
      const { remote, json } = program.opts<GlobalOptions>()
      const server = await readFileServer(remote, options.files)
      showFindings(await openSite({ remote }, (site) => checkFiles(site, server)), json)
    })
  addHelp(files.command('link'), { notes: LINK_NOTES, examples: ['files link alice 7'] })
    .argument('<user>', USER_ARGUMENT)
    .argument('<id>', 'the id of the user at OpenList', parseCount)
    .description('makes a user be a user that OpenList has already')
    .option(FILES_OPTION, FILES_TEXT, parseFiles)
    .action(async (name: string, remoteId: number, options: FilesOptions) => {
      const server = await readFileServer(program.opts<GlobalOptions>().remote, options.files)
      await onSite(program, async (site, output) => {
        const { id, username, role } = await lookUpUser(site, name)
        if (role !== GENERAL)
          throw new CommandError(
            'Admins act as the admin of OpenList, and the guest as its guest: only other users are linked.',
          )
        const remote = (await listRemoteUsers(site, server)).find((user) => user.id === remoteId)
        if (remote === undefined || remote.role !== GENERAL)
          throw new CommandError(
            `OpenList has no user ${remoteId} who is neither admin nor guest: its page of users shows the ids.`,
          )
        const link = { remoteId, remoteName: remote.username }
        if (!(await insertFileUser(site.db, id, link)))
          throw new CommandError(
            `${username} or user ${remoteId} of OpenList is linked already: ${latchkey('files', 'status')} shows to whom.`,
          )
        const done = `${username} is ${remote.username} of OpenList (${remoteId}).`
        output.done(done, { username, openlist_id: remoteId, openlist_name: remote.username })
      })
    })
  addHelp(files.command('unlink'), { examples: ['files unlink alice'] })
    .argument('<user>', USER_ARGUMENT)
    .description('ends a link; the user at OpenList stays, and the next request makes another')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const user = await lookUpUser(site, name)
        const link = await findLink(site.db, user.id, site.now())
        if (link === undefined)
          throw new CommandError(
            `${user.username} is linked to no user of OpenList: ${latchkey('files', 'link', userWord(user), 'ID')} does it.`,
          )
        await deleteFileUser(site.db, user.id)
        output.done(`${user.username} is no longer ${link.remoteName} of OpenList.`, {
          username: user.username,
          openlist_id: link.remoteId,
        })
      }),
    )
}

function stateOf(isUsed: boolean, isBehind: boolean): string {
  if (isBehind) return 'waits to be written'
  return isUsed ? 'in use' : 'not used yet'
}
