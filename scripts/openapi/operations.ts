import type { Operations } from './operation.ts'
import { adminUserOperations } from './operations/admin.ts'
import { loginOperations } from './operations/login.ts'
import { meOperations } from './operations/me.ts'
import { publicOperations } from './operations/public.ts'
import { siteOperations } from './operations/settings.ts'
import { sftpOperations } from './operations/sftp.ts'
import { sshKeyOperations } from './operations/ssh-keys.ts'
import { twoFactorOperations } from './operations/two-factor.ts'

/** What the document says of every endpoint, in its order; a test names the one that is missing. */
export const groups: Record<string, Operations> = {
  'Signing in': loginOperations,
  'Two-step verification': twoFactorOperations,
  'The own account': meOperations,
  'SSH keys': sshKeyOperations,
  'For operators: users': adminUserOperations,
  'For operators: the site': siteOperations,
  'For SFTP servers': sftpOperations,
  'For everybody': publicOperations,
}

export const operations: Operations = Object.assign({}, ...Object.values(groups))
