import { bringBack, getUndoable } from '../../../core/access/undo.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { loadAll } from '../../../web/kit/capability.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import type { PageUndo } from '../../../web/kit/undo.ts'
import { goTo, readView } from '../../../web/kit/view.ts'
import { UNDO_PATH } from './parts.tsx'
import { UndoPage } from './undo.tsx'

/** The page that brings back what was deleted, under `/account/undo`. */
export const undoPages = formsOf(UNDO_PATH, showUndo, {
  'bring-back': action({
    confirms: true,
    async run(c, { id = '' }) {
      const { undo } = await findUndo(c, id)
      await bringBack(c.get('deps'), sessionOf(c), id, undo)
      return undo
    },
    done: (c, { page, done }) => goTo(c, page, done),
  }),
}).get('/', (c) => showUndo(c))

/**
 * Finds a deleted thing, and how its kind is brought back.
 *
 * @throws {Refusal} `undoGone`.
 */
async function findUndo(c: AppContext, id: string) {
  const [found, undos] = await Promise.all([
    getUndoable(c.get('deps'), sessionOf(c), id),
    loadAll<PageUndo>(c.get('capabilities').flatMap(({ undo: load = [] }) => load)),
  ])
  const undo = undos.find(({ kind }) => kind === found.item.kind)
  if (undo === undefined) throw new Refusal('undoGone')
  return { ...found, undo }
}

async function showUndo(c: AppContext, refused?: Refused) {
  const id = (refused === undefined ? c.req.query('id') : refused.fields['id']) ?? ''
  const { account, item, undo } = await findUndo(c, id)
  const props = { view: await readView(c, account), id, item, back: undo.page }
  return showForm(c, UndoPage, props, refused)
}
