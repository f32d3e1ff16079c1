import { CheapSite } from '../support/cheap-site.ts'
import { type Registered, withClientAndAlice } from '../support/openid.ts'
import type { Visitor } from '../support/visitor.ts'

export let site: CheapSite
export let client: Registered
export let alice: Visitor

/** Arranges a test: a client, and alice, who is signed in at a browser. */
export async function arrange(): Promise<void> {
  site = new CheapSite()
  ;({ client, alice } = await withClientAndAlice(site))
}
