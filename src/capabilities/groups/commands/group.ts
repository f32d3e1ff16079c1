import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { explained } from '../../../programs/kit/command-error.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { lookUpUser, USER_TEXT } from '../../../programs/site/find-user.ts'
import { onSite, sought } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'
import type { ListedGroup } from '../group-store.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from '../manage-groups.ts'
import { addMembers, listMembers, removeMembers } from '../members.ts'
import { groupRecord, memberRecord } from '../record.ts'
import { withFileServer } from './deps.ts'

const COLUMNS = ['id', 'name', 'members', 'rules', 'note', 'created_at']

/** The argument `<group>`. */
const GROUP = sought(takes('<group>', 'the name of a group', '用户组的名称'), lookUpGroup)

const USERS = sought(takes('<users...>', ...USER_TEXT), async (site, names: string[]) => {
  const found = []
  for (const name of names) found.push(await lookUpUser(site, name))
  return found
})

const NEW_NAME = takes('<name>', 'the name of the group', '用户组的名称')

function lookUpGroup(site: Site, name: string): Promise<ListedGroup> {
  return explained(getGroup(site, COMMAND_LINE, { name }), {
    groupNotFound: `There is no group ${JSON.stringify(name)}, see: ${latchkey('group', 'list')}`,
  })
}

const list = onSite({
  about: 'lists the groups',
  zh: '列出用户组',
  examples: ['group list'],
  async run(site, _, { output }) {
    const { groups, total } = await listGroups(site, COMMAND_LINE, undefined, 1, 0)
    output.list(COLUMNS, { content: groups.map(groupRecord), total }, 'There are no groups yet.')
  },
})

const show = onSite({
  about: 'shows a group and its members',
  zh: '显示用户组及其成员',
  takes: { group: GROUP },
  examples: ['group show editors'],
  async run(site, { group }, { output }) {
    const { members } = await listMembers(site, COMMAND_LINE, group.id, 1, 0)
    const shown = groupRecord(group)
    const names = members.map(({ username }) => username)
    output.record({ ...shown, members: members.map(memberRecord) }, { ...shown, members: names })
  },
})

const create = onSite({
  about: 'creates a group',
  zh: '创建用户组',
  takes: {
    name: NEW_NAME,
    note: takes('--note <note>', 'a note for operators', '给管理员看的备注'),
  },
  examples: ['group create editors --note "They write the news"'],
  async run(site, { name, note }, { output }) {
    const id = await createGroup(site, COMMAND_LINE, { name, note })
    output.done(`Created the group ${JSON.stringify(name)}.`, { id, name })
  },
})

const rename = onSite({
  about: 'gives a group another name',
  zh: '重命名用户组',
  takes: { group: GROUP, name: takes('<new-name>', 'its new name', '新名称') },
  examples: ['group rename editors writers'],
  async run(site, { group: { id, name: old }, name }, { output }) {
    await changeGroup(site, COMMAND_LINE, id, { name })
    output.done(`The group ${JSON.stringify(old)} is now ${JSON.stringify(name)}.`, { id, name })
  },
})

const remove = onSite({
  about: 'deletes a group; its members leave it',
  zh: '删除用户组，其成员随之退出',
  takes: { group: GROUP },
  notes: [
    'A group that folder rules name is not deleted: delete its rules first.',
    '有文件夹规则使用的用户组不能删除，请先删除这些规则。',
  ],
  examples: ['group delete editors'],
  async run(site, { group: { id, name } }, { output }) {
    await explained(deleteGroup(site, COMMAND_LINE, id), {
      groupHasRules: `Folder rules name this group, see: ${latchkey('folder-rule', 'list')}`,
    })
    output.done(`Deleted the group ${JSON.stringify(name)}.`, { id, name })
  },
})

const add = onSite({
  about: 'adds users to a group',
  zh: '把用户加入用户组',
  takes: { group: GROUP, users: USERS },
  examples: ['group add editors alice bob'],
  async run(site, { group, users }, { output, remote }) {
    const ids = users.map(({ id }) => id)
    await addMembers(await withFileServer(site, remote), COMMAND_LINE, group.id, ids)
    const names = users.map(({ username }) => username)
    const done = `In the group ${JSON.stringify(group.name)}: ${names.join(', ')}.`
    output.done(done, { id: group.id, name: group.name, users: names })
  },
})

const removeUsers = onSite({
  about: 'removes users from a group',
  zh: '把用户移出用户组',
  takes: { group: GROUP, users: USERS },
  examples: ['group remove editors bob'],
  async run(site, { group, users }, { output, remote }) {
    const ids = users.map(({ id }) => id)
    await removeMembers(await withFileServer(site, remote), COMMAND_LINE, group.id, ids)
    const names = users.map(({ username }) => username)
    const done = `No longer in the group ${JSON.stringify(group.name)}: ${names.join(', ')}.`
    output.done(done, { id: group.id, name: group.name, users: names })
  },
})

/** `latchkey group …`: groups and their members. */
export const groupCommands = {
  list,
  show,
  create,
  rename,
  delete: remove,
  add,
  remove: removeUsers,
}
