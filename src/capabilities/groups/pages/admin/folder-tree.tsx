import type { Child } from 'hono/jsx'
import { Avatar } from '../../../../web/kit/avatar.tsx'
import { Change, CONFIRM_FIELDS, ConfirmFields } from '../../../../web/kit/confirm.tsx'
import { Alert, Confirm } from '../../../../web/kit/fields.tsx'
import { problemIn } from '../../../../web/kit/form.ts'
import { Icon } from '../../../../web/kit/icons.tsx'
import { Named } from '../../../../web/kit/named.tsx'
import { Breakable } from '../../../../web/kit/parts.tsx'
import type { View } from '../../../../web/kit/view.ts'
import type { Decided } from '../../decision.ts'
import type { ListedRule } from '../../rule-store.ts'
import type { Folder, Other } from '../../tree.ts'
import { FOLDERS_PATH, type FoldersProps } from './folder-props.ts'
import { AccessBadge, AccessField, whoIn } from './right-parts.tsx'

interface TreeProps extends FoldersProps {
  folders: Folder[]
}

/** The folders with rules, each with who may do what. */
export function Tree({ folders, ...props }: TreeProps) {
  return (
    <ul class="tree">
      {folders.map((folder) => (
        <li>
          <h2>
            <Icon name="folders" /> <code>{folder.path}</code>
            {props.there?.waiting.includes(folder.path) === true && (
              <span class="badge warn">{props.view.t.folders.waits}</span>
            )}
          </h2>
          <Warnings {...props} path={folder.path} />
          <ul class="rights">
            {folder.rules.map((rule) => (
              <RuleRow {...props} rule={rule} isLast={folder.rules.length === 1} />
            ))}
            {folder.others.map((other) => (
              <OtherRow {...props} other={other} path={folder.path} />
            ))}
          </ul>
          {folder.below.length > 0 && <Tree {...props} folders={folder.below} />}
        </li>
      ))}
    </ul>
  )
}

/** More users are not named. */
const NAMED_USERS = 5

/** Says why the rules of a folder do less than they say. */
function Warnings({ view, there, weak, path }: FoldersProps & { path: string }) {
  const t = view.t.folders
  const namesOf = (weakness: 'out_of_reach' | 'no_bits') => {
    const names = weak
      .filter((one) => one.path === path && one.weakness === weakness)
      .map(({ username }) => username)
    const more = names.length - NAMED_USERS
    const shown = names.slice(0, NAMED_USERS).join(view.t.listSeparator)
    return more > 0 ? t.andMore(shown, more) : shown
  }
  const [hidden, powerless] = [namesOf('out_of_reach'), namesOf('no_bits')]
  const said = [
    there?.missing.includes(path) === true && t.notThere,
    hidden !== '' && t.weaknesses.out_of_reach(hidden),
    powerless !== '' && t.weaknesses.no_bits(powerless),
  ].filter((text) => text !== false)
  return (
    <>
      {said.map((text) => (
        <p class="note">{text}</p>
      ))}
    </>
  )
}

interface RuleRowProps extends FoldersProps {
  rule: ListedRule
  /** Whether no other rule decides at its folder. */
  isLast: boolean
}

function RuleRow({ rule, isLast, ...props }: RuleRowProps) {
  const { view, refused, hasFiles } = props
  const t = view.t.folders
  const refusal = problemIn(refused, 'change', { rule: String(rule.id) })
  const isRemoval = refused?.fields['delete'] !== undefined
  const problem = isRemoval ? undefined : refusal
  const form = `rule-${rule.id}`
  const who = whoIn(view, rule)
  const named = `${who} · ${rule.path}`
  const question = t.removeQuestion(who, rule.path)
  return (
    <li id={form}>
      <Right view={view} who={<Who {...props} rule={rule} />} access={rule.access} />
      {hasFiles && (
        <Confirm label={t.change} cancel={view.t.cancel} question="" open={refusal !== undefined}>
          <form method="post" action={`${FOLDERS_PATH}/change`}>
            <Alert problem={problem} fields={['access', ...CONFIRM_FIELDS]} />
            <input type="hidden" name="rule" value={String(rule.id)} />
            <Named name={named} />
            <AccessField view={view} form={form} value={rule.access} problem={problem} />
            <ConfirmFields view={view} form={form} problem={problem} />
            <p class="buttons">
              <button>{t.save}</button>
            </p>
          </form>
          <Change
            view={view}
            label={t.remove}
            question={isLast ? t.removeLast(question) : question}
            action={`${FOLDERS_PATH}/change`}
            values={{ rule: rule.id, delete: 'true' }}
            named={named}
            submit={t.remove}
            problem={isRemoval ? refusal : undefined}
            confirmedAs={`${form}-remove`}
          />
        </Confirm>
      )}
    </li>
  )
}

/** Those without a rule at the folder, and what decides for them. */
function OtherRow({ view, hasGuest, other, path }: FoldersProps & { other: Other; path: string }) {
  const t = view.t.folders
  const { who, access, from } = other
  return (
    <li class="other">
      <Right
        view={view}
        who={
          <span>
            {typeof who === 'string' ? t.others[who] : whoIn(view, who)}
            {from !== undefined && from !== path && <small>{t.from(from)}</small>}
            {who === 'guest' && !hasGuest && <small>{t.guestDisabled}</small>}
          </span>
        }
        access={access}
      />
    </li>
  )
}

function Right({ view, who, access }: { view: View; who: Child; access: Decided }) {
  return (
    <div>
      {who}
      <AccessBadge view={view} access={access} />
    </div>
  )
}

function Who({ view, hasGuest, rule }: FoldersProps & { rule: ListedRule }): Child {
  const { group, username } = rule
  return (
    <span class="who">
      {username === null ? <Icon name="groups" /> : <Avatar name={username} />}
      <span>
        <Breakable text={whoIn(view, rule)} />
        {group === 'guest' && !hasGuest && <small>{view.t.folders.guestDisabled}</small>}
      </span>
    </span>
  )
}
