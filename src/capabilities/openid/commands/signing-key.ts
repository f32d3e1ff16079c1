import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { isoTime } from '../../../core/base/time.ts'
import { KEY_NOTICE_SECONDS, rotateKey, selectSigningKeys, SPREAD_SECONDS } from '../keys.ts'
import { confirm, needTerminal, YES } from '../../../programs/kit/confirm.ts'
import { takes } from '../../../programs/kit/declaration.ts'
import { onSite } from '../../../programs/site/on-site.ts'
import type { Site } from '../../../programs/site/site.ts'

const list = onSite({
  about: 'lists the public keys that apps read',
  zh: '列出应用读取的公钥',
  examples: ['signing-key list'],
  async run(site, _, { output }) {
    const keys = await selectSigningKeys(site.db, site.now())
    const content = keys.map((key) => ({ kid: key.id, active_from: isoTime(key.activeFrom) }))
    output.list(['kid', 'active_from'], content, 'There are no signing keys.')
  },
})

const rotate = onSite({
  about: 'makes a new signing key, which signs after a quarter of an hour',
  zh: '生成新的签名密钥，15 分钟后开始用于签名',
  takes: {
    now: takes(
      '--now',
      'sign with it as soon as every place shows it, because the old key is lost',
      '旧密钥丢失时，各处都公布新密钥后即用它签署',
    ),
    stolen: takes(
      '--stolen',
      'sign with it at once, and delete all older keys',
      '立即用它签署，并删除所有旧密钥',
    ),
    yes: YES,
  },
  notes: [
    `Apps read the new key before it signs. The old key is shown for a day, until its last token has ended.
--stolen: a thief can sign as this site until the old key is gone. Apps refuse its ID tokens as soon
as they read the keys again. On Cloudflare every place shows the new key set after two minutes.
While a new key waits, the command asks before it makes another one.`,
    `新密钥先公布，再开始签署。旧密钥再公布一天，直到它的最后一个令牌失效。
--stolen：在旧密钥删除之前，持有它的人可以冒充本站签署。应用重新读取密钥后，就会拒绝它签署的 ID 令牌。
在 Cloudflare 上，两分钟后各处都公布新的密钥。
已有新密钥等待启用时，再次生成前会先询问。`,
  ],
  examples: ['signing-key rotate'],
  async run(site, { now, stolen, yes }, { output, remote }) {
    if (!now && !stolen && !yes) await askAboutWaiting(site)
    // The local site has one isolate, and it looks again.
    const spreadSeconds = remote ? SPREAD_SECONDS : 0
    const noticeSeconds = now ? spreadSeconds : KEY_NOTICE_SECONDS
    const rotation = { noticeSeconds: stolen ? 0 : noticeSeconds, dropsOthers: stolen }
    const made = await rotateKey(site, COMMAND_LINE, rotation)
    const [from, until] = [isoTime(made.activeFrom), isoTime(made.oldShownUntil)]
    const start = rotation.noticeSeconds === 0 ? 'It signs now' : `It signs from ${from}`
    const old = stolen ? 'all older keys are deleted' : `the key before it is shown until ${until}`
    output.done(`Made the signing key ${made.kid}.\n${start}; ${old}.`, {
      kid: made.kid,
      active_from: from,
      old_key_shown_until: until,
    })
  },
})

/** Asks before a second new key when one waits already: programs would read both. */
async function askAboutWaiting(site: Site): Promise<void> {
  const now = site.now()
  const waiting = (await selectSigningKeys(site.db, now)).find(({ activeFrom }) => activeFrom > now)
  if (waiting === undefined) return
  const { id, activeFrom } = waiting
  console.error(`The new key ${id} waits already: it signs from ${isoTime(activeFrom)}.`)
  needTerminal()
  await confirm('Make another one?')
}

/** `latchkey signing-key …`: the keys that sign ID tokens. */
export const signingKeyCommands = { list, rotate }
