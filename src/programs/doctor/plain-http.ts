import * as v from 'valibot'

/** The answer of a deployed site over plain http; `unknown` when its address is unknown. */
export type PlainHttp = 'refused' | 'answered' | 'silent' | 'unknown'

const ASK_MILLISECONDS = 10_000
/** A public path of every site. */
const PATH = '/api/public/settings'

const acceptedSchema = v.object({ code: v.literal(200) })

/** Sends a request to a site over plain http; follows no redirect. */
export async function askOverHttp(host: string | undefined): Promise<PlainHttp> {
  if (host === undefined) return 'unknown'
  try {
    const answer = await fetch(`http://${host}${PATH}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ASK_MILLISECONDS),
    })
    const body: unknown = await answer.json().catch(() => undefined)
    return v.is(acceptedSchema, body) ? 'answered' : 'refused'
  } catch {
    return 'silent'
  }
}
