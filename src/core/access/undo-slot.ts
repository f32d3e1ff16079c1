import type { SessionActor } from './actor.ts'

/** For so long a deleted thing can be brought back. */
export const UNDO_MILLISECONDS = 10 * 60 * 1000

/** The place where a deletion is kept, for the session that deletes. */
export interface UndoSlot {
  /** 128 random bits, hexadecimal. */
  id: string
  session: SessionActor
}

export const UNDO_ID_BYTES = 16

export function isUndoId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}
