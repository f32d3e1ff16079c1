import { eq } from 'drizzle-orm'
import { openidConsents, openidGrants } from '../../../../schema/tables.ts'
import { COMMAND_LINE } from '../../../core/access/operators.ts'
import { storedMethods } from '../../../core/access/sign-in-methods.ts'
import { isoTime, isoTimeOrNull } from '../../../core/base/time.ts'
import { runBatch } from '../../../core/database/statements.ts'
import type { OfUser } from '../../../programs/site/in-programs.ts'
import { listClients } from '../clients.ts'

export const ofUser: OfUser = {
  async exported({ db }, { id }) {
    const { consents, grants } = await runBatch(db, {
      consents: db.select().from(openidConsents).where(eq(openidConsents.userId, id)),
      grants: db.select().from(openidGrants).where(eq(openidGrants.userId, id)),
    })
    return {
      openid_consents: consents.map(({ clientId, scope, givenAt }) => ({
        client_id: clientId,
        scope,
        given_at: isoTime(givenAt),
      })),
      openid_grants: grants.map((grant) => ({
        client_id: grant.clientId,
        scope: grant.scope,
        redirect_uri: grant.redirectUri,
        session_id: grant.sessionId,
        methods: storedMethods(grant.amr).join(' '),
        signed_in_at: isoTimeOrNull(grant.authTime),
        created_at: isoTime(grant.createdAt),
        access_expires_at: isoTimeOrNull(grant.accessExpiresAt),
        refresh_expires_at: isoTimeOrNull(grant.refreshExpiresAt),
      })),
    }
  },
  programs: async (site) => (await listClients(site, COMMAND_LINE)).map(({ name }) => name),
}
