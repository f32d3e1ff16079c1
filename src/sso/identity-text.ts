import { visible } from '../base/text.ts'
import type { ProvenIdentity } from './store.ts'

/** Returns an identity as events show it: `Github: octocat`. */
export function identityText({ platform, name, subject }: ProvenIdentity): string {
  return `${platform}: ${name || visible(subject)}`
}
