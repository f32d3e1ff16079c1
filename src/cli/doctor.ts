import type { Command } from 'commander'
import { rebuildCopy } from '../settings/store.ts'
import { judgeSite } from './doctor-checks.ts'
import { type Finding, gatherFacts } from './doctor-facts.ts'
import { type SiteOptions, withSite } from './site.ts'
import { runWrangler } from './wrangler.ts'

const EXAMPLES = `
Exits with 1 when something fails, with 0 for warnings.

Example:
  latchkey doctor --remote`

interface DoctorOptions extends SiteOptions {
  fix?: boolean
  json?: boolean
}

/** `latchkey doctor`: is the site well, and what mends it. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Looks at everything a site needs; one line each, with what mends it.')
    .option('--fix', 'makes the KV copy of the settings anew, should it differ')
    .option('--json', 'prints the findings as JSON')
    .addHelpText('after', EXAMPLES)
    .action((_, command: Command) => examine(command.optsWithGlobals<DoctorOptions>()))
}

async function examine({ remote = false, fix = false, json = false }: DoctorOptions) {
  const findings = await withSite({ remote }, async (site) => {
    const facts = await gatherFacts(site, remote, runWrangler)
    if (!fix || facts.data?.copy !== 'different') return judgeSite(facts)
    await rebuildCopy(site)
    return judgeSite({ ...facts, data: { ...facts.data, copy: 'equal' } })
  })
  console.log(json ? JSON.stringify({ findings }, undefined, 2) : render(findings))
  if (findings.some(({ status }) => status === 'fail')) process.exitCode = 1
}

function render(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, status, text, fix }) => {
      const remedy = fix === undefined ? '' : `\n${' '.repeat(width + 8)}→ ${fix}`
      return `${status.padEnd(4)}  ${check.padEnd(width)}  ${text}${remedy}`
    })
    .join('\n')
}
