import { runCommand } from './kit/command-error.ts'
import { enterData } from './kit/data-folder.ts'
import { newSecretKey } from './site/dev-vars.ts'
import { secretAdvice } from './site/secret-advice.ts'

/** `npm run secrets`: prints a new entry for `SECRET_KEYS`, and what to do with it here. */
await runCommand(async () => {
  enterData()
  console.log(`${newSecretKey()}

${secretAdvice()}`)
})
