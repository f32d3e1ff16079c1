import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../web/http/context.ts'
import { namesInList } from '../../../core/accounts/group-lists.ts'
import { findActor } from '../../../web/http/guard.ts'
import { query } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { forwardAuth, headerText } from '../forward-auth.ts'

/** Headers by which servers and frameworks let a client override the method of its request. */
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']

/** WebDAV clients ask for a password when they see it. @see RFC 7617 section 2 */
const CHALLENGE = 'Basic realm="Latchkey", charset="UTF-8"'

/** `allowed_groups=finance,hr`: an empty list is one that has nobody. */
const allowedQuery = v.object({
  allowed_groups: v.optional(v.pipe(v.string(), v.transform(namesInList))),
})

/** A name that is meant to be `allowed_groups`. */
const LIKE_ALLOWED_GROUPS = /group|allow/i

/**
 * Tells whether an operator wrote another parameter than `allowed_groups` into a proxy: a slip in
 * its name. Caddy alone adds the query of the visitor, where its own address has no `?`: it repeats
 * it in `X-Forwarded-Uri`, and names the method in `X-Forwarded-Method`. A visitor could repeat the
 * operator's slip, so what looks like one is never the visitor's. nginx passes the headers of the
 * visitor on, with `X-Original-Method` beside them.
 */
function isMisspelt({ req }: AppContext): boolean {
  const { search, searchParams } = new URL(req.url)
  const others = Array.from(searchParams.keys()).filter((name) => name !== 'allowed_groups')
  if (others.length === 0) return false
  if (others.some((name) => LIKE_ALLOWED_GROUPS.test(name.normalize('NFKC')))) return true
  if (req.header('X-Forwarded-Method') === undefined) return true
  if (req.header('X-Original-Method') !== undefined) return true
  const visited = /\?.*$/s.exec(req.header('X-Forwarded-Uri') ?? '')?.[0] ?? '?'
  return new URL(visited, req.url).search !== search
}

/**
 * `/api/forward_auth`, which nginx, Caddy and Traefik ask before they pass a request on. The HTTP
 * status is the answer: proxies look at nothing else. `?allowed_groups=finance,hr` lets members of
 * these groups through only; another parameter lets nobody through.
 */
export const forwardAuthRoutes = new Hono<App>().get('/', query(allowedQuery), async (c) => {
  const method = {
    forwarded: c.req.header('X-Forwarded-Method'),
    original: c.req.header('X-Original-Method'),
    isOverridden: OVERRIDES.some((name) => c.req.header(name) !== undefined),
  }
  const { allowed_groups: given } = c.req.valid('query')
  const allowed = isMisspelt(c) ? [] : given
  try {
    const actor = await findActor(c, 'files:read')
    if (actor === undefined) throw new Refusal('tokenInvalidated')
    const user = await forwardAuth(c.get('deps'), actor, method, allowed)
    c.set('outcome', 200)
    return c.text('', 200, {
      'Remote-User': headerText(user.username),
      // A comma is in no name of a group.
      'Remote-Groups': user.groups.map(headerText).join(','),
      'X-Base-Path': headerText(user.basePath),
      'X-Permission': String(user.permission),
    })
  } catch (error) {
    if (error instanceof Refusal && error.code === 401) c.header('WWW-Authenticate', CHALLENGE)
    throw error
  }
})
