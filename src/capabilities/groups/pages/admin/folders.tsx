import type { Child } from 'hono/jsx'
import { Change, CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert, Field } from '../../../../web/kit/fields.tsx'
import { echo, type Problem, problemIn, type ShownRefused } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { AccountPage } from '../../../../web/kit/layout.tsx'
import { Heading } from '../../../../web/kit/parts.tsx'
import { Empty } from '../../../../web/kit/rows.tsx'
import type { View } from '../../../../web/kit/view.ts'
import type { CheckedFolder } from '../../check.ts'
import { GENERAL, GUEST } from '../../../../core/accounts/roles.ts'
import {
  ACCESS,
  accessAt,
  type FolderRule,
  isAtOrBelow,
  pathAndParents,
  seenBy,
} from '../../decision.ts'
import type { ListedRule } from '../../rule-store.ts'
import type { WeakRule } from '../../weak-rules.ts'

export const FOLDERS_PATH = '/account/admin/folders'

/** Returns the address of what a user may do in the folders with rules. */
export function foldersOfUser(username: string): string {
  return `${FOLDERS_PATH}?${String(new URLSearchParams({ user: username }))}#check`
}

export type FolderForm = 'add' | 'change'

/** A folder with rules, and the folders with rules below it. */
interface Folder {
  path: string
  rules: ListedRule[]
  below: Folder[]
}

/** Makes a tree of the folders with rules. */
function treeOf(rules: readonly ListedRule[]): Folder[] {
  const folders = Array.from(Map.groupBy(rules, ({ path }) => path))
    .map(([path, own]): Folder => ({ path, rules: own, below: [] }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const known = new Map(folders.map((folder) => [folder.path, folder]))
  const roots: Folder[] = []
  for (const folder of folders) {
    const [, ...parents] = pathAndParents(folder.path)
    const parent = parents.map((path) => known.get(path)).find((found) => found !== undefined)
    const siblings = parent === undefined ? roots : parent.below
    siblings.push(folder)
  }
  return roots
}

interface FoldersProps {
  view: View
  rules: ListedRule[]
  /** The names of the groups. */
  groups: string[]
  weak: WeakRule[]
  hasFiles: boolean
  /** Files open to everybody who knows their paths. */
  hasOpenLinks: boolean
  asked: { path: string; user: string }
  checked: CheckedFolder[]
  checkProblem: Problem | undefined
  refused?: ShownRefused<FolderForm> | undefined
}

/** The folders with rules, for operators: who may do what. */
export function FoldersPage(props: FoldersProps) {
  const { view, rules, weak, hasFiles, hasOpenLinks } = props
  const t = view.t.folders
  const tree = treeOf(rules)
  return (
    <AccountPage view={view} title={t.title}>
      <Heading title={t.title} lead={t.lead} />
      {!hasFiles && <p class="note">{t.noFiles}</p>}
      {hasOpenLinks && <p class="note">{t.openLinks}</p>}
      {tree.length === 0 ? (
        <Empty icon="folders" title={t.none} hint={t.noneHint} />
      ) : (
        <article>
          <Tree {...props} folders={tree} others={othersOf(rules)} />
        </article>
      )}
      {weak.length > 0 && (
        <article>
          <h2>{t.weak}</h2>
          <ul>
            {weak.map(({ path, username, weakness }) => (
              <li>
                <code>{path}</code>: {t.weaknesses[weakness](username)}
              </li>
            ))}
          </ul>
        </article>
      )}
      <Check {...props} />
      {hasFiles && <NewRule {...props} />}
    </AccountPage>
  )
}

interface TreeProps extends FoldersProps {
  folders: Folder[]
  others: Others
}

function Tree({ folders, ...props }: TreeProps) {
  return (
    <ul class="tree">
      {folders.map((folder) => (
        <li>
          <h2>
            <Icon name="folders" /> <code>{folder.path}</code>
          </h2>
          <ul class="rights">
            {folder.rules.map((rule) => (
              <RuleRow {...props} rule={rule} />
            ))}
          </ul>
          <p class="hint">{othersAt(props.view, folder, props.others)}</p>
          {folder.below.length > 0 && <Tree {...props} folders={folder.below} />}
        </li>
      ))}
    </ul>
  )
}

/** Users whom no group needs to name, with the rules as they see them. */
function othersOf(rules: readonly ListedRule[]) {
  const all = rules.map(asFolderRule)
  return (
    [
      ['user', GENERAL],
      ['guest', GUEST],
    ] as const
  ).map(([group, role]) => ({ group, seen: seenBy(all, { id: NOBODY, role, groupIds: [] }) }))
}

type Others = ReturnType<typeof othersOf>

/** Says what those may do whom no rule of the folder names. */
function othersAt({ t }: View, { path, rules: own }: Folder, others: Others): string {
  const who = { user: t.folders.otherUsers, guest: t.folders.guests }
  const said = others
    .filter((other) => own.every(({ group }) => group !== other.group))
    .map(({ group, seen }) =>
      t.folders.right(who[group], t.folders.decided[accessAt(seen, path).access]),
    )
  return [...said, t.folders.admins].join(t.sentenceGap)
}

/** An id that no user and no group has. */
const NOBODY = 0

function asFolderRule({ id, path, access, group, userId }: ListedRule): FolderRule {
  const builtIn = group === 'user' || group === 'guest' ? group : null
  const groupId = group === null || builtIn !== null ? null : id
  return { id, path, access, builtIn, groupId, userId }
}

function RuleRow({ view, rule, refused, hasFiles }: FoldersProps & { rule: ListedRule }) {
  const t = view.t.folders
  const who = whoIn(view, rule)
  const problem = problemIn(refused, 'change', { rule: String(rule.id) })
  const isRemoval = problem !== undefined && refused?.fields['delete'] !== undefined
  const action = `${FOLDERS_PATH}/change`
  return (
    <li>
      <span>{t.right(who, t.decided[rule.access])}</span>
      {hasFiles && (
        <>
          <Change
            view={view}
            label={t.change}
            action={action}
            values={{ rule: rule.id }}
            submit={t.save}
            fields={['access']}
            confirmedAs={`rule-${rule.id}`}
            problem={isRemoval ? undefined : problem}
            isHarmless
          >
            <AccessField
              view={view}
              form={`rule-${rule.id}`}
              value={rule.access}
              problem={problem}
            />
          </Change>
          <Change
            view={view}
            label={t.remove}
            question={t.removeQuestion(who, rule.path)}
            action={action}
            values={{ rule: rule.id, delete: 'true' }}
            submit={t.remove}
            confirmedAs={`remove-${rule.id}`}
            problem={isRemoval ? problem : undefined}
          />
        </>
      )}
    </li>
  )
}

/** Names the users of a rule. */
function whoIn({ t }: View, { group, userId, username }: ListedRule): string {
  if (group === 'user') return t.folders.allUsers
  if (group === 'guest') return t.folders.guests
  if (group !== null) return t.folders.group(group)
  return username ?? t.folders.deletedUser(userId ?? 0)
}

interface AccessFieldProps {
  view: View
  form: string
  value: string
  problem: Problem | undefined
}

function AccessField({ view: { t }, form, value, problem }: AccessFieldProps) {
  const options = ACCESS.map((access) => [access, t.folders.access[access]] as const)
  return (
    <Field
      name="access"
      form={form}
      label={t.folders.rightLabel}
      options={options}
      value={value}
      problem={problem}
    />
  )
}

function NewRule({ view, groups, refused }: FoldersProps) {
  const t = view.t.folders
  const problem = problemIn(refused, 'add')
  const fields = problem === undefined ? undefined : refused?.fields
  return (
    <article>
      <h2>{t.add}</h2>
      <form method="post" action={`${FOLDERS_PATH}/add`}>
        <Alert problem={problem} fields={['path', 'who', 'access', ...CONFIRM_FIELDS]} />
        <Field
          name="path"
          form="add"
          label={t.path}
          hint={t.pathHint}
          value={echo(fields, 'path')}
          problem={problem}
        />
        <Field
          name="who"
          form="add"
          label={t.who}
          hint={t.whoHint}
          value={echo(fields, 'who')}
          problem={problem}
          list={['group:user', 'group:guest', ...groups.map((name) => `group:${name}`)]}
        />
        <AccessField
          view={view}
          form="add"
          value={echo(fields, 'access') || 'read'}
          problem={problem}
        />
        <ConfirmFields view={view} form="add" problem={problem} />
        <button>{t.create}</button>
      </form>
    </article>
  )
}

function Check({ view, rules, asked, checked, checkProblem }: FoldersProps) {
  const t = view.t.folders
  const field = (name: 'user' | 'path', label: string) => ({
    name,
    form: 'check',
    label,
    value: asked[name],
    problem: checkProblem,
  })
  return (
    <article>
      <h2>{t.check}</h2>
      <form method="get" action={FOLDERS_PATH}>
        <Alert problem={checkProblem} fields={['user', 'path']} />
        <Field {...field('user', t.checkUser)} />
        <Field {...field('path', t.checkPath)} hint={t.checkPathHint} optional />
        <button class="secondary">{t.checkSubmit}</button>
      </form>
      {checked.length > 0 && (
        <ul>
          {checked.map((folder) => (
            <li>
              <code>{folder.path}</code>: {answerOf(view, folder, rules)}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

/** Says what a user may do at a folder, and why. */
function answerOf(
  view: View,
  { path, access, rule, reach }: CheckedFolder,
  rules: ListedRule[],
): Child {
  const t = view.t.folders
  const deciding = rules.find(({ id }) => id === rule)
  const isClosed = rules.some((each) => isAtOrBelow(path, each.path))
  const why =
    deciding !== undefined
      ? t.because(t.right(whoIn(view, deciding), t.decided[deciding.access]), deciding.path)
      : access === 'none' && isClosed
        ? t.becauseOthers
        : ''
  return <>{[t.answers[access], why, reach ? '' : t.outOfReach].filter(Boolean).join(' ')}</>
}
