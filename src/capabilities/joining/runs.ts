import type { RunPart } from '../../core/deps.ts'
import { dueMailParts, sendTaken } from '../mail/send.ts'
import { becomeMails } from './forgotten.ts'
import { pruneLinks } from './link-store.ts'

export const nightly: RunPart = ({ deps, now, batch }) =>
  batch.add({ links: pruneLinks(deps.db, now) })

export const frequent: RunPart = async ({ deps, now, batch }) => {
  const { expiredMails, dueMails } = await batch.add(dueMailParts(deps, now))
  await sendTaken(deps, expiredMails, dueMails, becomeMails(deps))
}
