import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { listPasskeys } from '../manage.ts'
import { operatorPasskeyRecord } from '../record.ts'

export const ofUser: OfUser = {
  shown: async (site, { id }) => ({ passkeys: (await recordsOf(site, id)).length }),
  exported: async (site, { id }) => ({ passkeys: await recordsOf(site, id) }),
  async remaining(site, account) {
    const content = await recordsOf(site, account.id)
    return {
      record: { passkeys: content.map(({ id }) => id) },
      title: 'Passkeys',
      how: latchkey('passkey', 'delete', userWord(account), 'ID'),
      columns: ['id', 'name', 'created_at'],
      content,
    }
  },
}

async function recordsOf(site: Site, userId: number) {
  return (await listPasskeys(site, of(COMMAND_LINE, userId))).map(operatorPasskeyRecord)
}
