import type { Command } from 'commander'
import { say, type Text } from './help.ts'

/** The options of every command. */
export interface GlobalOptions {
  remote: boolean
  json: boolean
}

/** The forms of the global options. */
const GLOBAL_OPTIONS: readonly { form: `--${keyof GlobalOptions}`; about: Text }[] = [
  {
    form: '--remote',
    about: [
      'work on the deployed site, through remote bindings',
      '操作已部署的站点（通过远程绑定）',
    ],
  },
  { form: '--json', about: ['print JSON, for programs', '输出 JSON，供程序使用'] },
]

export function addGlobalOptions(program: Command): void {
  for (const { form, about } of GLOBAL_OPTIONS) program.option(form, say(about), false)
}
