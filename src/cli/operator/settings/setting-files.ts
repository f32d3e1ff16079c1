import type { Command } from 'commander'
import * as v from 'valibot'
import { listSettings, saveSettings } from '../../../settings/manage-settings.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { CommandError } from '../../shared/command-error.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { readAll } from '../../shared/standard-input.ts'
import { readSmallFile } from '../../shared/small-file.ts'
import { terminalJson } from '../../../base/text.ts'

/** A file of settings: an object of keys and text values. */
const fileSchema = v.record(v.string(), v.string())

/** `latchkey setting export` */
export function addExportCommand(program: Command, setting: Command): void {
  addHelp(setting.command('export'), {
    notes: 'Secrets are left out: setting set sso_client_secret --stdin sets one.',
    // -s: otherwise npm's own lines are in the file.
    examples: ['npm run -s latchkey -- setting export > settings.json'],
  })
    .description('prints the settings as JSON, for setting import')
    .option('--all', 'include settings with their default value')
    .action(({ all = false }: { all?: boolean }) =>
      onSite(program, async (site) => {
        const settings = await listSettings(site, COMMAND_LINE)
        const wanted = settings.filter(
          (one) => !one.isReadOnly && !one.isSecret && (all || one.isChanged),
        )
        const file = Object.fromEntries(wanted.map(({ key, value }) => [key, value]))
        console.log(terminalJson(file, 2))
      }),
    )
}

/** `latchkey setting import` */
export function addImportCommand(program: Command, setting: Command): void {
  addHelp(setting.command('import'), { examples: ['setting import settings.json'] })
    .argument('[file]', 'JSON from setting export; without it, the standard input is read')
    .description('sets the settings in a file, all or none of them; the others stay unchanged')
    .action((file: string | undefined) =>
      onSite(program, async (site, output) => {
        const values = parseFile(
          file === undefined ? await readAll(process.stdin) : readSmallFile(file),
        )
        const changed = await saveSettings(site, COMMAND_LINE, values)
        const done =
          changed.length === 0
            ? 'Nothing changed: every setting already has this value.'
            : `Set ${changed.join(', ')}.`
        output.done(done, { changed })
      }),
    )
}

function parseFile(json: string): Record<string, string> {
  const file = v.safeParse(fileSchema, parseJson(json))
  if (file.success) return file.output
  const at = v.getDotPath(file.issues[0])
  const what = at === null ? 'it must be an object' : `"${at}" must be a text in quotes`
  throw new CommandError(`This is not a file of settings: ${what}. Nothing was changed.`)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new CommandError('This is not a file of settings: it is not JSON. Nothing was changed.')
  }
}
