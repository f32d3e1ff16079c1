import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { SETTINGS } from '../definitions.ts'
import { listSettings, resetSettings, saveSettings, type Setting } from '../manage-settings.ts'
import { CommandError, UsageError } from '../../../programs/kit/command-error.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { nearest } from '../../../programs/kit/edit-distance.ts'
import { latchkey } from '../../../programs/kit/printed-command.ts'
import { readAll } from '../../../programs/kit/standard-input.ts'
import { onSite, sought } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'
import { settingsElsewhere } from './elsewhere.ts'
import { settingExport, settingImport } from './setting-files.ts'
import { whatIsClosed } from './what-is-closed.ts'

const COLUMNS = ['key', 'value', 'changed', 'help']
const KEYS = SETTINGS.map(({ key }) => key)
const SLACK = 4

const SETTING = sought(takes('<key>', 'as setting list shows it', '见 setting list'), findSetting)

const list = onSite({
  about: 'lists all settings',
  zh: '列出所有设置',
  takes: {
    changed: takes(
      '--changed',
      'only settings that differ from their defaults',
      '只列出与默认值不同的设置',
    ),
  },
  examples: ['setting list --changed'],
  async run(site, { changed }, { output }) {
    const all = (await listSettings(site, COMMAND_LINE)).map(settingRecord)
    const content = changed ? all.filter((setting) => setting.changed) : all
    output.list(COLUMNS, content, 'Every setting has its default value.')
  },
})

const get = onSite({
  about: 'prints the value of a setting',
  zh: '显示设置的值',
  takes: { setting: SETTING },
  examples: ['setting get site_title'],
  run: (_, { setting }, { output }) => output.done(setting.value, settingRecord(setting)),
})

const set = onSite({
  about: 'sets a setting to a value',
  zh: '修改设置',
  takes: {
    setting: SETTING,
    value: takes(
      '[value]',
      'the value; put -- before it when it starts with a hyphen',
      '值；以连字符开头时在前面加 --',
    ),
    stdin: takes('--stdin', 'read the value from the standard input', '从标准输入读取值'),
  },
  examples: [
    "setting set site_title 'My files'",
    'setting set announcement --stdin < announcement.md',
  ],
  before({ value, stdin }) {
    if (stdin === (value !== undefined))
      throw new UsageError('Give the value either as an argument or with --stdin.')
  },
  async run(site, { setting: { key }, value }, { output, ...options }) {
    const wanted = value ?? (await readAll(process.stdin)).replace(/\r?\n$/, '')
    const elsewhere = await settingsElsewhere(site, options)
    const changed = await saveSettings(site, COMMAND_LINE, { [key]: wanted }, elsewhere)
    const done =
      changed.length === 0 ? `Nothing changed: ${key} already has this value.` : `Set ${key}.`
    const closed = await whatIsClosed(site, changed)
    output.done(done + closed.sentence, { key, changed: changed.length > 0, ...closed.record })
  },
})

const reset = onSite({
  about: 'resets settings to their defaults',
  zh: '将设置恢复为默认值',
  takes: {
    settings: sought(
      takes('[keys...]', 'as setting list shows them', '见 setting list'),
      async (site, keys) => {
        for (const key of keys) await findSetting(site, key)
        return keys
      },
    ),
    all: takes('--all', 'all settings', '所有设置'),
  },
  examples: ['setting reset site_title main_color'],
  before({ settings, all }) {
    if (all === settings.length > 0) throw new UsageError('Name the settings, or use --all.')
  },
  async run(site, { settings, all }, { output, ...options }) {
    const elsewhere = await settingsElsewhere(site, options)
    const changed = await resetSettings(site, COMMAND_LINE, all ? KEYS : settings, elsewhere)
    const done =
      changed.length === 0
        ? 'Nothing changed: every setting already has its default value.'
        : `Reset ${changed.join(', ')}.`
    output.done(done, { changed })
  },
})

/** @throws {CommandError} For an unknown key; the message suggests a similar key. */
async function findSetting(site: Site, key: string): Promise<Setting> {
  const all = await listSettings(site, COMMAND_LINE)
  const found = all.find((setting) => setting.key === key)
  if (found !== undefined) return found
  const meant = nearest(
    key,
    all.map((setting) => setting.key),
    SLACK,
  )
  const hint =
    meant === undefined ? `${latchkey('setting', 'list')} shows all.` : `did you mean "${meant}"?`
  throw new CommandError(`There is no setting "${key}": ${hint}`)
}

/** Returns a setting for output; key, value, help, type and options are those of the API. */
function settingRecord({ key, value, help, type, options, group, ...setting }: Setting) {
  return {
    key,
    value,
    default: setting.default,
    changed: setting.isChanged,
    help,
    type,
    options: options.join(','),
    group,
    read_only: setting.isReadOnly,
  }
}

/** `latchkey setting …`: shows and changes the settings of the site. */
export const settingCommands = {
  list,
  get,
  set,
  reset,
  export: settingExport,
  import: settingImport,
}
