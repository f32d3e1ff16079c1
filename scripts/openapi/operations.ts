import type { Operations } from './operation.ts'
import { adminUserOperations } from './operations/admin.ts'
import { loginOperations } from './operations/login.ts'
import { meOperations } from './operations/me.ts'
import { publicOperations } from './operations/public.ts'
import { siteOperations } from './operations/settings.ts'
import { sftpOperations } from './operations/sftp.ts'
import { sshKeyOperations } from './operations/ssh-keys.ts'
import { twoFactorOperations } from './operations/two-factor.ts'

/**
 * The descriptions of every endpoint, in the order of the document. `buildDocument` names missing
 * ones.
 */
export const operationGroups: Record<string, Operations> = {
  'Sign-in': loginOperations,
  'Two-step verification': twoFactorOperations,
  'Own account': meOperations,
  'SSH keys': sshKeyOperations,
  'Operators: users': adminUserOperations,
  'Operators: site': siteOperations,
  'SFTP servers': sftpOperations,
  Public: publicOperations,
}

export const operations: Operations = Object.assign({}, ...Object.values(operationGroups))
