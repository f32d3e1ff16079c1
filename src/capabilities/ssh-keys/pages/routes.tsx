import { readAccountAs } from '../../../core/access/read-account.ts'
import { own } from '../../../core/access/subject.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { actorOf } from '../../../web/http/guard.ts'
import { idQuery, validate } from '../../../web/http/input.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import type { Fields, Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { nameNotice } from '../../../web/kit/named.tsx'
import { NEWEST } from '../../../web/kit/rows.tsx'
import { undoable } from '../../../web/kit/undo.ts'
import { goTo, readView } from '../../../web/kit/view.ts'
import { joinBrokenKey } from '../pasted.ts'
import { addKey, listKeysWithHelp, removeKeys, titleOf } from '../keys.ts'
import { keySchema } from '../title.ts'
import { KeysPage } from './keys.tsx'
import { NewKeyPage } from './new-key.tsx'

const PATH = '/account/keys'

/** The pages of a user's SSH keys, under `/account/keys`. */
export const keyPages = formsOf(PATH, showKeys, {
  add: action({
    page: showNewKey,
    reads: (fields) => validate(keySchema, titled(fields)),
    confirms: true,
    run: (c, { title, key }) => addKey(c.get('deps'), own(actorOf(c)), title, key),
    done: (c, _, fields) => {
      nameNotice(c, titled(fields)['title'] ?? '')
      return goTo(c, `${PATH}#${NEWEST}`, 'key-added')
    },
  }),
  delete: action({
    reads: idQuery,
    run: (c, { id }) =>
      undoable(c, (slot) => removeKeys(c.get('deps'), own(slot.session), id, slot)),
    done: (c, slot) => goTo(c, PATH, 'key-deleted', slot),
  }),
  'delete-all': action({
    run: (c) =>
      undoable(c, (slot) => removeKeys(c.get('deps'), own(slot.session), undefined, slot)),
    done: (c, slot) => goTo(c, PATH, 'keys-deleted', slot),
  }),
}).get('/', (c) => showKeys(c))

/** Joins a broken key. Without a title, the comment of the key is the title. */
function titled({ title = '', key: pasted = '', ...fields }: Fields): Fields {
  const key = joinBrokenKey(pasted)
  return { ...fields, key, title: title.trim() === '' && key !== '' ? titleOf(key) : title }
}

async function showKeys(c: AppContext, refused?: Refused) {
  const listed = await listKeysWithHelp(c.get('deps'), actorOf(c))
  const view = await readView(c, listed.account)
  return showForm(c, KeysPage, { view, ...listed }, refused)
}

async function showNewKey(c: AppContext, refused?: Refused) {
  const account = await readAccountAs(c.get('deps'), actorOf(c))
  return showForm(c, NewKeyPage, { view: await readView(c, account) }, refused)
}
