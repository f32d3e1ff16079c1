import { folderState } from '../../schema/tables.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { prepared } from '../support/prepared.ts'

/** A site in front of a file server, with groups. */
export class GroupsSite extends CheapSite {
  readonly openlist: OpenListStandIn
  adminToken = ''

  constructor() {
    const openlist = new OpenListStandIn()
    openlist.settings['sign_all'] = 'true'
    super(openlist.deps, FILES_BINDINGS)
    this.openlist = openlist
  }

  /** Calls an endpoint as the admin. */
  async admin(method: 'GET' | 'POST', path: string, body?: unknown) {
    return this.call(method, `/api/admin/${path}`, { token: this.adminToken, body })
  }

  /** Makes a folder rule. */
  addRule(path: string, whose: object, access: string) {
    return this.admin('POST', 'folder_rule/create', { path, ...whose, access })
  }

  /** Makes a group. @returns Its id. */
  async addGroup(name: string, users: number[] = []): Promise<number> {
    const { data } = await this.admin('POST', 'group/create', { name })
    if (users.length > 0) await this.admin('POST', 'group/member/add', { id: data.id, users })
    return data.id
  }
}

/** Tells whether the file server has what the rules say. */
export async function isSettled({ db }: Pick<CheapSite, 'db'>): Promise<boolean> {
  const [state] = await db.select().from(folderState)
  return state?.version === state?.written
}

const arrangeUsers = prepared(async (site: GroupsSite) => {
  await site.addFirstUsers()
  for (const name of ['alice', 'bob', 'carol'])
    await site.addUser(name, { password: `${name}-Passw0rd` })
  const tokens = [await site.token('admin', ADMIN_PASSWORD)]
  for (const name of ['alice', 'bob']) tokens.push(await site.token(name, `${name}-Passw0rd`))
  await site.settle()
  return tokens
})

/** Admin (1), guest (2), alice (3), bob (4) and carol (5). Alice and Bob are signed in. */
export async function arrangeGroups(): Promise<{
  site: GroupsSite
  admin: string
  alice: string
  bob: string
}> {
  const site = new GroupsSite()
  const [admin = '', alice = '', bob = ''] = await arrangeUsers(site)
  site.adminToken = admin
  return { site, admin, alice, bob }
}
