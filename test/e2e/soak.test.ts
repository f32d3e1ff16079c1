import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Sites } from '../bench/sites.ts'
import { liveHeapBytes } from '../bench/inspector.ts'
import { soak } from '../soak/soak.ts'
import { Violation } from '../soak/model.ts'
import { DEEDS, Visitor } from '../soak/visitor.ts'
import { cheapHash } from '../support/cheap-hash.ts'

describe('the soak', () => {
  test('finds nothing wrong in a few seconds, and measures memory meanwhile', async () => {
    const { counts, violations, heap } = await soak({
      minutes: 0.03,
      samples: 3,
      visitors: 6,
    })
    expect(violations).toEqual([])
    expect(counts.get('sign-in 200')).toBeGreaterThan(0)
    expect(heap).toHaveLength(3)
    for (const { bytes } of heap) expect(bytes).toBeGreaterThan(1024 * 1024)
  })

  describe('without faults', () => {
    let sites: Sites

    beforeAll(async () => {
      const script = join(inject('workerFolder'), 'worker.js')
      sites = await Sites.start([{ name: 'now', script }], { inspectable: true, derive: cheapHash })
    })
    afterAll(() => sites.stop())

    test('lets a visitor do everything there is to do', async () => {
      const answers = new Set<string>()
      const count = (what: string, code: number) => answers.add(`${what} ${code}`)
      const visitor = new Visitor(sites.url('now'), 1, count)
      await visitor.act()
      for (const [deed] of DEEDS) await visitor.act(deed)
      expect(Array.from(answers).filter((answer) => answer.endsWith(' 503'))).toEqual([])
      for (const answer of ['password change 200', 'ended password 401', '2fa verify 200'])
        expect(answers).toContain(answer)
      // A session that a password change has ended; a sign-in without the code that it takes now.
      for (const answer of ['me 401', 'sign-in 402']) expect(answers).toContain(answer)
    })

    test('finds a session that a sign-out does not end', async () => {
      const database = await sites.database('now')
      await database.exec(
        'create trigger kept before delete on sessions begin select raise(ignore); end',
      )
      const visitor = new Visitor(sites.url('now'), 2, () => undefined)
      const visit = async () => {
        for (const [deed] of [...DEEDS, ...DEEDS]) await visitor.act(deed)
      }
      await expect(visit()).rejects.toThrow(Violation)
      await database.exec('drop trigger kept')
    })

    test('measures memory without adding to it', async () => {
      const first = await liveHeapBytes(sites, 'now')
      for (let i = 0; i < 20; i++) await liveHeapBytes(sites, 'now')
      const last = await liveHeapBytes(sites, 'now')
      expect(last - first).toBeLessThan(32 * 1024)
    })
  })
})
