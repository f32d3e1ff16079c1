import { existsSync } from 'node:fs'
import { parseSecretKeys } from '../../core/crypto/key-ring.ts'
import { isPacked } from '../kit/places.ts'
import { latchkey } from '../kit/printed-command.ts'
import {
  DEV_VARS_FILE,
  givenSecretKeys,
  PRODUCTION_FILE,
  productionFile,
  readSecretKeys,
} from './dev-vars.ts'
import { STATE_FOLDER } from './local-database.ts'

/** Says what to do here with a new entry for `SECRET_KEYS`: it depends on what is in the folder. */
export function secretAdvice(): string {
  // A pack deploys nothing.
  const parts = [ofLocalSite(), ...(isPacked() ? [] : [ofDeployedSite()])]
  return ['This is one entry for SECRET_KEYS; nothing was changed.', ...parts].join('\n\n')
}

function ofLocalSite(): string {
  const place = givenSecretKeys() === undefined ? DEV_VARS_FILE : 'the environment'
  const entries = countEntries(DEV_VARS_FILE)
  if (entries > 0)
    return `On this machine, SECRET_KEYS of ${place} holds ${counted(entries)}, so this is a rotation:
1. Put the new entry first and keep the others: SECRET_KEYS=<new entry>,<what is there now>
   Never replace the list: that ends every sign-in and all two-step verification.
2. Restart the site.
3. ${latchkey('secrets', 'reseal')}
   It seals everything with the new entry, and says when the older ones can go.`
  if (existsSync(STATE_FOLDER))
    return `On this machine there is a site, but ${place} has no valid SECRET_KEYS: put the list of this site back. A new
entry opens nothing of it, and ends all two-step verification.`
  return `On this machine there is no site yet: npm start makes ${DEV_VARS_FILE} with an entry of its own. To choose it
yourself, write SECRET_KEYS=<entry> into ${DEV_VARS_FILE} before the first start.`
}

function ofDeployedSite(): string {
  const entries = countEntries(productionFile())
  if (entries === 0)
    return `A deployed site: npm run deploy makes its first entry and keeps a copy in ${PRODUCTION_FILE}, which is not in
this folder. If a site is deployed already, find that copy before you rotate: the older entries must stay.`
  return `The deployed site: ${PRODUCTION_FILE} holds ${counted(entries)}, so this is a rotation:
1. Put the new entry first and keep the others, in ${PRODUCTION_FILE}.
2. npx wrangler secret put SECRET_KEYS    (paste the whole list)
3. ${latchkey('secrets', 'reseal', '--remote')}
   It seals everything with the new entry, and says when the older ones can go.`
}

function countEntries(file: string): number {
  const isGiven = file === DEV_VARS_FILE && givenSecretKeys() !== undefined
  if (!isGiven && !existsSync(file)) return 0
  const parsed = parseSecretKeys(readSecretKeys(file))
  return typeof parsed === 'string' ? 0 : parsed.length
}

const counted = (entries: number) => (entries === 1 ? '1 entry' : `${entries} entries`)
