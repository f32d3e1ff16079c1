import { VERSION } from '../../capabilities/settings/defaults.ts'
import { shellWord } from '../../core/base/shell-word.ts'
import { visible } from '../../core/base/text.ts'
import { installed, isPacked } from './places.ts'

/** In a container, what stands before the words of a command outside of it. */
const COMMAND_VARIABLE = 'LATCHKEY_COMMAND'
const START_IN_CONTAINER = 'docker compose up -d'
const STOP_IN_CONTAINER = 'docker compose stop latchkey'
const RUN_IN_CONTAINER = 'docker compose run --rm latchkey'
/** As in `compose.yaml`. */
const IMAGE = 'latchkey'

/**
 * Returns a command for an operator who copies it into a shell. Every command that the command line
 * prints comes from here: a name that a user has chosen would otherwise be a command itself.
 *
 * @param words Of the command, each as it is. The operator replaces those in capitals.
 */
export function latchkey(...words: readonly string[]): string {
  return line(commandHere(), words)
}

/** The same for a site that does not run: in its container nothing can be executed then. */
export function latchkeyStopped(...words: readonly string[]): string {
  return line(isInContainer() ? RUN_IN_CONTAINER : commandHere(), words)
}

function line(command: string, words: readonly string[]): string {
  return [command, ...words.map((word) => shellWord(visible(word)))].join(' ')
}

function commandHere(): string {
  if (!isPacked()) return 'npm run latchkey --'
  return process.env[COMMAND_VARIABLE] || shellWord(installed('latchkey'))
}

/**
 * Names the image or the archive of another version.
 *
 * @param version `undefined`, or that of this one, where nobody has noted which one it is.
 */
export function installationOf(version: string | undefined): string {
  const isKnown = version !== undefined && version !== VERSION
  if (isInContainer()) return isKnown ? `the image ${IMAGE}:${version} or a later one` : 'its image'
  return isKnown ? `the archive of version ${version} or a later one` : 'its archive'
}

function isInContainer(): boolean {
  return isPacked() && Boolean(process.env[COMMAND_VARIABLE])
}

/** Rewrites a text that was written for a checkout for the installation that says it. */
export function saidHere(text: string): string {
  if (!isPacked()) return text
  const [start, said] = isInContainer()
    ? [START_IN_CONTAINER, saidInContainer(text)]
    : [latchkey('start'), text]
  return said
    .replaceAll(/\bnpm run (?:-s )?latchkey --(?= |$)/gm, commandHere)
    .replaceAll(/\bnpm start\b(?: --(?= -))?/g, () => start)
    .replaceAll(/\bnpm run secrets\b/g, () => latchkeyStopped('secrets', 'new'))
    .replaceAll('git pull', () => 'upgrade Latchkey')
}

/**
 * Files that commands name are in the folder of the data there, `restore` needs a site that does
 * not run, and Compose takes no file as the standard input of a terminal.
 */
function saidInContainer(text: string): string {
  return text
    .replaceAll(/\bnpm run latchkey --(?= restore\b)/g, RUN_IN_CONTAINER)
    .replaceAll(/ ~\/(?=.*\.sqlite)/g, ' backups/')
    .replaceAll('Ctrl-C stops it', `${STOP_IN_CONTAINER} stops it`)
    .replaceAll('docs/self-hosting.md', 'docs/container.md')
    .replaceAll(/\bnpm run (?:-s )?latchkey --(?= .* < )/g, () =>
      commandHere().replace('compose exec ', 'compose exec -T '),
    )
}

/** Returns a command for the site that is meant. */
export function latchkeyOn({ isRemote }: { isRemote: boolean }, ...words: readonly string[]) {
  return latchkey(...words, ...(isRemote ? ['--remote'] : []))
}

/** The word of a command for a user: the name, or `#7` when the name can't stand there. */
export function userWord({ id, username }: { id: number; username: string }): string {
  const isOption = username.startsWith('-')
  return isOption || username.startsWith('#') || visible(username) !== username
    ? `#${id}`
    : username
}
