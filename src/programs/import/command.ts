import { InvalidArgumentError } from 'commander'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { takes } from '../kit/declaration.ts'
import { onSite } from '../site/on-site.ts'
import type { Site } from '../site/site.ts'
import {
  fileServerWarnings,
  needFilesToken,
  nextSteps,
  offerFilesToken,
  takeFilesToken,
} from './file-server.ts'
import { refuseTooMany } from './groups.ts'
import { isRpId } from './passkeys.ts'
import { type Choices, type Plan, planImport } from './plan.ts'
import { startProgress } from '../kit/progress.ts'
import { makeReport, type Report, reportText } from './report.ts'
import { readSource } from './read-source.ts'
import type { Source } from './source.ts'
import { selectSiteState } from './site-state.ts'
import { type OldSecrets, readOldSecrets, unseal } from './unseal.ts'
import { type Written, writePlan } from './write.ts'

/** `latchkey import`: imports a site from OpenList or AList. */
export const importCommand = onSite({
  takes: {
    file: takes(
      '<file>',
      'data.db, a database of OpenList-Worker or Latchkey, or a file saved by Backup & Restore of the web client',
      'data.db、OpenList-Worker 或 Latchkey 的数据库，或网页端“备份与恢复”保存的文件',
    ),
    isDryRun: takes('--dry-run', 'only show what would happen', '只显示将会发生什么，不写入'),
    secretsFile: takes(
      '--secrets <file>',
      'the .dev.vars of the old site, if its database is encrypted',
      '原站点的 .dev.vars，用于加密的数据库',
    ),
    passkeyRpId: takes(
      '--passkey-rp-id <host>',
      'the host name under which the old site was visited, for its passkeys (default: that of its site_url)',
      '访问原站点所用的主机名，用于其中的通行密钥（默认取自原站点的 site_url）',
      parseRpId,
    ),
    filesToken: takes(
      '--files-token',
      'writes the token of OpenList into .dev.vars, as FILES_TOKEN, without asking',
      '把 OpenList 的令牌作为 FILES_TOKEN 写入 .dev.vars，不再询问',
    ),
  },
  notes: [
    `Imports users with ids, roles, permissions, base paths, passwords, 2FA, SSH keys and passkeys, groups and
folder rules, and the public settings. Users who exist here stay unchanged, so a second run does no harm; users
without password, sessions and keys here get them. The exit code is 1 when something was refused; everything
else is then imported. When groups and folder rules are more than a site can have, nothing is imported.`,
    `导入用户的 id、角色、权限、根文件夹、密码、双重验证、SSH 公钥和通行密钥、用户组和文件夹规则，以及公开设置。
这里已有的用户保持不变，因此可以重复运行；在这里没有密码、登录设备和公钥的用户会得到补全。
有内容被拒绝时退出码为 1，其余内容仍会导入。用户组和文件夹规则超出上限时，不导入任何内容。`,
  ],
  examples: ['import data.db --dry-run', 'import data.db'],
  async before({ file, secretsFile, filesToken }, { remote }) {
    const source = await readSource(file)
    return {
      source,
      secrets: secretsFile === undefined ? {} : await readOldSecrets(secretsFile),
      token: filesToken ? needFilesToken(source, remote) : undefined,
    }
  },
  async run(site, given, { output, json, remote }, { source, secrets, token }) {
    const { isDryRun, passkeyRpId } = given
    const choices = passkeyRpId === undefined ? {} : { passkeyRpId }
    const report = await importSource(site, source, secrets, choices, isDryRun)
    if (token !== undefined && !isDryRun) takeFilesToken(token)
    output.report(reportText(report), report)
    if (report.refused.length > 0) process.exitCode = 1
    if (isDryRun || json || remote) return
    const isWritten = token !== undefined || (await offerFilesToken(source))
    for (const line of await nextSteps(source, isWritten)) console.log(line)
  },
})

function parseRpId(host: string): string {
  if (isRpId(host)) return host
  throw new InvalidArgumentError('It must be a host name, as in files.example.org.')
}

async function importSource(
  site: Site,
  sealed: Source,
  secrets: OldSecrets,
  choices: Choices,
  isDryRun: boolean,
): Promise<Report> {
  const now = site.now()
  // Before writing, and in a dry run too: without a secret, no seed can be sealed.
  const ring = await site.keyRing()
  const source = await unseal(sealed, secrets, ring)
  const state = await selectSiteState(site.db, now)
  const plan = planImport(source, state, now, choices)
  refuseTooMany(plan.groups, state)
  const written = isDryRun ? predict(plan) : await carryOut(site, ring, plan, now)
  const { kind } = source
  const warnings = [...source.warnings, ...fileServerWarnings(source)]
  return makeReport({ kind, warnings }, isDryRun, plan, {
    ...written,
    refused: [...plan.refused, ...written.refused],
  })
}

async function carryOut(site: Site, ring: KeyRing, plan: Plan, now: number): Promise<Written> {
  const progress = startProgress(plan.accounts.length, { name: 'users', perLine: 2000 })
  try {
    return await writePlan(site, ring, plan, now, progress.advance)
  } finally {
    progress.stop()
  }
}

function predict(plan: Plan): Written {
  const { accounts, settings, serviceTokens, reservedNames, fileUsers, groups } = plan
  const completed = accounts.filter(({ completes }) => completes).length
  const imported = {
    users: accounts.length - completed,
    keys: accounts.reduce((sum, { keys }) => sum + keys.length, 0),
    settings: Object.keys(settings).length,
    passkeys: accounts.reduce((sum, { passkeys }) => sum + passkeys.length, 0),
  }
  return {
    imported,
    completed,
    serviceTokens: serviceTokens.length,
    reservedNames: reservedNames.length,
    fileUsers: fileUsers.length,
    groups: groups.groups.length,
    folderRules: groups.rules.length + groups.stricter.length,
    refused: [],
  }
}
