import { Command } from 'commander'
import { runCommand } from './command-error.ts'
import { addDoctorCommand } from './doctor.ts'
import { addServiceTokenCommands } from './service-token.ts'

/** `npm run latchkey -- <command>`: for whoever runs the site. */
const program = new Command('latchkey')
  .description('Runs a Latchkey site from the command line.')
  .option('--remote', 'works on the deployed site')
  .showHelpAfterError('(latchkey --help shows what there is)')
  .showSuggestionAfterError()

addServiceTokenCommands(program)
addDoctorCommand(program)

await runCommand(async () => {
  await program.parseAsync()
})
