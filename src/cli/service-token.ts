import type { Command } from 'commander'
import * as v from 'valibot'
import { isoTime } from '../http/envelope.ts'
import { maxCharacters, noControlCharacters, text } from '../text.ts'
import { addServiceToken, deleteServiceToken, listServiceTokens } from '../tokens/service-tokens.ts'
import { CommandError } from './command-error.ts'
import { onSite } from './on-site.ts'
import { parsed } from './parsed.ts'

const COLUMNS = ['name', 'scope', 'created_time']
const MAX_NAME_CHARACTERS = 255

const nameSchema = v.pipe(text(), maxCharacters(MAX_NAME_CHARACTERS), noControlCharacters())

/** `latchkey service-token add|list|delete`: credentials of SFTP servers. */
export function addServiceTokenCommands(program: Command, serviceToken: Command): void {
  addAddCommand(program, serviceToken)
  addListCommand(program, serviceToken)
  addDeleteCommand(program, serviceToken)
}

function addAddCommand(program: Command, serviceToken: Command): void {
  serviceToken
    .command('add')
    .argument('<name>', 'of the server, for you to know it by', parsed(nameSchema))
    .description('makes one and prints it, this once')
    .addHelpText('after', '\nExample:\n  latchkey service-token add files.example.org')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        const token = await addServiceToken(site, name, 'sftp')
        if (token === undefined) {
          throw new CommandError(`There is a service token "${name}" already: delete it first.`)
        }
        // Alone on its line, so that a script can keep it.
        output.done(token, { name, token })
      }),
    )
}

function addListCommand(program: Command, serviceToken: Command): void {
  serviceToken
    .command('list')
    .description('names them; what they are nobody can show')
    .addHelpText('after', '\nExample:\n  latchkey service-token list')
    .action(() =>
      onSite(program, async (site, output) => {
        const tokens = await listServiceTokens(site.db)
        const content = tokens.map(({ name, scope, createdAt }) => ({
          name,
          scope,
          created_time: isoTime(createdAt),
        }))
        output.list(COLUMNS, { content, total: content.length })
      }),
    )
}

function addDeleteCommand(program: Command, serviceToken: Command): void {
  serviceToken
    .command('delete')
    .argument('<name>', 'as service-token list shows it')
    .description('ends one at once')
    .addHelpText('after', '\nExample:\n  latchkey service-token delete files.example.org')
    .action((name: string) =>
      onSite(program, async (site, output) => {
        if (!(await deleteServiceToken(site, name))) {
          throw new CommandError(
            `There is no service token "${name}": see latchkey service-token list.`,
          )
        }
        output.done(`Ended ${name}.`, { name })
      }),
    )
}
