import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import * as v from 'valibot'
import { listSettings, saveSettings } from '../../settings/manage-settings.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { codeOf, CommandError } from '../command-error.ts'
import { onSite } from './on-site.ts'
import { readAll } from '../standard-input.ts'

/** A file of settings: an object of keys and text values. */
const fileSchema = v.record(v.string(), v.string())

/** `latchkey setting export` */
export function addExportCommand(program: Command, setting: Command): void {
  setting
    .command('export')
    .description('prints the settings as JSON, for setting import')
    .option('--all', 'include settings with their default value')
    .addHelpText('after', '\nExample:\n  npm run -s latchkey -- setting export > settings.json')
    .action(({ all = false }: { all?: boolean }) =>
      onSite(program, async (site) => {
        const settings = await listSettings(site, COMMAND_LINE)
        const wanted = settings.filter(
          (one) => !one.isReadOnly && (all || one.value !== one.default),
        )
        const file = Object.fromEntries(wanted.map(({ key, value }) => [key, value]))
        console.log(JSON.stringify(file, undefined, 2))
      }),
    )
}

/** `latchkey setting import` */
export function addImportCommand(program: Command, setting: Command): void {
  setting
    .command('import')
    .argument('[file]', 'JSON from setting export; without it, the standard input is read')
    .description('sets the settings in a file, all or none of them; the others stay unchanged')
    .addHelpText('after', '\nExample:\n  latchkey setting import settings.json')
    .action((file: string | undefined) =>
      onSite(program, async (site, output) => {
        const values = parseFile(file === undefined ? await readAll(process.stdin) : readText(file))
        const changed = await saveSettings(site, COMMAND_LINE, values)
        const done =
          changed.length === 0
            ? 'Nothing changed: every setting already has this value.'
            : `Set ${changed.join(', ')}.`
        output.done(done, { changed })
      }),
    )
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`Can't read ${file} (${codeOf(error)}): name a file that you may read.`)
  }
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
