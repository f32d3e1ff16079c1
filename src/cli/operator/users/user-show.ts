import type { Command } from 'commander'
import { listKeysOf } from '../../../ssh-keys/keys.ts'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { listSessionsOf } from '../../../sessions/operator-sessions.ts'
import { listPasskeysOf } from '../../../passkeys/manage.ts'
import { listAppPasswordsOf } from '../../../app-passwords/app-passwords.ts'
import { identityText } from '../../../sso/identity-text.ts'
import { listIdentitiesOf } from '../../../sso/manage.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { permissionNames } from '../../shared/permission.ts'
import { fullUserRecord, userText } from './user-text.ts'

/** `latchkey user show` */
export function addUserShowCommand(program: Command, user: Command): void {
  addHelp(user.command('show'), { examples: ['user show alice', "user show '#3'"] })
    .argument('<user>', USER_ARGUMENT)
    .description('shows all data of a user')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const account = await lookUpUser(site, name)
        const sessions = await listSessionsOf(site, COMMAND_LINE, account.id)
        const keys = await listKeysOf(site, COMMAND_LINE, account.id)
        const passkeys = await listPasskeysOf(site, COMMAND_LINE, account.id)
        const appPasswords = await listAppPasswordsOf(site, COMMAND_LINE, account.id)
        const identities = await listIdentitiesOf(site, COMMAND_LINE, account.id)
        const counts = {
          sessions: sessions.length,
          keys: keys.total,
          passkeys: passkeys.length,
          app_passwords: appPasswords.length,
          linked_accounts: identities.map(identityText),
        }
        const permissions = permissionNames(account.permission)
        const record = { ...fullUserRecord(account), permissions, ...counts }
        output.record(record, { ...userText(account), sub: account.sub, ...counts })
      }),
    )
}
