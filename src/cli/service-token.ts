import type { Command } from 'commander'
import { addServiceToken, deleteServiceToken, listServiceTokens } from '../tokens/service-tokens.ts'
import { CommandError } from './command-error.ts'
import { withSite } from './site.ts'

const EXAMPLES = `
Example:
  latchkey service-token add files.example.org`

/** `latchkey service-token add|list|delete`: credentials of SFTP servers. */
export function addServiceTokenCommands(program: Command): void {
  const serviceToken = program
    .command('service-token')
    .description('Credentials with which SFTP servers ask for keys.')
    .addHelpText('after', EXAMPLES)

  serviceToken
    .command('add <name>')
    .description('makes one and shows it, this once')
    .action((name: string) =>
      withSite({}, async (site) => {
        const token = await addServiceToken(site, name, 'sftp')
        if (token === undefined)
          throw new CommandError(`There is a service token "${name}" already: delete it first.`)
        console.log(token)
      }),
    )
  serviceToken
    .command('list')
    .description('names them; what they are nobody can show')
    .action(() =>
      withSite({}, async (site) => {
        for (const { name, scope, createdAt } of await listServiceTokens(site.db)) {
          console.log(`${name}\t${scope}\t${new Date(createdAt).toISOString()}`)
        }
      }),
    )
  serviceToken
    .command('delete <name>')
    .description('ends one at once')
    .action((name: string) =>
      withSite({}, async (site) => {
        if (!(await deleteServiceToken(site, name))) {
          throw new CommandError(
            `There is no service token "${name}": see latchkey service-token list.`,
          )
        }
        console.log(`Ended: ${name}`)
      }),
    )
}
