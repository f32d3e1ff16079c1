import { counted } from '../../web/kit/texts/counted.ts'
import type { Decided } from './decision.ts'
import type { Weakness } from './weak-rules.ts'

const someRights = counted('1 right in a folder', '# rights in folders')
const leaving = counted('1 user leaves', '# users leave')

/** The texts of groups and folders in English. */
export const groupsEn = {
  groups: {
    title: 'Groups',
    lead: 'Users who have the same rights in folders, and the same role in apps.',
    none: 'No groups',
    noneHint:
      'A group is a name for some users, such as “Family”. Create it, add its members, then give it rights in folders.',
    members: counted('1 member', '# members'),
    rules: someRights,
    add: 'New group',
    create: 'Create group',
    name: 'Name',
    nameHint: 'Apps and folders know the group by it.',
    newNameHint:
      'Apps and folders know the group by it. Three groups exist already: “user” is every user, “guest” visitors who are not signed in, “admin” the administrators.',
    note: 'Note',
    back: 'Groups',
    noMembers: 'No members',
    noMembersHint: 'Add the first user above, or select several in the list of users.',
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
    nameAndNoteLead: 'Apps and folders know the group by its name.',
    save: 'Save',
    delete: 'Delete the group',
    deleteQuestion: (members: number) =>
      `The group goes, and ${leaving(members)} it. Their accounts stay.`,
    deleteFirst: (rules: number) =>
      `The group has ${someRights(rules)}. It can be deleted once it has none.`,
    added: (when: string) => `Added ${when}`,
    addedBy: (name: string) => `by ${name}`,
    sources: {
      operator: 'by an administrator',
      command: 'on the command line',
      invitation: 'with an invitation',
      registration: 'with the registration',
      sso: 'from single sign-on',
      import: 'with an import',
    } as Record<string, string>,
  },
  folders: {
    title: 'Folders',
    lead: 'Who may see and change what. A right holds for everything in its folder.',
    andMore: (names: string, more: number) => `${names} and ${more} more`,
    noFilesTitle: 'No file server behind this site',
    noFilesHint:
      'Rights are given in folders of a file server such as OpenList. The guide docs/files.md says how to put this site in front of one.',
    away: 'The file server does not answer now. Rights that change are written to it as soon as it does.',
    openLinks:
      'The file server does not sign its links (sign_all is off). A file opens to everybody who knows its address, whatever the rights below say. Turn sign_all on at the file server.',
    refusedLinks:
      'The file server does not sign its links (sign_all is off), so this site refuses them, and nobody can open or download a file. Turn sign_all on at the file server.',
    secondPaths: (paths: string) =>
      `${paths}: the storage there shows files of other folders at a second path, where the rights below do not hold. Give rights there, too.`,
    foreign: 'Users that the file server lists itself',
    foreignHint:
      'The file server lists users of these folders (Metas), and this site has no rights for them: somebody has made the lists there, or the site was restored from an older backup. Until you make rights of them, users of the folder above can copy, move and share such a folder, and rights of the folders around it are not written.',
    adopt: 'Make rights of them',
    waiting: counted(
      '1 folder waits to be written to the file server',
      '# folders wait to be written to the file server',
    ),
    waitingHint:
      'It happens by itself every five minutes. Users whose rights change wait until it is done.',
    underWay: counted(
      'OpenList may still work on 1 request that began before a change of rights, and may reach what is closed since. Wait until it has ended, or restart OpenList.',
      'OpenList may still work on # requests that began before a change of rights, and may reach what is closed since. Wait until they have ended, or restart OpenList.',
    ),
    ending:
      'OpenList has not ended all tasks that were cancelled when rights were taken (Canceling in its list of tasks), or a share. Until then a task may write into a closed folder, and delete what stands at its target. Wait until this note is gone, or restart OpenList.',
    waits: 'Waits to be written',
    sync: 'Write now',
    again: 'Look again',
    none: 'No folder has rights of its own',
    noneHint: 'Every user sees all of the own base folder. Give the first right above.',
    decided: {
      open: 'What the account allows',
      none: 'No access',
      read: 'Look and download',
      write: 'Look and change',
    } satisfies Record<Decided, string>,
    notThere: 'The file server has no such folder, or its storage does not work.',
    weaknesses: {
      out_of_reach: (names: string) =>
        `The base folder hides it from ${names}. Give them another base folder, such as /.`,
      no_bits: (names: string) =>
        `${names} may change it by a right, but has no permission that changes files.`,
    } satisfies Record<Weakness, (names: string) => string>,
    allUsers: 'All users',
    guests: 'Visitors who are not signed in',
    guestDisabled: 'The guest is disabled, so they see nothing',
    group: (name: string) => `Group “${name}”`,
    deletedUser: (id: number) => `A deleted user (${id})`,
    nobody: 'Nobody (the folder stays closed to others)',
    others: {
      everybody: 'Everybody else',
      user: 'All other users',
      guest: 'Visitors who are not signed in',
    },
    from: (path: string) => `from ${path}`,
    change: 'Change',
    save: 'Save',
    remove: 'Remove this right',
    removeQuestion: (who: string, path: string) => `Remove the right of ${who} in ${path}?`,
    removeLast: (question: string) =>
      `${question} It is the last one there: the folder is then as open as the one above it.`,
    rightLabel: 'Right',
    add: 'Give a right',
    addHint:
      'The first right that lets somebody in closes the folder to everybody else. A right never gives more than the base folder and the permissions of the account.',
    path: 'Folder',
    pathHint: 'The full path at the file server, such as /nas/finance.',
    who: 'Who',
    oneUser: 'One user…',
    create: 'Give the right',
    check: 'What may a user see?',
    checkUser: 'User name',
    checkPath: 'Folder',
    checkPathHint: 'Without a folder, all folders of this page are checked.',
    checkSubmit: 'Check',
    admins: 'Administrators may do everything',
    because: (who: string, path: string) => `Decided at ${path}: ${who}`,
    becauseOthers: (name: string) => `Others have rights here, and ${name} is none of them`,
    becauseNone: 'No right is set here',
    otherSpelling: (path: string) => `It may be another spelling of ${path}, which has rules`,
    noAccess: 'But the account is disabled',
    noBits: 'But the account has no permission that changes files',
    way: 'Only the way to folders below',
    outOfReach: 'Out of reach',
    outOfReachHint: (name: string) => `The base folder of ${name} does not contain it`,
    move: 'Move a folder with its rights',
    moveHint:
      'Users can’t move or rename a folder in which rights are given. Here, the file server moves it, and its rights go along.',
    to: 'New path',
    moveSubmit: 'Move the folder',
    attention: 'A change of rights in folders is not finished',
    attentionHint:
      'Folders wait to be written to the file server, or it still works on what began before. It goes on by itself.',
  },
}

type Own = typeof groupsEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
