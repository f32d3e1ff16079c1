import { sql } from 'drizzle-orm'
import { appPasswords } from '../../../schema/tables.ts'
import type { Client } from '../base/network.ts'
import type { AppPasswordActor, Needs } from './actor.ts'
import { hashAppPassword } from './app-password.ts'

/** Makes the actor of an app password with a right checksum. */
export function appPasswordActor(
  token: string,
  username: string | undefined,
  needs: Needs,
  client: Client,
): AppPasswordActor {
  const tokenHash = hashAppPassword(token)
  const userId = sql<number>`(select ${appPasswords.userId} from ${appPasswords} where ${appPasswords.tokenHash} = ${tokenHash})`
  return { tokenHash, username, needs, userId, ...client }
}
