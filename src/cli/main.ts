import { Command } from 'commander'
import { runCommand } from './command-error.ts'
import { addServiceTokenCommands } from './service-token.ts'

/** `npm run latchkey -- <command>`: for whoever runs the site. */
const program = new Command('latchkey')
  .description('Runs a Latchkey site from the command line.')
  .showHelpAfterError('(latchkey --help shows what there is)')
  .showSuggestionAfterError()

addServiceTokenCommands(program)

await runCommand(async () => {
  await program.parseAsync()
})
