import { count, max, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { fileUsers, sessions } from '../../../schema/tables.ts'
import { isoTime } from '../../core/base/time.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'
import { runBatch } from '../../core/database/statements.ts'
import { keyIdAnswerSchema } from '../site/local-data.ts'
import { CommandError } from '../kit/command-error.ts'
import { command } from '../kit/declaration.ts'
import { confirm, needTerminal, YES } from '../kit/confirm.ts'
import { startProgress } from '../kit/progress.ts'
import { DEV_VARS_FILE, newSecretKey, PRODUCTION_FILE } from '../site/dev-vars.ts'
import { onSite } from '../site/on-site.ts'
import { askRunningSite, isSiteRunning } from '../site/running-site.ts'
import {
  listSeals,
  type OldSeal,
  readOldSeals,
  sealCountQuery,
  sealCountsSchema,
  sumSeals,
} from '../site/sealed-content.ts'
import { secretAdvice } from '../site/secret-advice.ts'
import type { Site } from '../site/site.ts'

const newEntry = command({
  about: 'prints a new entry for SECRET_KEYS, and what to do with it here',
  zh: '生成 SECRET_KEYS 的新条目，并说明在此处如何使用',
  notes: ['It changes nothing.', '此命令不会更改任何内容。'],
  examples: ['secrets new'],
  run(_, { output }) {
    const entry = newSecretKey()
    output.done(`${entry}\n\n${secretAdvice()}`, { entry })
  },
})

const reseal = onSite({
  about: 'seals everything anew with the first entry of SECRET_KEYS, so that older ones can go',
  zh: '用 SECRET_KEYS 的第一项重新加密所有内容，之后可以移除旧的条目',
  takes: { yes: YES },
  notes: [
    `Put a new entry before the old ones first, and restart the site: secrets new says how. The command may be
stopped and run again at any time. It says when the older entries can go: until then, tokens that they signed
are valid. With --remote it asks whether the Worker has the same list, which can't be read from Cloudflare.`,
    `请先把新条目放在旧条目之前并重启站点，步骤见 secrets new。命令可以随时中断并再次运行。
它会说明旧条目何时可以移除：在此之前，用它们签署的令牌仍然有效。
使用 --remote 时会询问 Worker 是否使用同一列表，因为无法从 Cloudflare 读取。`,
  ],
  examples: ['secrets reseal'],
  async run(site, { yes }, { output, remote }) {
    const ring = await site.keyRing()
    await checkSiteKnows(ring, remote, yes)
    const before = await countSeals(site, ring)
    const total = sum(before.old)
    const bar = startProgress(total, { name: 'sealed texts', perLine: 1000 })
    for await (const rows of readOldSeals(site.db, ring)) {
      const writes = await Promise.all(rows.map((row) => resealed(site, ring, row)))
      await runBatch(site.db, Object.fromEntries(writes.flat().entries()))
      bar.advance(rows.length)
    }
    bar.stop()
    const { lost, old } = await countSeals(site, ring)
    if (sum(old) > 0)
      throw new CommandError(
        `Not sealed anew: ${listSeals(old)}. Keep the older entries: these texts were altered, or changed meanwhile; run the command again.`,
      )
    if (sum(lost) > 0)
      throw new CommandError(
        `No entry of SECRET_KEYS opens ${listSeals(lost)}: an older entry was removed too early. Add it again, at the end of the list.`,
      )
    const keptUntil = ring.all.length > 1 ? await lastTokenEnd(site) : undefined
    const file = remote ? PRODUCTION_FILE : DEV_VARS_FILE
    const lines = [
      total === 0
        ? 'The first entry of SECRET_KEYS seals everything already.'
        : `Sealed anew: ${listSeals(before.old)}.`,
      ...(ring.all.length > 1 ? [whenOldGo(file, keptUntil)] : []),
      ...(ring.all.length > 1 && (await hasFileServer(site))
        ? ['Behind a file server, keep them as long as you keep a backup of OpenList from before.']
        : []),
    ]
    output.done(lines.join('\n'), {
      sealed: total,
      old_entries_until: keptUntil === undefined ? null : isoTime(keptUntil),
    })
  },
})

/**
 * A site that does not know the new entry could open nothing that it sealed.
 *
 * @throws {CommandError}
 */
async function checkSiteKnows(ring: KeyRing, isRemote: boolean, yes: boolean): Promise<void> {
  if (isRemote) {
    if (yes || ring.all.length === 1) return
    needTerminal()
    return confirm('Has the deployed Worker the same SECRET_KEYS as this machine?')
  }
  if (!(await isSiteRunning())) return
  const { keyId } = await askRunningSite('key id', keyIdAnswerSchema)
  if (keyId === ring.current.id) return
  throw new CommandError(
    `The site that is running does not use the first entry of ${DEV_VARS_FILE} yet: restart it first. Nothing was changed.`,
  )
}

/** @returns Nothing for a text that was altered: it is counted at the end. */
async function resealed(site: Site, ring: KeyRing, { sealed, use, replace }: OldSeal) {
  const bytes = await openBox(ring, sealed, use, 'a sealed text').catch(() => undefined)
  return bytes === undefined ? [] : [replace(await sealBox(site, ring, bytes, use))]
}

async function countSeals({ db }: Site, ring: KeyRing) {
  return sumSeals(v.parse(sealCountsSchema, await db.all(sql.raw(await sealCountQuery()))), ring)
}

const sum = (totals: Record<string, number>) =>
  Object.values(totals).reduce((before, total) => before + total, 0)

/** When the last token ends that can have been signed until now; Unix time, milliseconds. */
async function lastTokenEnd({ db, now }: Site): Promise<number> {
  const [row] = await db.select({ end: max(sessions.expiresAt) }).from(sessions)
  return Math.max(row?.end ?? 0, now())
}

async function hasFileServer({ db }: Site): Promise<boolean> {
  const [row] = await db.select({ total: count() }).from(fileUsers)
  return (row?.total ?? 0) > 0
}

function whenOldGo(file: string, keptUntil = 0): string {
  return `Remove the older entries from ${file} after ${isoTime(keptUntil)}: until then, tokens that they signed are valid (TOKEN_HOURS).`
}

/** `latchkey secrets …`: the entries of `SECRET_KEYS`. */
export const secretsCommands = { new: newEntry, reseal }
