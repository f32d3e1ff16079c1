import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { isOfNobody } from '../../../core/accounts/groups.ts'
import { explained, UsageError } from '../../../programs/kit/command-error.ts'
import { choice, takes } from '../../../programs/kit/declaration.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { lookUpUser, USER, USER_TEXT } from '../../../programs/site/find-user.ts'
import { onSite, sought } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'
import { adoptFolder } from '../adopt.ts'
import { checkFolder } from '../check.ts'
import { ACCESS, type Decided } from '../decision.ts'
import { changeRule, createRule, listRules, removeRule } from '../folder-rules.ts'
import { moveFolder } from '../move.ts'
import { checkRecord, ruleRecord } from '../record.ts'
import { syncFolders } from '../sync.ts'
import type { FolderWarning } from '../warnings.ts'
import { withFileServer } from './deps.ts'

const COLUMNS = ['id', 'path', 'group', 'username', 'access']
const PATH = takes('<path>', 'the full path of a folder', '文件夹的完整路径')

const list = onSite({
  about: 'lists the folder rules',
  zh: '列出文件夹规则',
  takes: { path: takes('--path <path>', 'only those of this folder', '仅此文件夹的规则') },
  examples: ['folder-rule list', 'folder-rule list --path /photos'],
  async run(site, { path }, { output }) {
    const { rules, total } = await listRules(site, COMMAND_LINE, { path }, 1, 0)
    const content = rules.map(ruleRecord)
    const shown = content.map((rule) => ({
      ...rule,
      username: rule.uid === null ? null : (rule.username ?? nameWithout(rule.uid)),
    }))
    output.list(COLUMNS, { content, total }, 'There are no folder rules.', shown)
  },
})

function nameWithout(uid: number): string {
  return isOfNobody(uid) ? '(nobody)' : `#${uid} (deleted)`
}

const SET_OPTIONS = {
  group: takes('--group <group>', 'a group, user or guest', '用户组、user 或 guest'),
  user: sought(takes('--user <user>', ...USER_TEXT), async (site, name) =>
    name === undefined ? undefined : lookUpUser(site, name),
  ),
}

const set = onSite({
  about: 'gives a group or a user a right in a folder and all below it',
  zh: '设置用户组或用户在文件夹及其下级中的权限',
  takes: {
    path: PATH,
    access: choice(
      '<access>',
      'none, read, write (and read); unset deletes the rule',
      'none（无）、read（读）、write（读写）；unset 删除规则',
      [...ACCESS, 'unset'] as const,
    ),
    ...SET_OPTIONS,
  },
  notes: [
    `The first right in a folder closes it to everybody whom no rule names. A rule gives no more than the
permissions and the base path of a user.`,
    `文件夹一旦有了第一条授权，规则未提到的用户就无法访问它。规则给予的权限不会超出用户自身的权限和根文件夹。`,
  ],
  examples: [
    'folder-rule set /photos --group family write',
    'folder-rule set /photos/2026 --user alice unset',
  ],
  before({ group, user }) {
    if ((group === undefined) === (user === undefined))
      throw new UsageError('Say whose right it is: --group or --user.')
  },
  async run(site, { path, access, group, user }, { output, remote }) {
    const deps = await withFileServer(site, remote)
    const asked = { path, group, uid: user?.id }
    const name = group ?? user?.username ?? ''
    const rule = await findRule(site, asked)
    const record = { path, group: group ?? null, username: user?.username ?? null, access }
    if (access === 'unset') {
      const waiting = rule === undefined ? 0 : await removeRule(deps, COMMAND_LINE, rule.id)
      const done = rule === undefined ? 'had no rule' : 'has no rule any more'
      return output.done(`${name} ${done} for ${path}.${say(waiting)}`, { ...record, waiting })
    }
    const none: readonly FolderWarning[] = []
    const { waiting, warnings } =
      rule === undefined
        ? await explained(createRule(deps, COMMAND_LINE, { ...asked, access }), {
            folderHasOwnUsers: `OpenList has users of its own at or below ${path}; make rules of them first: ${latchkey('folder-rule', 'adopt', path)}`,
            adminsHaveEveryRight: 'Administrators have every right: no rule is for them.',
          })
        : { waiting: await changeRule(deps, COMMAND_LINE, rule.id, access), warnings: none }
    const hints = warnings.map((warning) => HINTS[warning] ?? '').join('')
    const warned = warnings.length === 0 ? '' : ` Warnings: ${warnings.join(', ')}.${hints}`
    const done = `${path}: ${name} ${access}.${say(waiting)}${warned}`
    output.done(done, { ...record, waiting, warnings })
  },
})

const HINTS: Partial<Record<FolderWarning, string>> = {
  tasks_under_way:
    ' Tasks may still be under way at OpenList: wait until all have ended, or restart OpenList, before you trust the rule.',
  requests_under_way: ` OpenList still works on requests from before, which may reach the folder: wait until nothing waits any more (${latchkey('folder-rule', 'sync')}), or restart OpenList, before you trust the rule.`,
}

/** Finds the rule of a group or a user for a folder. */
async function findRule(
  site: Site,
  { path, group, uid }: { path: string; group: string | undefined; uid: number | undefined },
) {
  const { rules } = await listRules(site, COMMAND_LINE, { path, group, userId: uid }, 1, 0)
  return rules[0]
}

/** Says that a change is not finished. */
function say(waiting: number): string {
  if (waiting === 0) return ''
  return ` Not finished, waiting: ${waiting} (folders to be written to OpenList, or what it works on from before); ${latchkey('doctor')} says what.`
}

const check = onSite({
  about: 'tells what a user may do in a folder',
  zh: '查看用户在文件夹中的权限',
  takes: { user: USER, path: PATH },
  examples: ['folder-rule check alice /photos'],
  async run(site, { user: { id, username }, path }, { output }) {
    const checked = await checkFolder(site, COMMAND_LINE, id, path)
    const { access, rule, reach, isEnabled, canChange, isWay, otherSpellingOf } = checked
    const closed = isWay ? 'none (only the way to folders below)' : access
    const text = access === 'open' ? 'no rule decides, the permissions do' : closed
    const why = rule === null ? whyWithoutRule(access) : await whyOf(site, rule)
    const other =
      otherSpellingOf === undefined
        ? ''
        : `; the path may be another spelling of ${otherSpellingOf}, which has rules`
    const hidden = reach ? '' : '; the base path hides the folder'
    const powerless =
      access === 'write' && !canChange ? '; the account has no permission that changes files' : ''
    const shut = isEnabled ? '' : '; the account is disabled, so this holds once it is enabled'
    const reasons = `${why}${other}${hidden}${powerless}${shut}`
    output.done(`${username} at ${path}: ${text}${reasons}.`, checkRecord(checked))
  },
})

/** Names the rule that decides. */
async function whyOf(site: Site, id: number): Promise<string> {
  const { rules } = await listRules(site, COMMAND_LINE, {}, 1, 0)
  const rule = rules.find((each) => each.id === id)
  return rule === undefined ? '' : `, by the rule of ${rule.group ?? rule.username} at ${rule.path}`
}

function whyWithoutRule(access: Decided): string {
  return access === 'none' ? ', because others have rules there' : ''
}

const adopt = onSite({
  about: 'makes rules of the lists that OpenList has in a folder',
  zh: '把 OpenList 中文件夹的用户列表接管为规则',
  takes: { path: PATH },
  examples: ['folder-rule adopt /photos'],
  async run(site, { path }, { output, remote }) {
    const deps = await withFileServer(site, remote)
    const { rules, waiting } = await adoptFolder(deps, COMMAND_LINE, path)
    const made =
      rules === 0 ? 'OpenList has no lists of its own' : `Made ${rules} rules of the lists`
    const done = `${made} at ${path}.${say(waiting)}`
    output.done(done, { path, rules, waiting })
  },
})

const move = onSite({
  about: 'moves a folder at OpenList, with its rules',
  zh: '移动 OpenList 中的文件夹及其规则',
  takes: { path: PATH, to: takes('<to>', 'its new full path', '新的完整路径') },
  examples: ['folder-rule move /photos /archive/photos'],
  async run(site, { path, to }, { output, remote }) {
    const deps = await withFileServer(site, remote)
    const waiting = await moveFolder(deps, COMMAND_LINE, { path, to })
    output.done(`${path} is now ${to}.${say(waiting)}`, { path, to, waiting })
  },
})

const sync = onSite({
  about: 'compares the rules with OpenList, and writes what differs',
  zh: '把规则与 OpenList 比对，并写入不一致之处',
  examples: ['folder-rule sync'],
  async run(site, _, { output, remote }) {
    const deps = await withFileServer(site, remote)
    const { folders, written, waiting } = await syncFolders(deps, COMMAND_LINE)
    const done = `${folders} folders have rules; ${written} were written to OpenList.${say(waiting)}`
    output.done(done, { folders, written, waiting })
  },
})

/** `latchkey folder-rule …`: the rights of groups and users in folders. */
export const folderRuleCommands = { list, set, check, adopt, move, sync }
