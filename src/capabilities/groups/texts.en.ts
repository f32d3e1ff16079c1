import { counted } from '../../web/kit/texts/counted.ts'
import type { Access, Decided } from './decision.ts'
import type { Weakness } from './weak-rules.ts'

const someRights = counted('1 right in a folder', '# rights in folders')
const leaving = counted('1 user leaves', '# users leave')

/** The texts of groups and folders in English. */
export const groupsEn = {
  groups: {
    title: 'Groups',
    lead: 'Users who have the same rights in folders, and the same role in apps.',
    none: 'No groups',
    noneHint: 'A group is a name for some users. Then give it rights in folders.',
    members: counted('1 member', '# members'),
    rules: someRights,
    builtIn:
      'Three groups exist by themselves: “user” has every user, “guest” the visitors who are not signed in, “admin” the administrators.',
    add: 'New group',
    create: 'Create the group',
    name: 'Name',
    nameHint: 'Apps and folders know the group by it.',
    note: 'Note',
    back: 'Groups',
    noMembers: 'No members',
    noMembersHint: 'Add users below.',
    join: 'Add a user',
    username: 'User name',
    joinSubmit: 'Add to the group',
    joinSelected: 'Add to a group',
    joinQuestion: 'They get the rights that the group has in folders, and its role in apps.',
    joinGroup: 'Group',
    joinGroupHint: 'Choose one of your groups, or type the name of a new one.',
    inNone: 'In no group.',
    seenBy: (name: string) => `What may ${name} see?`,
    remove: 'Remove',
    removeQuestion: (name: string) => `${name} loses the rights that only this group gives.`,
    folders: 'Folders of this group',
    noFolders: 'The group has no rights in folders yet.',
    toFolders: 'All folders',
    nameAndNote: 'Name and note',
    save: 'Save',
    delete: 'Delete the group',
    deleteQuestion: (members: number) =>
      `The group goes, and ${leaving(members)} it. Their accounts stay.`,
    deleteFirst: (rules: number) => `The group still has ${someRights(rules)}. Remove them first.`,
    addedBy: (name: string) => `added by ${name}`,
    sources: {
      operator: 'added by an administrator',
      command: 'added on the command line',
      invitation: 'came with an invitation',
      registration: 'came with the registration',
      sso: 'comes from single sign-on',
      import: 'came with an import',
    } as Record<string, string>,
  },
  folders: {
    title: 'Folders',
    lead: 'Who may see and change what. A right holds for a folder and everything in it.',
    noFiles: 'There is no file server behind this site, so there are no folders to give rights in.',
    openLinks:
      'The file server does not sign its links (sign_all is off). A file opens to everybody who knows its address, whatever the rights below say.',
    none: 'No folder has rights of its own',
    noneHint: 'Everybody may see what the own base folder has. Give the first right below.',
    decided: {
      open: 'as their own permissions say',
      none: 'no access',
      read: 'look and download',
      write: 'look, download and change',
    } satisfies Record<Decided, string>,
    right: (who: string, what: string) => `${who}: ${what}`,
    access: {
      none: 'No access',
      read: 'Look and download',
      write: 'Look, download and change',
    } satisfies Record<Access, string>,
    allUsers: 'All users',
    guests: 'Visitors who are not signed in',
    group: (name: string) => `Group “${name}”`,
    deletedUser: (id: number) => `A deleted user (${id})`,
    otherUsers: 'Other users',
    admins: 'Administrators: everything.',
    change: 'Change',
    save: 'Save',
    remove: 'Remove',
    removeQuestion: (who: string, path: string) =>
      `${who} then has the right that is left for ${path}.`,
    rightLabel: 'Right',
    add: 'Give a right',
    path: 'Folder',
    pathHint: 'The full path at the file server, such as /nas/finance.',
    who: 'Who',
    whoHint: 'group:NAME or user:NAME. group:user is every user, group:guest the visitors.',
    create: 'Give the right',
    check: 'What may a user see?',
    checkUser: 'User name',
    checkPath: 'Folder',
    checkPathHint: 'Leave it empty for all folders of this page.',
    checkSubmit: 'Look',
    answers: {
      open: 'no right decides here, so the permissions of the user do.',
      none: 'no access.',
      read: 'may look and download.',
      write: 'may look, download and change, as far as the permissions of the user go.',
    } satisfies Record<Decided, string>,
    because: (rule: string, path: string) => `The right at ${path} decides: ${rule}.`,
    becauseOthers: 'Others have rights here, and the user is none of them.',
    outOfReach: 'The base folder of the user does not contain it, so the user never gets there.',
    weak: 'Rights that do less than they say',
    weaknesses: {
      out_of_reach: (name: string) => `the base folder of ${name} does not contain it`,
      no_bits: (name: string) => `${name} may change it, but has no permission that changes files`,
    } satisfies Record<Weakness, (name: string) => string>,
  },
}

type Own = typeof groupsEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
