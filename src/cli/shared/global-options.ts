import type { Command } from 'commander'

/** The options of every command. */
export interface GlobalOptions {
  remote: boolean
  json: boolean
}

export function addGlobalOptions(program: Command): void {
  program
    .option('--remote', 'work on the deployed site, through remote bindings', false)
    .option('--json', 'print JSON, for programs', false)
}
