import * as v from 'valibot'
import { of, read } from '../../../../core/access/subject.ts'
import { selectAllGroupNames } from '../../../../core/accounts/groups.ts'
import { selectEnabledGuest } from '../../../../core/accounts/store.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { integer, query } from '../../../../web/http/input.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { attempt, type Fields, problemOf, type Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { textsFor } from '../../../../web/kit/language.ts'
import { nameNotice } from '../../../../web/kit/named.tsx'
import { goTo } from '../../../../web/kit/view.ts'
import { adoptFolder } from '../../adopt.ts'
import { checkFolders } from '../../check.ts'
import { changeRule, createRule, listRules, removeRule } from '../../folder-rules.ts'
import { readFoldersThere } from '../../folders-there.ts'
import { moveFolder } from '../../move.ts'
import { syncFolders } from '../../sync.ts'
import type { FolderWarning } from '../../warnings.ts'
import { findWeakRules, selectGivenRights } from '../../weak-rules.ts'
import { type FolderForm, FOLDERS_PATH } from './folder-props.ts'
import { FoldersPage } from './folders.tsx'
import { findUser } from './group-routes.tsx'

/** The page waits no longer for the file server, which only adds warnings. */
const THERE_MILLISECONDS = 2000

const checkQuery = v.object({
  path: v.optional(v.string(), ''),
  user: v.optional(v.string(), ''),
  who: v.optional(v.string(), ''),
})
const ruleForm = v.object({ rule: integer })

/** The page of folders with rules, at `/account/admin/folders`. */
export const folderPages = formsOf(FOLDERS_PATH, showFolders, {
  add: action({
    confirms: true,
    async run(c, { path, access, who = '', username = '' }) {
      const whose = await whoseIn(c, who.trim(), username.trim())
      nameNotice(c, `${namesIn(c, who.trim()) || username} · ${path}`)
      return createRule(c.get('deps'), actorOf(c), { path, access, ...whose })
    },
    done: (c, { warnings }) => goTo(c, FOLDERS_PATH, noticeAfter(warnings)),
  }),
  change: action({
    reads: ruleForm,
    confirms: true,
    run: (c, { rule }, fields) =>
      fields['delete'] === undefined
        ? changeRule(c.get('deps'), actorOf(c), rule, fields['access'])
        : removeRule(c.get('deps'), actorOf(c), rule),
    done: (c, _, fields) =>
      goTo(
        c,
        FOLDERS_PATH,
        fields['delete'] === undefined ? 'folder-rule-changed' : 'folder-rule-removed',
      ),
  }),
  sync: action({
    confirms: true,
    run: (c) => syncFolders(c.get('deps'), actorOf(c)),
    done: 'folders-compared',
  }),
  adopt: action({
    confirms: true,
    run: (c, { path }) => adoptFolder(c.get('deps'), actorOf(c), path),
    done: 'folder-adopted',
  }),
  move: action({
    confirms: true,
    run: (c, { path, to }) => moveFolder(c.get('deps'), actorOf(c), { path, to }),
    done: 'folder-moved',
  }),
}).get('/', query(checkQuery), (c) => showFolders(c, undefined, c.req.valid('query')))

/**
 * Reads `group:NAME`, `user:NAME`, or `user:` with the name in a field of its own.
 *
 * @throws {Refusal} `ruleNeedsWhose`, `notAdmin`; `userNotFound` at the field `username`.
 */
async function whoseIn(
  c: AppContext,
  who: string,
  username: string,
): Promise<{ group: string } | { uid: number }> {
  const [, kind, given = ''] = /^(group|user):\s*(.*)$/.exec(who) ?? []
  if (kind === 'group' && given !== '') return { group: given }
  const name = given || username
  if (kind !== 'user' || name === '')
    throw new Refusal('ruleNeedsWhose', { field: kind === 'user' ? 'username' : 'who' })
  return { uid: await findUser(c, name) }
}

/** Names them as the page does, which has words for the groups that are built in. */
function namesIn(c: AppContext, who: string): string {
  const { folders } = textsFor(c)
  const builtIn = { 'group:user': folders.allUsers, 'group:guest': folders.guests }[who]
  return builtIn ?? who.replace(/^(?:group|user):/, '').trim()
}

async function showFolders(c: AppContext, refused?: Refused<FolderForm>, asked?: Fields) {
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const view = await adminView(c)
  const files = deps.fileServer()
  const [{ rules }, { given, groups, guest }] = await Promise.all([
    listRules(deps, operator, {}, 1, 0),
    read(deps, of(operator), {
      given: selectGivenRights(deps.db),
      groups: selectAllGroupNames(deps.db),
      guest: selectEnabledGuest(deps.db, deps.now()),
    }),
  ])
  const folders = Array.from(new Set(rules.map(({ path }) => path)))
  const [there, checked] = await Promise.all([
    files && readFoldersThere(deps, files, folders, THERE_MILLISECONDS),
    asked && check(c, folders, asked),
  ])
  const props = {
    view,
    rules,
    groups: groups.map(({ name }) => name),
    weak: findWeakRules(given),
    hasGuest: guest.length > 0,
    hasFiles: files !== undefined,
    hasOpenLinks: files?.hasOpenLinks === true,
    there,
    newFor: asked?.['who'] ?? '',
    checked: checked?.folders ?? [],
    asked: { path: asked?.['path'] ?? '', user: asked?.['user'] ?? '' },
    checkProblem: checked?.refusal && problemOf(view.t, checked.refusal),
  }
  return showForm<Parameters<typeof FoldersPage>[0], FolderForm>(c, FoldersPage, props, refused)
}

/** Decides what a user may do at a folder, or at every folder with rules. */
async function check(c: AppContext, folders: readonly string[], { path = '', user = '' }: Fields) {
  const name = user.trim()
  if (name === '') return undefined
  const found = await attempt(async () => {
    const uid = await findUser(c, name, 'user')
    const wanted = path.trim() === '' ? Array.from(new Set(['/', ...folders])) : [path.trim()]
    return checkFolders(c.get('deps'), actorOf(c), uid, wanted)
  })
  return found instanceof Refusal
    ? { folders: [], refusal: found }
    : { folders: found, refusal: undefined }
}

function noticeAfter(warnings: readonly FolderWarning[]) {
  if (warnings.includes('tasks_under_way')) return 'folder-rule-made-tasks'
  return warnings.includes('requests_under_way') ? 'folder-rule-made-requests' : 'folder-rule-made'
}
