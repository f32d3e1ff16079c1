import type { Problem, ShownRefused } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'
import type { CheckedFolder } from '../../check.ts'
import type { FoldersThere } from '../../folders-there.ts'
import type { ListedRule } from '../../rule-store.ts'
import type { WeakRule } from '../../weak-rules.ts'

export const FOLDERS_PATH = '/account/admin/folders'

/** Returns the address of what a user may do in the folders with rules. */
export function foldersOfUser(username: string): string {
  return `${FOLDERS_PATH}?${String(new URLSearchParams({ user: username }))}#check`
}

/** Returns the address of the form that gives a group a right. */
export function newRightOf(group: string): string {
  return `${FOLDERS_PATH}?${String(new URLSearchParams({ who: `group:${group}` }))}#add`
}

/** Returns the address of a right among those of all folders. */
export function placeOfRule(id: number): string {
  return `${FOLDERS_PATH}#rule-${id}`
}

export type FolderForm = 'add' | 'change' | 'sync' | 'adopt' | 'move'

/** The question what a user may do, and its answer. */
export interface CheckProps {
  view: View
  rules: ListedRule[]
  asked: { path: string; user: string }
  checked: CheckedFolder[]
  checkProblem: Problem | undefined
}

/** The page of folders. */
export interface FoldersProps extends CheckProps {
  /** The names of the groups. */
  groups: string[]
  weak: WeakRule[]
  /** Whether the guest is enabled. */
  hasGuest: boolean
  hasFiles: boolean
  /** Links without a signature are passed on, so files open to everybody who knows their paths. */
  hasOpenLinks: boolean
  /** `undefined` while the file server does not answer. */
  there: FoldersThere | undefined
  /** For whom the form for a new right is filled in. */
  newFor: string
  refused?: ShownRefused<FolderForm> | undefined
}
