import { type Command, InvalidArgumentError } from 'commander'
import { rebuildCopy } from '../../../settings/store.ts'
import { judgeSite } from './doctor-checks.ts'
import { UsageError } from '../../shared/command-error.ts'
import type { GlobalOptions } from '../../shared/global-options.ts'
import { addHelp } from '../../shared/help.ts'
import { gatherFacts } from './doctor-facts.ts'
import { openSite } from '../../site/on-site.ts'
import { runWrangler } from '../../site/wrangler.ts'
import { showFindings } from '../../shared/findings.ts'

/** `latchkey doctor`: checks a site, and says how to fix what is wrong. */
export function addDoctorCommand(program: Command, doctor: Command): void {
  addHelp(doctor, {
    notes: 'The exit code is 1 when a check fails; a warning alone gives 0.',
    examples: ['doctor', 'doctor --fix', 'doctor --remote'],
  })
    .option('--fix', 'rebuilds the KV copy of the settings when it differs')
    .option(
      '--url <address>',
      'the address of the deployed site, for the check of plain http',
      parseHost,
    )
    .action((options: DoctorOptions) => examine(program.opts<GlobalOptions>(), options))
}

interface DoctorOptions {
  fix?: boolean
  /** The host of `--url`. */
  url?: string
}

function parseHost(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.host
  throw new InvalidArgumentError('It must be an address, as in https://accounts.example.org.')
}

async function examine({ remote, json }: GlobalOptions, { fix = false, url }: DoctorOptions) {
  if (url !== undefined && !remote) throw new UsageError('--url needs --remote.')
  const findings = await openSite({ remote }, async (site) => {
    const facts = await gatherFacts(site, remote, runWrangler, url)
    if (!fix || facts.data?.copy !== 'different') return judgeSite(facts)
    await rebuildCopy(site)
    return judgeSite({ ...facts, data: { ...facts.data, copy: 'equal' } })
  })
  showFindings(findings, json)
}
