import type { Command } from 'commander'
import {
  listSettings,
  resetSettings,
  saveSettings,
  type Setting,
} from '../../../settings/manage-settings.ts'
import { SETTINGS } from '../../../settings/definitions.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { CommandError, UsageError } from '../../shared/command-error.ts'
import { addHelp } from '../../shared/help.ts'
import { nearest } from '../../shared/edit-distance.ts'
import { onSite } from '../../site/on-site.ts'
import { addExportCommand, addImportCommand } from './setting-files.ts'
import type { Site } from '../../site/site.ts'
import { readAll } from '../../shared/standard-input.ts'
import { latchkey } from '../../shared/printed-command.ts'

const COLUMNS = ['key', 'value', 'changed', 'help']
const SLACK = 4

/** `latchkey setting …`: shows and changes the settings of the site. */
export function addSettingCommands(program: Command, setting: Command): void {
  addListCommand(program, setting)
  addGetCommand(program, setting)
  addSetCommand(program, setting)
  addResetCommand(program, setting)
  addExportCommand(program, setting)
  addImportCommand(program, setting)
}

function addListCommand(program: Command, setting: Command): void {
  addHelp(setting.command('list'), { examples: ['setting list --changed'] })
    .description('lists all settings')
    .option('--changed', 'only settings that differ from their defaults')
    .action(({ changed = false }: { changed?: boolean }) =>
      onSite(program, async (site, output) => {
        const all = (await listSettings(site, COMMAND_LINE)).map(settingRecord)
        const content = changed ? all.filter((one) => one.changed) : all
        output.list(
          COLUMNS,
          { content, total: content.length },
          'Every setting has its default value.',
        )
      }),
    )
}

function addGetCommand(program: Command, setting: Command): void {
  addHelp(setting.command('get'), { examples: ['setting get site_title'] })
    .argument('<key>', 'as setting list shows it')
    .description('prints the value of a setting')
    .action((key: string) =>
      onSite(program, async (site, output) => {
        const found = await findSetting(site, key)
        output.done(found.value, settingRecord(found))
      }),
    )
}

function addSetCommand(program: Command, setting: Command): void {
  addHelp(setting.command('set'), {
    examples: [
      "setting set site_title 'My files'",
      'setting set announcement --stdin < announcement.md',
    ],
  })
    .argument('<key>', 'as setting list shows it')
    .argument('[value]', 'the value; put -- before it when it starts with a hyphen')
    .description('sets a setting to a value')
    .option('--stdin', 'read the value from the standard input')
    .action((key: string, value: string | undefined, { stdin = false }: { stdin?: boolean }) => {
      if (stdin === (value !== undefined)) {
        throw new UsageError('Give the value either as an argument or with --stdin.')
      }
      return onSite(program, async (site, output) => {
        const found = await findSetting(site, key)
        const wanted = value ?? (await readAll(process.stdin)).replace(/\r?\n$/, '')
        const changed = await saveSettings(site, COMMAND_LINE, { [found.key]: wanted })
        const done =
          changed.length === 0
            ? `Nothing changed: ${found.key} already has this value.`
            : `Set ${found.key}.`
        output.done(done, { key: found.key, changed: changed.length > 0 })
      })
    })
}

function addResetCommand(program: Command, setting: Command): void {
  addHelp(setting.command('reset'), { examples: ['setting reset site_title main_color'] })
    .argument('[keys...]', 'as setting list shows them')
    .description('resets settings to their defaults')
    .option('--all', 'all settings')
    .action((keys: string[], { all = false }: { all?: boolean }) => {
      if (all === keys.length > 0) throw new UsageError('Name the settings, or use --all.')
      return onSite(program, async (site, output) => {
        for (const key of keys) await findSetting(site, key)
        const every = SETTINGS.map(({ key }) => key)
        const changed = await resetSettings(site, COMMAND_LINE, all ? every : keys)
        const done =
          changed.length === 0
            ? 'Nothing changed: every setting already has its default value.'
            : `Reset ${changed.join(', ')}.`
        output.done(done, { changed })
      })
    })
}

/** @throws {CommandError} For an unknown key; the message suggests a similar key. */
async function findSetting(site: Site, key: string): Promise<Setting> {
  const all = await listSettings(site, COMMAND_LINE)
  const found = all.find((one) => one.key === key)
  if (found !== undefined) return found
  const meant = nearest(
    key,
    all.map((one) => one.key),
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
