import { COMMAND_LINE } from '../../../core/access/operators.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import { readSiteEvents } from '../operator-events.ts'
import { eventRecord } from '../record.ts'

export const ofUser: OfUser = {
  async exported(site, { id }) {
    const events = []
    for await (const page of readSiteEvents(site, COMMAND_LINE, { userId: id }))
      events.push(...page)
    return { events: events.map((event) => ({ ...eventRecord(event), country: event.country })) }
  },
}
