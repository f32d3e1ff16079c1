import type { Operations } from '../../../../scripts/openapi/operation.ts'
import {
  health,
  nothing,
  settingList,
  settingOrSettings,
} from '../../../../scripts/openapi/schemas.ts'

const given = 'the admin is signed in'

const AUTO_UPDATE_INDEX = {
  key: 'auto_update_index',
  value: 'false',
  help: 'Tells clients that the file server updates its search index.',
  type: 'bool',
  options: '',
  group: 6,
  flag: 0,
  index: 25,
}
const SEARCH_INDEX = {
  key: 'search_index',
  value: 'none',
  help: 'Search index of the file server; none hides the search.',
  type: 'select',
  options: 'database,database_non_full_text,bleve,meilisearch,none',
  group: 6,
  flag: 0,
  index: 24,
}

/** Settings and health of the site. */
export const siteOperations: Operations = {
  'GET /api/admin/setting/list': {
    summary: 'List all settings, or the settings of some groups',
    schema: settingList,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { group: '6' },
        answer: { data: [SEARCH_INDEX, AUTO_UPDATE_INDEX] },
      },
      'not an admin': { answer: { refusal: 'notAdmin' } },
      'a group that is not a number': {
        given,
        query: { group: 'site' },
        answer: { refusal: 'invalidBody', fill: 'group must be an integer' },
      },
    },
  },
  'GET /api/admin/setting/get': {
    summary: 'Get one setting by `key`, or several by `keys`',
    schema: settingOrSettings,
    guest: 'notAdmin',
    examples: {
      success: { given, query: { key: 'auto_update_index' }, answer: { data: AUTO_UPDATE_INDEX } },
      several: {
        given,
        query: { keys: 'search_index,auto_update_index' },
        answer: { data: [SEARCH_INDEX, AUTO_UPDATE_INDEX] },
      },
      'not an admin': { query: { key: 'logo' }, answer: { refusal: 'notAdmin' } },
      'an unknown setting': {
        given,
        query: { key: 'made_up' },
        answer: { refusal: 'invalidBody', fill: '"made_up" is not a setting' },
      },
    },
  },
  'POST /api/admin/setting/save': {
    summary: 'Save settings, all or none',
    description:
      'The instance of the Worker that saves the settings serves them immediately, all others within a minute. Only `key` and `value` of each item are read. A value that gives access needs a fresh session. With a file server, the look (`site_title`, `logo`, `favicon`, `main_color`, `announcement`) is written there too, and needs one as well; settings of lists, search, previews and robots are its own: saved there, or refused at the accounts’ host where the files have another.',
    schema: nothing,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        body: [{ key: 'main_color', value: '#0a7' }],
        answer: { data: null },
      },
      'not an admin': {
        body: [{ key: 'main_color', value: '#0a7' }],
        answer: { refusal: 'notAdmin' },
      },
      'a bad value': {
        given,
        body: [{ key: 'allow_indexed', value: 'maybe' }],
        answer: { refusal: 'invalidBody', fill: 'allow_indexed must be true or false' },
      },
    },
  },
  'POST /api/admin/setting/default': {
    summary: 'List the default values of settings',
    description: 'Changes nothing.',
    schema: settingList,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        query: { group: '6' },
        answer: { data: [SEARCH_INDEX, AUTO_UPDATE_INDEX] },
      },
      'not an admin': { answer: { refusal: 'notAdmin' } },
    },
  },
  'GET /api/admin/health': {
    summary: 'Check the parts that the service depends on',
    description:
      'A part that fails has `ok: false`. The reason is in the log. `files` is there while a file server is.',
    schema: health,
    guest: 'notAdmin',
    examples: {
      success: {
        given,
        answer: {
          data: {
            d1: { ok: true, milliseconds: 1 },
            kv: { ok: true, milliseconds: 1 },
            hasher: { ok: true, milliseconds: 1 },
            migrations: { ok: true, milliseconds: 1 },
          },
        },
      },
      'not an admin': { answer: { refusal: 'notAdmin' } },
    },
  },
}
