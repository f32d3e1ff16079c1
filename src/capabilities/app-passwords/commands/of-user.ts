import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { of } from '../../../core/access/subject.ts'
import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { listAppPasswords } from '../app-passwords.ts'
import { appPasswordRecords } from '../record.ts'

export const ofUser: OfUser = {
  shown: async (site, { id }) => ({ app_passwords: (await recordsOf(site, id)).length }),
  exported: async (site, { id }) => ({ app_passwords: await recordsOf(site, id) }),
  async remaining(site, account) {
    const content = await recordsOf(site, account.id)
    return {
      record: { app_passwords: content.map(({ id }) => String(id)) },
      title: 'App passwords',
      how: latchkey('token', 'delete', userWord(account), 'ID'),
      columns: ['id', 'name', 'scopes', 'created_at'],
      content,
    }
  },
}

async function recordsOf(site: Site, userId: number) {
  return appPasswordRecords(await listAppPasswords(site, of(COMMAND_LINE, userId)))
}
