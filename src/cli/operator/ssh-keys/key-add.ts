import { basename } from 'node:path'
import type { Command } from 'commander'
import * as v from 'valibot'
import { COMMAND_LINE } from '../../../access/operators.ts'
import { addKeyOf } from '../../../ssh-keys/keys.ts'
import { parsePublicKey } from '../../../ssh-keys/openssh.ts'
import { titleSchema } from '../../../ssh-keys/title.ts'
import { KeyError } from '../../../crypto/wire.ts'
import { CommandError, UsageError } from '../../shared/command-error.ts'
import { readAll } from '../../shared/standard-input.ts'
import { lookUpUser, USER_ARGUMENT } from '../../site/find-user.ts'
import { addHelp } from '../../shared/help.ts'
import { onSite } from '../../site/on-site.ts'
import { parsed } from '../../shared/parsed.ts'
import { readSmallFile } from '../../shared/small-file.ts'

const NOTES = `The file holds one key: a .pub file of ssh-keygen, or a public key of PuTTYgen or in PEM. Without --title,
the title is the comment of the key, or else the name of the file.`

/** `latchkey key add` */
export function addKeyAddCommand(program: Command, key: Command): void {
  addHelp(key.command('add'), {
    notes: NOTES,
    examples: [
      'key add alice ~/.ssh/id_ed25519.pub --title laptop',
      'key add alice - < ~/.ssh/id_ed25519.pub',
    ],
  })
    .argument('<user>', USER_ARGUMENT)
    .argument('<file>', 'a file with a public key; - reads the standard input')
    .description('adds a key to a user')
    .option('--title <title>', 'the name of the key in lists', parsed(titleSchema))
    .action(async (name: string, file: string, options: { title?: string }) => {
      // Before the site is opened, because an unreadable file needs no site.
      const text = file === '-' ? await readAll(process.stdin) : readSmallFile(file)
      const title = options.title ?? titleOf(text, file)
      await onSite(program, async (site, output) => {
        const { id, username } = await lookUpUser(site, name)
        const { fingerprint } = await addKeyOf(site, COMMAND_LINE, id, title, text)
        const done = `Added ${JSON.stringify(title)} to ${username}: ${fingerprint}`
        output.done(done, { username, title, fingerprint })
      })
    })
}

/**
 * @throws {CommandError} With the reason, for a text that is no public key.
 * @throws {UsageError} When neither the comment nor the name of the file can be a title.
 */
function titleOf(text: string, file: string): string {
  const candidates = [commentOf(text), file === '-' ? '' : basename(file)]
  const title = candidates.find((one) => v.is(titleSchema, one))
  if (title !== undefined) return title
  throw new UsageError('The key has no comment that could be its title: give one with --title.')
}

function commentOf(text: string): string {
  try {
    return parsePublicKey(text).comment
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
    throw new CommandError(`provided key invalid: ${error.message}`)
  }
}
