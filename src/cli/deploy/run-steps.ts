import { CommandError } from '../command-error.ts'
import { explain, type Resources, type Wrangler } from './cloudflare.ts'
import type { SiteConfig } from './site-config.ts'

/** One run of `npm run deploy`: what its steps need of the world, and what they tell later ones. */
export interface Deployment {
  wrangler: Wrangler
  config: SiteConfig
  /** A folder of this run alone, for what is built and uploaded. */
  folder: string
  /** Makes the first accounts in production; see `createFirstAccounts`. */
  makeFirstAccounts: () => Promise<string | undefined>
  print: (line: string) => void
  resources: Resources
  /** What is to be uploaded; `undefined` when production keeps the secret it has. */
  secretKeys?: string
  /** Where the site answers. */
  addresses: string[]
}

/** Both forms do their work and answer with one line that says what was, or would be, done. */
export interface Step {
  title: string
  run: (deployment: Deployment) => Promise<string>
  /** The same without network: tries what can be tried here. */
  rehearse: (deployment: Deployment) => Promise<string>
  /** How to go on when it fails. */
  remedy: string
}

/**
 * Takes the steps in turn.
 *
 * @throws {CommandError} At the first that fails: which, why, and how to go on.
 */
export async function takeSteps(
  steps: readonly Step[],
  deployment: Deployment,
  isRehearsal: boolean,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const number = `${index + 1}/${steps.length}`
    deployment.print(`${number} ${step.title} …`)
    try {
      const done = await (isRehearsal ? step.rehearse(deployment) : step.run(deployment))
      deployment.print(`    ${done}`)
    } catch (error) {
      throw new CommandError(
        `${number} failed: ${explain(error).message}\n\n${step.remedy} Then run npm run deploy again: what is done is kept, the rest follows.`,
        { cause: error },
      )
    }
  }
}
