import { Hono } from 'hono'
import { readAccountAs } from '../../../core/access/act-as.ts'
import { own } from '../../../core/access/subject.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { actorOf } from '../../../web/http/guard.ts'
import { idQuery, validate } from '../../../web/http/input.ts'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { NEWEST } from '../../../web/kit/rows.tsx'
import { backTo, goTo, readView } from '../../../web/kit/view.ts'
import { addKey, listKeysWithHelp, removeKeys } from '../keys.ts'
import { keySchema } from '../title.ts'
import { KeysPage } from './keys.tsx'
import { NewKeyPage } from './new-key.tsx'

const PATH = '/account/keys'

/** The pages of a user's SSH keys, under `/account/keys`. */
export const keyPages = new Hono<App>()
  .get('/', (c) => showKeys(c))
  .get('/add', (c) => showNewKey(c))
  .post('/add', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { title, key } = validate(keySchema, fields)
      await confirmWith(c, fields)
      await addKey(c.get('deps'), own(actorOf(c)), title, key)
    })
    if (refusal instanceof Refusal) return showNewKey(c, fields, refusal)
    return goTo(c, `${PATH}#${NEWEST}`, 'key-added')
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () =>
      removeKeys(c.get('deps'), own(actorOf(c)), validate(idQuery, fields).id),
    )
    if (refusal instanceof Refusal) return showKeys(c, refusal)
    return goTo(c, PATH, 'key-deleted')
  })
  .post('/delete-all', async (c) => {
    await removeKeys(c.get('deps'), own(actorOf(c)))
    return goTo(c, PATH, 'keys-deleted')
  })
  .get('/:form', backTo(PATH))

async function showKeys(c: AppContext, refusal?: Refusal) {
  const listed = await listKeysWithHelp(c.get('deps'), actorOf(c))
  const view = await readView(c, listed.account)
  return showForm(c, KeysPage, { view, ...listed }, refusal)
}

async function showNewKey(c: AppContext, fields?: Fields, refusal?: Refusal) {
  const account = await readAccountAs(c.get('deps'), actorOf(c))
  const view = await readView(c, account)
  return showForm(c, NewKeyPage, { view, fields }, refusal)
}
