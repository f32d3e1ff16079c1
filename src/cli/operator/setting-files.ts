import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import * as v from 'valibot'
import { listSettings, saveSettings } from '../../settings/manage-settings.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { codeOf, CommandError } from '../command-error.ts'
import { onSite } from './on-site.ts'
import { readAll } from '../standard-input.ts'

/** A file of settings: their keys, and values that are texts. */
const fileSchema = v.record(v.string(), v.string())

/** `latchkey setting export` */
export function addExportCommand(program: Command, setting: Command): void {
  setting
    .command('export')
    .description('prints the settings as JSON that setting import takes')
    .option('--all', 'those at their defaults as well')
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
    .argument('[file]', 'JSON as from setting export; without it, the standard input is read')
    .description('sets what a file names, all of it or nothing; the rest stays')
    .addHelpText('after', '\nExample:\n  latchkey setting import settings.json')
    .action((file: string | undefined) =>
      onSite(program, async (site, output) => {
        const values = parseFile(file === undefined ? await readAll(process.stdin) : readText(file))
        const changed = await saveSettings(site, COMMAND_LINE, values)
        const what = changed.length === 0 ? 'nothing, all were so already' : changed.join(', ')
        output.done(`Set ${what}.`, { changed })
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
  throw new CommandError(`These are no settings: ${what}. Nothing was changed.`)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new CommandError('These are no settings: it is not JSON. Nothing was changed.')
  }
}
