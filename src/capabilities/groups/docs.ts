import type { Operations } from '../../../scripts/openapi/operation.ts'
import {
  adoptedFolders,
  checkedFolder,
  folderRuleList,
  group,
  groupList,
  groupNames,
  madeFolderRule,
  madeGroup,
  memberList,
  nothing,
  waitingFolders,
  writtenFolders,
} from '../../../scripts/openapi/schemas.ts'

const CREATED = '2026-11-21T09:15:06.565+00:00'
const EDITORS = {
  id: 1,
  name: 'editors',
  note: '',
  members: 1,
  rules: 0,
  created_at: CREATED,
}
const given = 'the admin is signed in, there is a group'
const FRESH = 'Needs a fresh session.'
const notAdmin = { answer: { refusal: 'notAdmin' } } as const
const unknown = { given, query: { id: '9' }, answer: { refusal: 'groupNotFound' } } as const

export const ownGroupOperations: Operations = {
  'GET /api/me/groups': {
    summary: 'List the names of the user’s groups',
    description: 'The built-in group is first: `user`, or `admin` for admins.',
    schema: groupNames,
    guest: 'guestGroups',
    examples: { success: { answer: { data: { content: ['user'], total: 1 } } } },
  },
}

export const groupOperations: Operations = {
  'GET /api/admin/group/list': {
    summary: 'List the groups',
    description: 'By name. With `uid`, only those of this user.',
    schema: groupList,
    guest: 'notAdmin',
    examples: {
      success: { given, answer: { data: { content: [EDITORS], total: 1 } } },
      'not an admin': notAdmin,
      'an unknown user': { given, query: { uid: '99' }, answer: { refusal: 'userNotFound' } },
    },
  },
  'GET /api/admin/group/get': {
    summary: 'Get a group',
    schema: group,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '1' }, answer: { data: EDITORS } },
      'not an admin': { query: { id: '1' }, ...notAdmin },
      'an unknown group': unknown,
    },
  },
  'POST /api/admin/group/create': {
    summary: 'Create a group',
    description: `${FRESH} A name has 1 to 64 characters, none of \`, ; | " / \\\`, and no invisible ones, and is unique: case, width and form of letters do not count, nor whether a letter is Latin or looks like it. A site has at most 200 groups.`,
    schema: madeGroup,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { name: 'board', note: '' }, answer: { data: { id: 2 } } },
      'not an admin': { body: { name: 'board' }, ...notAdmin },
      'a session that is not fresh': {
        given: 'the admin signed in an hour ago',
        body: { name: 'board' },
        answer: { refusal: 'confirmationNeeded' },
      },
      'no name': { given, body: {}, answer: { refusal: 'groupNameMissing' } },
      'a long name': {
        given,
        body: { name: 'a name of more than sixty-four characters, which no list could show' },
        answer: { refusal: 'groupNameTooLong' },
      },
      'a comma in the name': {
        given,
        body: { name: 'board,editors' },
        answer: { refusal: 'groupNameCharacters' },
      },
      'a reserved name': {
        given,
        body: { name: 'users' },
        answer: { refusal: 'groupNameReserved' },
      },
      'a taken name': { given, body: { name: 'Editors' }, answer: { refusal: 'groupNameTaken' } },
      'a long note': {
        given,
        body: { name: 'board', note: 'long '.repeat(41) },
        answer: { refusal: 'groupNoteTooLong' },
      },
    },
  },
  'POST /api/admin/group/update': {
    summary: 'Change the name or the note of a group',
    description: `${FRESH} A missing field stays. Settings that name the group get the new name.`,
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { id: 1, name: 'writers' }, answer: { data: null } },
      'not an admin': { body: { id: 1, name: 'writers' }, ...notAdmin },
      'an unknown group': {
        given,
        body: { id: 9, name: 'writers' },
        answer: { refusal: 'groupNotFound' },
      },
    },
  },
  'POST /api/admin/group/delete': {
    summary: 'Delete a group',
    description: `${FRESH} Its members leave it, and the settings that name groups name it no more. A group that folder rules name is not deleted.`,
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { id: '1' }, answer: { data: null } },
      'not an admin': { query: { id: '1' }, ...notAdmin },
      'an unknown group': unknown,
      'a group with rules': {
        given: 'the admin is signed in, a group may write a folder',
        query: { id: '1' },
        answer: { refusal: 'groupHasRules' },
      },
    },
  },
  'GET /api/admin/group/member/list': {
    summary: 'List the members of a group',
    description: 'By name.',
    schema: memberList,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { id: '1' },
        answer: {
          data: {
            content: [{ id: 3, username: 'alice', added_at: CREATED, added_by: 'admin' }],
            total: 1,
          },
        },
      },
      'not an admin': { query: { id: '1' }, ...notAdmin },
      'an unknown group': unknown,
    },
  },
  'POST /api/admin/group/member/add': {
    summary: 'Add users to a group',
    description: `${FRESH} All of 1 to 500 users, or none. A user who is a member already is no error. The rights of the users in folders are written before the answer.`,
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { id: 1, users: [1, 3] }, answer: { data: null } },
      'not an admin': { body: { id: 1, users: [3] }, ...notAdmin },
      'no user': { given, body: { id: 1, users: [] }, answer: { refusal: 'membersMissing' } },
      'an unknown group': {
        given,
        body: { id: 9, users: [3] },
        answer: { refusal: 'groupNotFound' },
      },
      'an unknown user': {
        given,
        body: { id: 1, users: [3, 99] },
        answer: { refusal: 'userNotFound' },
      },
      'the guest as a member': {
        given,
        body: { id: 1, users: [2] },
        answer: { refusal: 'guestInNoGroup' },
      },
    },
  },
  'POST /api/admin/group/member/remove': {
    summary: 'Remove users from a group',
    description: `${FRESH} All of 1 to 500 users, or none. A user who is no member is no error. The rights of the users in folders are written before the answer.`,
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: { given, body: { id: 1, users: [3] }, answer: { data: null } },
      'not an admin': { body: { id: 1, users: [3] }, ...notAdmin },
      'an unknown user': {
        given,
        body: { id: 1, users: [99] },
        answer: { refusal: 'userNotFound' },
      },
    },
  },
}

const withRule = 'the admin is signed in, a group may write a folder'
const rule = { path: '/photos', group: 'editors', access: 'write' }
const WAITING =
  'The folders are written to the file server before the answer, at most 20 of them; `waiting` counts the others, which follow.'

export const folderRuleOperations: Operations = {
  'GET /api/admin/folder_rule/list': {
    summary: 'List the folder rules',
    description: 'By path. `username` is null when the user was deleted.',
    schema: folderRuleList,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        answer: {
          data: { content: [{ id: 1, ...rule, uid: null, username: null }], total: 1 },
        },
      },
      'not an admin': notAdmin,
      'an unknown group': {
        given: withRule,
        query: { group: 'board' },
        answer: { refusal: 'groupNotFound' },
      },
    },
  },
  'POST /api/admin/folder_rule/create': {
    summary: 'Give a group or a user a right in a folder',
    description: `${FRESH} The rule is for the folder and all below it; \`path\` is the full path, with the base path, and need not exist. \`group\` is the name of a group, \`user\` or \`guest\`. ${WAITING}`,
    schema: madeFolderRule,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        body: { path: '/photos', uid: 3, access: 'read' },
        answer: { data: { id: 2, waiting: 0, warnings: ['no_bits'] } },
      },
      'not an admin': { body: rule, ...notAdmin },
      'no file server': {
        given: 'the admin is signed in',
        body: rule,
        answer: { refusal: 'noFileServer' },
      },
      'no path': {
        given: withRule,
        body: { group: 'editors', access: 'read' },
        answer: { refusal: 'folderMissing' },
      },
      'a relative path': {
        given: withRule,
        body: { ...rule, path: 'photos' },
        answer: { refusal: 'folderInvalid' },
      },
      'neither group nor user': {
        given: withRule,
        body: { path: '/photos', access: 'read' },
        answer: { refusal: 'ruleNeedsWhose' },
      },
      'another access': {
        given: withRule,
        body: { ...rule, access: 'all' },
        answer: { refusal: 'accessInvalid' },
      },
      'an admin': {
        given: withRule,
        body: { path: '/photos', uid: 1, access: 'read' },
        answer: { refusal: 'adminsHaveEveryRight' },
      },
      'an unknown group': {
        given: withRule,
        body: { ...rule, group: 'board' },
        answer: { refusal: 'groupNotFound' },
      },
      'a rule that there is': {
        given: withRule,
        body: rule,
        answer: { refusal: 'folderRuleTaken' },
      },
    },
  },
  'POST /api/admin/folder_rule/update': {
    summary: 'Change the access of a folder rule',
    description: `${FRESH} ${WAITING}`,
    schema: waitingFolders,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        body: { id: 1, access: 'read' },
        answer: { data: { waiting: 0 } },
      },
      'not an admin': { body: { id: 1, access: 'read' }, ...notAdmin },
      'an unknown rule': {
        given: withRule,
        body: { id: 9, access: 'read' },
        answer: { refusal: 'folderRuleNotFound' },
      },
    },
  },
  'POST /api/admin/folder_rule/delete': {
    summary: 'Delete a folder rule',
    description: `${FRESH} ${WAITING}`,
    schema: waitingFolders,
    guest: 'notAdmin',
    examples: {
      success: { given: withRule, query: { id: '1' }, answer: { data: { waiting: 0 } } },
      'not an admin': { query: { id: '1' }, ...notAdmin },
      'an unknown rule': {
        given: withRule,
        query: { id: '9' },
        answer: { refusal: 'folderRuleNotFound' },
      },
    },
  },
  'GET /api/admin/folder_rule/check': {
    summary: 'Tell what a user may do in a folder',
    description:
      '`open`: no rule decides, so the permissions of the user do. `rule` names the rule for the user that decides; null when none does. `reach` is false where the base path of the user hides the folder. `other_spelling_of`: the folder with rules that decides, because a storage may take the path for another spelling of it.',
    schema: checkedFolder,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        query: { uid: '3', path: '/photos/2026' },
        answer: { data: { access: 'write', rule: 1, reach: true } },
      },
      'another spelling': {
        given: withRule,
        query: { uid: '2', path: '/Photos/2026' },
        answer: {
          data: { access: 'none', rule: null, reach: true, other_spelling_of: '/photos' },
        },
      },
      'not an admin': { query: { uid: '3', path: '/photos' }, ...notAdmin },
      'an unknown user': {
        given: withRule,
        query: { uid: '99', path: '/photos' },
        answer: { refusal: 'userNotFound' },
      },
    },
  },
  'POST /api/admin/folder_rule/adopt': {
    summary: 'Make rules of the users that the file server has of its own',
    description: `Of the lists of a folder and of those in it: one rule for everybody, and one for each user on them. \`rules\` counts them. A list of a file is refused with 409: rules are for folders. ${FRESH} ${WAITING}`,
    schema: adoptedFolders,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        body: { path: '/music' },
        answer: { data: { rules: 0, waiting: 0 } },
      },
      'not an admin': { body: { path: '/music' }, ...notAdmin },
      'no path': { given: withRule, body: {}, answer: { refusal: 'folderMissing' } },
      'no file server': {
        given: 'the admin is signed in',
        body: { path: '/music' },
        answer: { refusal: 'noFileServer' },
      },
    },
  },
  'POST /api/admin/folder_rule/move': {
    summary: 'Move a folder with its rules',
    description: `The rules are in force at the new place before the folder is there. The file server must be able to move it at once: not from one storage to another. It waits for requests under way, and is refused while a task goes into the folder. ${FRESH} ${WAITING}`,
    schema: waitingFolders,
    guest: 'notAdmin',
    examples: {
      success: {
        given: withRule,
        body: { path: '/photos', to: '/pictures' },
        answer: { data: { waiting: 0 } },
      },
      'not an admin': { body: { path: '/photos', to: '/pictures' }, ...notAdmin },
      'no target': {
        given: withRule,
        body: { path: '/photos' },
        answer: { refusal: 'folderTargetMissing' },
      },
      'a folder without rules': {
        given: withRule,
        body: { path: '/music', to: '/pictures' },
        answer: { refusal: 'folderRuleNotFound' },
      },
      'a place that is taken': {
        given: withRule,
        body: { path: '/photos', to: '/music' },
        answer: { refusal: 'folderNotMoved' },
      },
    },
  },
  'POST /api/admin/folder_rule/sync': {
    summary: 'Compare the rules with the file server, and write what differs',
    description: `\`folders\` have rules, \`written\` were written now. ${FRESH} ${WAITING}`,
    schema: writtenFolders,
    guest: 'notAdmin',
    examples: {
      success: { given: withRule, answer: { data: { folders: 1, written: 0, waiting: 0 } } },
      'not an admin': notAdmin,
      'no file server': {
        given: 'the admin is signed in',
        answer: { refusal: 'noFileServer' },
      },
    },
  },
}
