import type { Command } from 'commander'
import type { GlobalOptions } from '../shared/global-options.ts'
import { startWaiting } from '../shared/waiting.ts'
import { jsonOutput, type Output, textOutput } from '../shared/output.ts'
import { type Site, type SiteOptions, withSite } from './site.ts'

/** Runs a command on the site that the global options choose. */
export function onSite(
  program: Command,
  run: (site: Site, output: Output) => Promise<void>,
): Promise<void> {
  const { remote, json } = program.opts<GlobalOptions>()
  return openSite({ remote }, (site) => run(site, json ? jsonOutput : textOutput))
}

/** Works like `withSite`, and shows that the program waits for the site. */
export async function openSite<Result>(
  options: SiteOptions,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  const stop = startWaiting(
    options.remote === true ? 'Connecting to the deployed site' : 'Opening the site',
  )
  try {
    return await withSite(options, (site) => {
      stop()
      return use(site)
    })
  } finally {
    stop()
  }
}
