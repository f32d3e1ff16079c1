import * as v from 'valibot'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { terminalJson } from '../../../core/base/text.ts'
import { listSettings, saveSettings } from '../manage-settings.ts'
import { CommandError } from '../../../programs/kit/command-error.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { readSmallFile } from '../../../programs/kit/small-file.ts'
import { readAll } from '../../../programs/kit/standard-input.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import { settingsElsewhere } from './elsewhere.ts'
import { whatIsClosed } from './what-is-closed.ts'

/** A file of settings: an object of keys and text values. */
const fileSchema = v.record(v.string(), v.string())

/** `latchkey setting export` */
export const settingExport = onSite({
  about: 'prints the settings as JSON, for setting import',
  zh: '以 JSON 输出设置，供 setting import 使用',
  takes: {
    all: takes('--all', 'include settings with their default value', '包括取默认值的设置'),
  },
  notes: [
    'Secrets are left out: setting set sso_client_secret --stdin sets one.',
    '不包含密钥：用 setting set sso_client_secret --stdin 设置。',
  ],
  // -s: otherwise npm's own lines are in the file.
  examples: ['npm run -s latchkey -- setting export > settings.json'],
  async run(site, { all }) {
    const wanted = (await listSettings(site, COMMAND_LINE)).filter(
      (setting) => !setting.isReadOnly && !setting.isSecret && (all || setting.isChanged),
    )
    const file = Object.fromEntries(wanted.map(({ key, value }) => [key, value]))
    console.log(terminalJson(file, 2))
  },
})

/** `latchkey setting import` */
export const settingImport = onSite({
  about: 'sets the settings in a file, all or none of them; the others stay unchanged',
  zh: '应用文件中的设置，全部成功或全部不变；其余设置不变',
  takes: {
    file: takes(
      '[file]',
      'JSON from setting export; without it, the standard input is read',
      'setting export 输出的 JSON；省略时读取标准输入',
    ),
  },
  examples: ['setting import settings.json'],
  async run(site, { file }, { output, ...options }) {
    const text = file === undefined ? await readAll(process.stdin) : readSmallFile(file)
    const elsewhere = await settingsElsewhere(site, options)
    const changed = await saveSettings(site, COMMAND_LINE, parseFile(text), elsewhere)
    const done =
      changed.length === 0
        ? 'Nothing changed: every setting already has this value.'
        : `Set ${changed.join(', ')}.`
    const closed = await whatIsClosed(site, changed)
    output.done(done + closed.sentence, { changed, ...closed.record })
  },
})

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
