import { InvalidArgumentError } from 'commander'
import { rebuildCopy } from '../../capabilities/settings/store.ts'
import { UsageError } from '../kit/command-error.ts'
import { command, takes } from '../kit/declaration.ts'
import { showFindings } from '../kit/findings.ts'
import { openSite } from '../site/on-site.ts'
import { runWrangler } from '../site/wrangler.ts'
import { judgeSite } from './doctor-checks.ts'
import { gatherFacts } from './doctor-facts.ts'

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
      const facts = await gatherFacts(site, remote, runWrangler, host)
      if (!fix || facts.data?.copy !== 'different') return judgeSite(facts)
      await rebuildCopy(site)
      return judgeSite({ ...facts, data: { ...facts.data, copy: 'equal' } })
    })
    showFindings(findings, json)
  },
})

function parseHost(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.host
  throw new InvalidArgumentError('It must be an address, as in https://accounts.example.org.')
}
