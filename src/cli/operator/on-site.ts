import type { Command } from 'commander'
import type { GlobalOptions } from '../global-options.ts'
import { jsonOutput, type Output, textOutput } from './output.ts'
import { type Site, withSite } from '../site.ts'

/** Runs a command on the site that the global options choose. */
export function onSite(
  program: Command,
  run: (site: Site, output: Output) => Promise<void>,
): Promise<void> {
  const { remote, json } = program.opts<GlobalOptions>()
  return withSite({ remote }, (site) => run(site, json ? jsonOutput : textOutput))
}
