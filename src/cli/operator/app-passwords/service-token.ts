import type { Command } from 'commander'
import * as v from 'valibot'
import { isoTime } from '../../../base/time.ts'
import { nameText } from '../../../base/text.ts'
import {
  addServiceToken,
  deleteServiceToken,
  listServiceTokens,
  SCOPE_NAMES,
  type ScopeName,
  scopeText,
} from '../../../access/service-tokens.ts'
import { CommandError } from '../../shared/command-error.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parsed } from '../../shared/parsed.ts'
import { latchkey } from '../../shared/printed-command.ts'

const COLUMNS = ['name', 'scope', 'created_time']
const MAX_NAME_CHARACTERS = 255

const nameSchema = nameText(MAX_NAME_CHARACTERS)
const scopeSchema = v.picklist(SCOPE_NAMES, `must be one of ${SCOPE_NAMES.join(', ')}`)

type Scopes = [ScopeName, ...ScopeName[]]

/** `latchkey service-token add|list|delete`: manages the credentials of servers. */
export function addServiceTokenCommands(program: Command, serviceToken: Command): void {
  addAddCommand(program, serviceToken)
  addListCommand(program, serviceToken)
  addDeleteCommand(program, serviceToken)
}

function addAddCommand(program: Command, serviceToken: Command): void {
  addHelp(serviceToken.command('add'), {
    examples: ['service-token add files.example.org --scope sftp:keys'],
  })
    .argument(
      '<name>',
      'a name for the token, such as the host name of the server',
      parsed(nameSchema),
    )
    .description('creates a service token and prints it, only once')
    .option(
      '--scope <scope>',
      'sftp:keys to ask for keys, sftp:passwords to check passwords, sftp for both, introspect to ask whether a token is good, ldap for an LDAP door; can be repeated (default: sftp)',
      collectScope,
    )
    .action((name: string, { scope: scopes = ['sftp'] }: { scope?: Scopes }) =>
      onSite(program, async (site, output) => {
        const token = await addServiceToken(site, name, ...scopes)
        if (token === undefined) {
          throw new CommandError(`A service token "${name}" exists already: delete it first.`)
        }
        // The token alone, so that a script can use the output.
        output.done(token, { name, scope: scopeText(scopes), token })
      }),
    )
}

function collectScope(scope: string, others?: Scopes): Scopes {
  const name = parsed(scopeSchema)(scope)
  return others === undefined ? [name] : [...others, name]
}

function addListCommand(program: Command, serviceToken: Command): void {
  addHelp(serviceToken.command('list'), { examples: ['service-token list'] })
    .description('lists service tokens with their scopes; the tokens themselves are not stored')
    .action(() =>
      onSite(program, async (site, output) => {
        const tokens = await listServiceTokens(site.db)
        const content = tokens.map(({ name, scope, createdAt }) => ({
          name,
          scope,
          created_time: isoTime(createdAt),
        }))
        output.list(COLUMNS, { content, total: content.length }, 'There are no service tokens.')
      }),
    )
}

function addDeleteCommand(program: Command, serviceToken: Command): void {
  addHelp(serviceToken.command('delete'), {
    examples: ['service-token delete files.example.org'],
  })
    .argument('<name>', 'the name that service-token list shows')
    .description('deletes a service token; it stops working at once')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        if (!(await deleteServiceToken(site, name))) {
          throw new CommandError(
            `There is no service token "${name}": see ${latchkey('service-token', 'list')}`,
          )
        }
        output.done(`Deleted the service token ${name}.`, { name })
      }),
    )
}
