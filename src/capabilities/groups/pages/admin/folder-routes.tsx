import * as v from 'valibot'
import { of, read } from '../../../../core/access/subject.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { integer, query } from '../../../../web/http/input.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { attempt, type Fields, problemOf, type Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { readFileServerState } from '../../../files/state.ts'
import { checkFolders } from '../../check.ts'
import { changeRule, createRule, listRules, removeRule } from '../../folder-rules.ts'
import { listGroups } from '../../manage-groups.ts'
import { findWeakRules, selectGivenRights } from '../../weak-rules.ts'
import { type FolderForm, FOLDERS_PATH, FoldersPage } from './folders.tsx'
import { findUser } from './group-routes.tsx'

/** A page waits no longer for the file server, which only adds a warning. */
const STATE_MILLISECONDS = 2000

const checkQuery = v.object({
  path: v.optional(v.string(), ''),
  user: v.optional(v.string(), ''),
})
const ruleForm = v.object({ rule: integer })

/** The page of folders with rules, at `/account/admin/folders`. */
export const folderPages = formsOf(FOLDERS_PATH, showFolders, {
  add: action({
    confirms: true,
    async run(c, { path, access, who = '' }) {
      const whose = await whoseIn(c, who.trim())
      return createRule(c.get('deps'), actorOf(c), { path, access, ...whose })
    },
    done: 'folder-rule-made',
  }),
  change: action({
    reads: ruleForm,
    confirms: true,
    run: (c, { rule }, fields) =>
      fields['delete'] === undefined
        ? changeRule(c.get('deps'), actorOf(c), rule, fields['access'])
        : removeRule(c.get('deps'), actorOf(c), rule),
    done: 'folder-rule-changed',
  }),
}).get('/', query(checkQuery), (c) => showFolders(c, undefined, c.req.valid('query')))

/**
 * Reads `group:NAME` or `user:NAME`.
 *
 * @throws {Refusal} `ruleNeedsWhose`, `notAdmin`; `userNotFound` at the field `who`.
 */
async function whoseIn(c: AppContext, who: string): Promise<{ group: string } | { uid: number }> {
  const [, kind, name = ''] = /^(group|user):\s*(.+)$/.exec(who) ?? []
  if (kind === 'group') return { group: name }
  if (kind === undefined) throw new Refusal('ruleNeedsWhose')
  return { uid: await findUser(c, name, 'who') }
}

async function showFolders(c: AppContext, refused?: Refused<FolderForm>, asked?: Fields) {
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const view = await adminView(c)
  const files = deps.fileServer()
  const [{ rules }, { groups }, { given }, state] = await Promise.all([
    listRules(deps, operator, {}, 1, 0),
    listGroups(deps, operator, undefined, 1, 0),
    read(deps, of(operator), { given: selectGivenRights(deps.db) }),
    files && readFileServerState(deps, files, STATE_MILLISECONDS),
  ])
  const checked =
    asked &&
    (await check(
      c,
      rules.map(({ path }) => path),
      asked,
    ))
  const props = {
    view,
    rules,
    groups: groups.map(({ name }) => name),
    weak: findWeakRules(given),
    hasFiles: files !== undefined,
    hasOpenLinks: state?.links === 'open',
    checked: checked?.folders ?? [],
    asked: { path: asked?.['path'] ?? '', user: asked?.['user'] ?? '' },
    checkProblem: checked?.refusal && problemOf(view.t, checked.refusal),
  }
  return showForm<Parameters<typeof FoldersPage>[0], FolderForm>(c, FoldersPage, props, refused)
}

/** Decides what a user may do at a folder, or at every folder with rules. */
async function check(c: AppContext, paths: readonly string[], { path = '', user = '' }: Fields) {
  const name = user.trim()
  if (name === '') return undefined
  const found = await attempt(async () => {
    const uid = await findUser(c, name, 'user')
    const folders = path.trim() === '' ? Array.from(new Set(['/', ...paths])) : [path.trim()]
    return checkFolders(c.get('deps'), actorOf(c), uid, folders)
  })
  return found instanceof Refusal
    ? { folders: [], refusal: found }
    : { folders: found, refusal: undefined }
}
