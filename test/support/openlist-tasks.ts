/** A task as OpenList lists it. */
export interface StandInTask {
  kind: string
  id: string
  name: string
  creator: string
  creator_role: number
  /** `tache.State`. */
  state: number
}

/** What a call of tasks answers: a code, and the message of a refusal or the data. */
type Answer = readonly [code: number, message: string, data?: unknown]

/** `tache.State`. */
export const PENDING = 0
export const RUNNING = 1
export const CANCELING = 3
const CANCELED = 4
export const FAILED = 7
const DONE: readonly number[] = [2, CANCELED, FAILED]
const ADMIN = 2

/** The queues of the stand-in. No task of it begins, or ends, by itself. */
export class StandInTasks {
  readonly rows: StandInTask[] = []

  /** @param name `undone`, `done` or `cancel_some`; others are answered elsewhere. */
  answer(
    kind: string,
    name: string,
    asker: { username: string; role: number },
    body: string,
  ): Answer | undefined {
    const own = this.rows.filter(
      (row) => row.kind === kind && (asker.role === ADMIN || row.creator === asker.username),
    )
    if (name === 'undone' || name === 'done') {
      const listed = own.filter(({ state }) => DONE.includes(state) === (name === 'done'))
      return [200, 'success', listed.length === 0 ? null : listed]
    }
    if (name !== 'cancel_some') return undefined
    const ids: string[] = JSON.parse(body)
    const missing = ids.filter((id) => own.every((row) => row.id !== id))
    for (const row of own)
      if (ids.includes(row.id) && !DONE.includes(row.state)) row.state = CANCELING
    return [200, 'success', Object.fromEntries(missing.map((id) => [id, 'task not found']))]
  }
}
