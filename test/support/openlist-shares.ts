/** A share as OpenList lists it. */
export interface StandInShare {
  id: string
  files: string[]
  disabled: boolean
  creator: string
  creator_role: number
  /** Once it is set, the share is that of the user with this id, who may be deleted. */
  creatorId?: number
}

/** What a call of shares answers: a code, and the message of a refusal or the data. */
type Answer = readonly [code: number, message: string, data?: unknown]

interface Asker {
  username: string
  role: number
}

interface User extends Asker {
  id: number
}

const ADMIN = 2
/** The answer of OpenList where a share in the list is that of nobody. */
const PANIC = 'panic'
const NOT_FOUND: Answer = [404, 'sharing not found']

/** The shares of the stand-in. They look at no meta. */
export class StandInShares {
  readonly rows: StandInShare[] = []
  readonly #users: readonly User[]
  /** Happens after a share was disabled: a visitor's request that began before puts it back. */
  disabled: ((share: StandInShare) => void) | undefined

  /** @param users Those who are there, of whom shares with a `creatorId` take the names. */
  constructor(users: readonly User[]) {
    this.#users = users
  }

  /** Deletes those of a user who is deleted. */
  deleteOf({ id, username }: User): void {
    const isOf = ({ creatorId, creator }: StandInShare) =>
      creatorId === undefined ? creator === username : creatorId === id
    for (const share of this.rows.filter(isOf)) this.rows.splice(this.rows.indexOf(share), 1)
  }

  #isOfNobody({ creatorId }: StandInShare): boolean {
    return creatorId !== undefined && !this.#users.some(({ id }) => id === creatorId)
  }

  #list(own: StandInShare[], query: URLSearchParams): Answer | typeof PANIC {
    const size = Number(query.get('per_page')) || Infinity
    const begin = size === Infinity ? 0 : (Math.max(Number(query.get('page')), 1) - 1) * size
    const content = own.slice(begin, begin + size)
    if (content.some((share) => this.#isOfNobody(share))) return PANIC
    const named = content.map((share) => {
      const { username: creator = share.creator } =
        this.#users.find(({ id }) => id === share.creatorId) ?? {}
      return { ...share, creator }
    })
    return [200, 'success', { content: named, total: own.length }]
  }

  /** @param name `list`, `get`, `create`, `update`, `enable`, `disable` or `delete`. */
  answer(
    name: string,
    asker: Asker,
    query: URLSearchParams,
    body: string,
  ): Answer | typeof PANIC | undefined {
    const id = query.get('id') ?? ''
    const all = this.rows.filter(
      ({ creator }) => asker.role === ADMIN || creator === asker.username,
    )
    if (name === 'list') return this.#list(all, query)
    const own = all.filter((share) => !this.#isOfNobody(share))
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
