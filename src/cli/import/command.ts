import type { Command } from 'commander'
import type { KeyRing } from '../../crypto/key-ring.ts'
import { onSite } from '../operator/on-site.ts'
import type { Site } from '../site.ts'
import { type Plan, planImport } from './plan.ts'
import { startProgress } from './progress.ts'
import { makeReport, type Report, reportText } from './report.ts'
import { readSource, type Source } from './source.ts'
import { selectSiteState } from './store.ts'
import { type Written, writePlan } from './write.ts'

const HELP = `
Imports users with ids, roles, permissions, base paths, passwords, 2FA and SSH keys, and the public
settings. Users who exist here stay unchanged, so a second run does no harm. The exit code is 1 when
something was refused; everything else is then imported.

Example:
  latchkey import data.db --dry-run`

/** `latchkey import`: imports a site from OpenList or AList. */
export function addImportCommand(program: Command, command: Command): void {
  command
    .argument('<file>', 'data.db, or a file saved by Backup & Restore of the web client')
    .option('--dry-run', 'only show what would happen', false)
    .addHelpText('after', HELP)
    .action(async (file: string, { dryRun }: { dryRun: boolean }) => {
      const source = await readSource(file)
      await onSite(program, async (site, output) => {
        const report = await importSource(site, source, dryRun)
        output.report(reportText(report), report)
        if (report.refused.length > 0) process.exitCode = 1
      })
    })
}

async function importSource(site: Site, source: Source, isDryRun: boolean): Promise<Report> {
  const now = site.now()
  const plan = planImport(source, await selectSiteState(site.db, now), now)
  // Before writing, and in a dry run too: without a secret, no seed can be sealed.
  const ring = await site.keyRing()
  const { imported, refused } = isDryRun ? predict(plan) : await carryOut(site, ring, plan, now)
  return makeReport(source.kind, isDryRun, plan, {
    imported,
    refused: [...plan.refused, ...refused],
  })
}

async function carryOut(site: Site, ring: KeyRing, plan: Plan, now: number): Promise<Written> {
  const progress = startProgress(plan.accounts.length)
  try {
    return await writePlan(site, ring, plan, now, progress.advance)
  } finally {
    progress.stop()
  }
}

function predict({ accounts, settings }: Plan): Written {
  const imported = {
    users: accounts.length,
    keys: accounts.reduce((sum, { keys }) => sum + keys.length, 0),
    settings: Object.keys(settings).length,
  }
  return { imported, refused: [] }
}
