import { visible } from '../../core/base/text.ts'
import type { ProvenIdentity } from './store.ts'

/** What is written of an identity. */
type NamedIdentity = Pick<ProvenIdentity, 'subject' | 'name'> & { platform: string }

/** Returns an identity as events show it: `Github: octocat`. */
export function identityText({ platform, name, subject }: NamedIdentity): string {
  return `${platform}: ${name || visible(subject)}`
}
