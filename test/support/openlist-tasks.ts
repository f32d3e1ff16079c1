/** A task as OpenList lists it. */
export interface StandInTask {
  kind: string
  id: string
  name: string
  creator: string
  creator_role: number
  /** `tache.State`. */
  state: number
  start_time?: string | null
}

/** What a call of tasks answers: a code, and the message of a refusal or the data. */
type Answer = readonly [code: number, message: string, data?: unknown]

/** `tache.State`. */
export const PENDING = 0
export const RUNNING = 1
export const SUCCEEDED = 2
export const CANCELING = 3
export const CANCELED = 4
export const FAILED = 7
const DONE: readonly number[] = [SUCCEEDED, CANCELED, FAILED]
const ADMIN = 2

/** The queues of the stand-in. No task of it begins, or ends, by itself. */
export class StandInTasks {
  readonly rows: StandInTask[] = []
  /** Tasks that were deleted while they waited: no list has them, and they begin all the same. */
  readonly unlisted: StandInTask[] = []
  /** The ids of tasks that were cancelled. */
  readonly cancelled: string[] = []
  /** Whether a task that runs ends at once when it is cancelled, as one does that waits. */
  endsCancelled = false

  /** @param name That of a call which begins no task; others are answered elsewhere. */
  answer(
    kind: string,
    name: string,
    asker: { username: string; role: number },
    body: string,
    tid: string | null,
  ): Answer | undefined {
    const own = this.rows.filter(
      (row) => row.kind === kind && (asker.role === ADMIN || row.creator === asker.username),
    )
    if (name === 'undone' || name === 'done') {
      const listed = own.filter(({ state }) => DONE.includes(state) === (name === 'done'))
      const runs = [RUNNING, CANCELING]
      const begun = listed.map((row) => ({
        start_time: runs.includes(row.state) ? '2026-01-01T00:00:00Z' : null,
        ...row,
      }))
      return [200, 'success', listed.length === 0 ? null : begun]
    }
    if (name === 'delete') {
      const task = own.find(({ id }) => id === tid)
      if (task === undefined) return [404, 'task not found']
      this.#delete(task)
      return [200, 'success', null]
    }
    if (name !== 'cancel_some' && name !== 'delete_some') return undefined
    const ids: string[] = JSON.parse(body)
    const missing = ids.filter((id) => own.every((row) => row.id !== id))
    for (const row of own.filter(({ id }) => ids.includes(id)))
      if (name === 'delete_some') this.#delete(row)
      else if (!DONE.includes(row.state)) this.#cancel(row)
    return [200, 'success', Object.fromEntries(missing.map((id) => [id, 'task not found']))]
  }

  #cancel(task: StandInTask): void {
    if (!this.cancelled.includes(task.id)) this.cancelled.push(task.id)
    const runs = task.state === RUNNING || task.state === CANCELING
    task.state = runs && !this.endsCancelled ? CANCELING : CANCELED
  }

  #delete(task: StandInTask): void {
    this.rows.splice(this.rows.indexOf(task), 1)
    if (!DONE.includes(task.state)) this.unlisted.push(task)
  }
}
