import { InvalidArgumentError } from 'commander'
import { rebuildCopy } from '../../capabilities/settings/store.ts'
import { UsageError } from '../kit/command-error.ts'
import { command, takes } from '../kit/declaration.ts'
import { type Finding, showFindings } from '../kit/findings.ts'
import { loadChecks } from '../site/capabilities.ts'
import type { Setup } from '../site/in-programs.ts'
import type { Site } from '../site/site.ts'
import { openSite } from '../site/on-site.ts'
import { runWrangler } from '../site/wrangler.ts'
import { judgeSetup } from './doctor-checks.ts'
import { judgeData } from './doctor-data-checks.ts'
import { type Facts, gatherFacts, readSetup } from './doctor-facts.ts'

/** `latchkey doctor`: checks a site, and says how to fix what is wrong. */
export const doctorCommand = command({
  takes: {
    fix: takes(
      '--fix',
      'rebuilds the KV copy of the settings when it differs',
      '设置在 KV 中的副本不一致时重新生成',
    ),
    host: takes(
      '--url <address>',
      'the address of the deployed site, for the check of plain http',
      '已部署站点的地址，用于检查未加密的 http',
      parseHost,
    ),
  },
  notes: [
    'The exit code is 1 when a check fails; a warning alone gives 0.',
    '有检查未通过时退出码为 1；只有警告时为 0。',
  ],
  examples: ['doctor', 'doctor --fix', 'doctor --remote'],
  async run({ fix, host }, { remote, json }) {
    if (host !== undefined && !remote) throw new UsageError('--url needs --remote.')
    const findings = await openSite({ remote }, async (site) => {
      const setup = await readSetup(remote, host)
      const facts = await gatherFacts(site, setup, runWrangler)
      if (!fix || facts.data?.copy !== 'different') return judgeSite(site, setup, facts)
      await rebuildCopy(site)
      return judgeSite(site, setup, { ...facts, data: { ...facts.data, copy: 'equal' } })
    })
    showFindings(findings, json)
  },
})

/** Judges a site by its own checks and by those of capabilities: first the setup, then the data. */
async function judgeSite(site: Site, setup: Setup, facts: Facts): Promise<Finding[]> {
  const checks = await loadChecks()
  const ofSetup = await Promise.all(
    checks.map(async (check) => (await check.ofSetup?.(site, setup)) ?? []),
  )
  const found = [...judgeSetup(facts), ...ofSetup.flat()]
  if (facts.data === undefined) return found
  const ofData = await Promise.all(
    checks.map(async (check) => (await check.ofData?.(site, setup)) ?? []),
  )
  return [...found, ...judgeData(facts, facts.data), ...ofData.flat()]
}

function parseHost(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.host
  throw new InvalidArgumentError('It must be an address, as in https://accounts.example.org.')
}
