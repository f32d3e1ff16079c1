import type { Command } from 'commander'
import { randomBytes } from '../deps.ts'
import { addServiceToken, deleteServiceToken, listServiceTokens } from '../tokens/service-tokens.ts'
import { CommandError } from './command-error.ts'
import { withDatabase } from './database.ts'

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
      withDatabase(async (db) => {
        const token = await addServiceToken({ db, now: Date.now, randomBytes }, name, 'sftp')
        if (token === undefined)
          throw new CommandError(`There is a service token "${name}" already: delete it first.`)
        console.log(token)
      }),
    )
  serviceToken
    .command('list')
    .description('names them; what they are nobody can show')
    .action(() =>
      withDatabase(async (db) => {
        for (const { name, scope, createdAt } of await listServiceTokens(db)) {
          console.log(`${name}\t${scope}\t${new Date(createdAt).toISOString()}`)
        }
      }),
    )
  serviceToken
    .command('delete <name>')
    .description('ends one at once')
    .action((name: string) =>
      withDatabase(async (db) => {
        if (!(await deleteServiceToken({ db, now: Date.now }, name))) {
          throw new CommandError(
            `There is no service token "${name}": see latchkey service-token list.`,
          )
        }
        console.log(`Ended: ${name}`)
      }),
    )
}
