import { CheapSite } from './cheap-site.ts'
import { rememberSecret } from './log.ts'
import { prepared } from './prepared.ts'
import { Visitor } from './visitor.ts'

// On a site of its own, because tests of other files get the same token, and the site of the first
// test that asks for it may have another database.
const arrangeAlice = prepared(async () => {
  const site = new CheapSite()
  const token = await site.addSignedInUser()
  await site.settle()
  return token
})

/** Fills empty storage with admin, guest and alice (id 3), who is signed in: her token. */
export async function signInAlice(site: CheapSite): Promise<string> {
  const token = await arrangeAlice(site)
  for (const secret of [token, 'alice-Passw0rd']) rememberSecret(secret)
  return token
}

/** Like `prepared`, for a set-up in which somebody at a browser gets cookies. */
export function preparedVisit<Arranged extends CheapSite>(
  arrange: (site: Arranged, visitor: Visitor) => Promise<unknown>,
  headers: Record<string, string> = {},
): (site: Arranged) => Promise<Visitor> {
  const arrangeCookies = prepared(async (site: Arranged) => {
    const visitor = new Visitor(site, headers)
    await arrange(site, visitor)
    return visitor.cookies
  })
  return async (site) => {
    const visitor = new Visitor(site, headers)
    for (const [name, value] of await arrangeCookies(site)) visitor.cookies.set(name, value)
    return visitor
  }
}
