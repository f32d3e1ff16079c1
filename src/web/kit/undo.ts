import { UNDO_ID_BYTES, type UndoSlot } from '../../core/access/undo-slot.ts'
import type { Undo } from '../../core/access/undo.ts'
import { toHex } from '../../core/base/encoding.ts'
import type { AppContext } from '../http/context.ts'
import { sessionOf } from '../http/guard.ts'
import type { DoneNotice } from './view.ts'

/** How a page brings back what it deletes. */
export interface PageUndo extends Undo {
  /** The page that shows it again. */
  page: string
  done: DoneNotice
}

/** Deletes what can be brought back. @returns The place where it is kept, for `goTo`. */
export async function undoable(
  c: AppContext,
  remove: (slot: UndoSlot) => Promise<unknown>,
): Promise<UndoSlot> {
  const id = toHex(c.get('deps').randomBytes(UNDO_ID_BYTES))
  const slot: UndoSlot = { id, session: sessionOf(c) }
  await remove(slot)
  return slot
}
