import { latchkey, userWord } from '../../../programs/kit/printed-command.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import { identityText } from '../../../core/access/identities.ts'
import { identityRecord } from '../record.ts'
import { selectIdentities } from '../store.ts'

export const ofUser: OfUser = {
  shown: async ({ db }, { id }) => ({
    linked_accounts: (await selectIdentities(db, id)).map(identityText),
  }),
  exported: async ({ db }, { id }) => ({
    identities: (await selectIdentities(db, id)).map(identityRecord),
  }),
  async remaining({ db }, account) {
    const linked = await selectIdentities(db, account.id)
    return {
      record: { linked_accounts: linked.map(identityText) },
      title: 'Linked accounts',
      how: latchkey('identity', 'delete', userWord(account), 'SUBJECT'),
      columns: ['subject', 'name', 'platform', 'linked_at'],
      content: linked.map(identityRecord),
    }
  },
}
