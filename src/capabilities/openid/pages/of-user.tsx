import type { PartOfUser } from '../../../web/kit/part-of-user.ts'
import { selectAccessOf } from '../grant-store.ts'
import { AppFacts } from './programs.tsx'

export const ofUser: PartOfUser = {
  async connected({ db }, userId, batch) {
    const { programs } = await batch.add({ programs: selectAccessOf(db, userId) })
    return {
      title: (t) => t.programs.title,
      page: '/account/programs',
      rows: programs.map((program) => (view) => ({
        name: program.name,
        facts: <AppFacts view={view} program={program} />,
      })),
    }
  },
}
