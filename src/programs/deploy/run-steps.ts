import { CommandError, messageOf } from '../kit/command-error.ts'
import { explain, type Wrangler } from '../site/cloudflare.ts'
import { whileWaiting } from '../kit/waiting.ts'
import type { MadeWorker } from './bundle.ts'
import type { Resources, SiteConfig } from '../site/site-config.ts'

/** One run of `npm run deploy`: what the steps need, and what earlier steps pass to later ones. */
export interface Deployment {
  wrangler: Wrangler
  config: SiteConfig
  /** A temporary folder of this run, for the build and the upload. */
  folder: string
  /** The operator's choice for admin; `undefined` for a password that is made and printed. */
  adminPassword: string | undefined
  /** Creates the first accounts in production; see `createFirstAccounts`. */
  createFirstAccounts: () => Promise<string | undefined>
  /** The hosts of custom domains that may be attached to the Worker, besides those that are. */
  attach: readonly string[]
  /** Lists the hosts of the account's custom domains that lead to the Worker. */
  listDomains: (accountId: string) => Promise<string[]>
  /** Writes the modules of the Worker into a folder. */
  makeWorker: (config: SiteConfig, folder: string) => Promise<MadeWorker>
  print: (line: string) => void
  /** The path of the main module, once the Worker is built. */
  main: string
  resources: Resources
  /** The secret to upload; `undefined` when production keeps its secret. */
  secretKeys?: string
  /** Set when this run has made the first accounts. */
  isNew?: boolean
  /** The URLs of the site. */
  addresses: string[]
}

/** One step of a deploy. `run` and `rehearse` return one line that says what was, or would be, done. */
export interface Step {
  title: string
  run: (deployment: Deployment) => Promise<string>
  /** Like `run`, but without network: runs only the parts that work on this machine. */
  rehearse: (deployment: Deployment) => Promise<string>
  /** Tells the operator what to do when the step fails. */
  remedy: string
}

/**
 * Runs the steps in order.
 *
 * @throws {CommandError} When a step fails; the message says which, why, and what to do.
 */
export async function runSteps(
  steps: readonly Step[],
  deployment: Deployment,
  isRehearsal: boolean,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const number = `${index + 1}/${steps.length}`
    deployment.print(`${number} ${step.title} …`)
    try {
      const done = await whileWaiting(step.title, () =>
        isRehearsal ? step.rehearse(deployment) : step.run(deployment),
      )
      deployment.print(`    ${done}`)
    } catch (error) {
      // What fails in a rehearsal has failed on this machine.
      const reason = isRehearsal ? (messageOf(error) ?? String(error)) : explain(error).message
      throw new CommandError(
        `${number} failed: ${reason}\n\n${step.remedy} Then run npm run deploy again: it keeps what is done, and does the rest.`,
        { cause: error },
      )
    }
  }
}
