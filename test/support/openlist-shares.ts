/** A share as OpenList lists it. */
export interface StandInShare {
  id: string
  files: string[]
  disabled: boolean
  creator: string
  creator_role: number
}

/** What a call of shares answers: a code, and the message of a refusal or the data. */
type Answer = readonly [code: number, message: string, data?: unknown]

interface Asker {
  username: string
  role: number
}

const ADMIN = 2
const NOT_FOUND: Answer = [404, 'sharing not found']

/** The shares of the stand-in. They look at no meta. */
export class StandInShares {
  readonly rows: StandInShare[] = []
  /** Happens after a share was disabled: a visitor's request that began before puts it back. */
  disabled: ((share: StandInShare) => void) | undefined

  /** @param name `list`, `get`, `create`, `update`, `enable`, `disable` or `delete`. */
  answer(name: string, asker: Asker, id: string, body: string): Answer | undefined {
    const own = this.rows.filter(
      ({ creator }) => asker.role === ADMIN || creator === asker.username,
    )
    if (name === 'list') return [200, 'success', { content: own, total: own.length }]
    if (name === 'create' || name === 'update') return this.#write(name, asker, own, body)
    const share = own.find((row) => row.id === id)
    if (!['get', 'enable', 'disable', 'delete'].includes(name)) return undefined
    if (share === undefined) return NOT_FOUND
    if (name === 'get') return [200, 'success', share]
    if (name === 'delete') this.rows.splice(this.rows.indexOf(share), 1)
    else share.disabled = name === 'disable'
    if (name === 'disable') this.disabled?.(share)
    return [200, 'success']
  }

  #write(name: string, { username, role }: Asker, own: StandInShare[], body: string): Answer {
    const { id = '', files = [], disabled = false }: Partial<StandInShare> = JSON.parse(body)
    if (files.length === 0 || files[0] === '') return [400, 'must add at least 1 object']
    if (name === 'create') {
      const made = id || `share${this.rows.length + 1}`
      const share = { id: made, files, disabled, creator: username, creator_role: role }
      this.rows.push(share)
      return [200, 'success', share]
    }
    const share = own.find((row) => row.id === id)
    if (share === undefined) return NOT_FOUND
    return [200, 'success', Object.assign(share, { files, disabled })]
  }
}
