import { statSync } from 'node:fs'
import { build } from 'esbuild'
import { kib } from '../src/programs/deploy/bundle.ts'
import { CommandError, runCommand } from '../src/programs/kit/command-error.ts'

const OUT = '.build/latchkey-ldap.mjs'
const MAX_BYTES = 100 * 1024

/** `npm run build:ldap`: the LDAP door as one file that needs Node alone. */
await runCommand(async () => {
  await build({
    entryPoints: ['src/programs/ldap-door/main.ts'],
    outfile: OUT,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
  })
  const { size } = statSync(OUT)
  console.log(`${OUT}: ${kib(size)} (limit ${kib(MAX_BYTES)})`)
  if (size > MAX_BYTES) throw new CommandError('The LDAP door is too large.')
})
