import type { Operations } from './operation.ts'
import { adminUserOperations } from '../../src/capabilities/users/docs.ts'
import {
  adminAppPasswordOperations,
  appPasswordOperations,
  tokenServerOperations,
} from '../../src/capabilities/app-passwords/docs.ts'
import {
  linkOperations,
  ownEmailOperations,
  registrationOperations,
} from '../../src/capabilities/joining/docs.ts'
import {
  folderRuleOperations,
  groupOperations,
  ownGroupOperations,
} from '../../src/capabilities/groups/docs.ts'
import { ldapOperations } from '../../src/capabilities/ldap/docs.ts'
import { loginOperations } from '../../src/capabilities/sign-in/docs.ts'
import { meOperations } from '../../src/capabilities/me/docs.ts'
import { openidOperations } from '../../src/capabilities/openid/docs.ts'
import { adminPasskeyOperations, passkeyOperations } from '../../src/capabilities/passkeys/docs.ts'
import { adminNoticeOperations, noticeOperations } from '../../src/capabilities/notices/docs.ts'
import { publicOperations } from '../../src/capabilities/settings/docs/public.ts'
import { siteOperations } from '../../src/capabilities/settings/docs/settings.ts'
import { sftpOperations } from '../../src/capabilities/ssh-keys/docs/sftp.ts'
import { adminIdentityOperations, ssoOperations } from '../../src/capabilities/sso/docs.ts'
import { sshKeyOperations } from '../../src/capabilities/ssh-keys/docs/ssh-keys.ts'
import { twoFactorOperations } from '../../src/capabilities/two-factor/docs.ts'

/**
 * The descriptions of every endpoint, in the order of the document. `buildDocument` names missing
 * ones.
 */
export const operationGroups: Record<string, Operations> = {
  'Sign-in': { ...loginOperations, ...registrationOperations },
  'Two-step verification': twoFactorOperations,
  Passkeys: passkeyOperations,
  'Single sign-on': ssoOperations,
  'Own account': { ...meOperations, ...ownEmailOperations, ...ownGroupOperations },
  'SSH keys': sshKeyOperations,
  'App passwords': appPasswordOperations,
  Notices: noticeOperations,
  'Administrators: users': {
    ...adminUserOperations,
    ...adminPasskeyOperations,
    ...adminIdentityOperations,
    ...adminAppPasswordOperations,
    ...linkOperations,
  },
  'Administrators: groups': { ...groupOperations, ...folderRuleOperations },
  'Administrators: site': { ...siteOperations, ...adminNoticeOperations },
  'SFTP servers': sftpOperations,
  'LDAP doors': ldapOperations,
  'File servers and proxies': tokenServerOperations,
  'OpenID provider': openidOperations,
  Public: publicOperations,
}

/** Descriptions of the groups, by name: the tags of the document. */
export const tagDescriptions: Record<string, string> = {
  'Sign-in': 'A sign-in starts a session and gives its token.',
  'Two-step verification':
    'Codes of an authenticator app (TOTP, RFC 6238) and recovery codes, for the signed-in user.',
  Passkeys: 'Sign-in with passkeys, and the passkeys of the signed-in user (WebAuthn).',
  'Single sign-on':
    'Sign-in with an account at an identity provider. Browsers open these addresses.',
  'Own account': 'The account, sessions and events of the signed-in user.',
  'SSH keys': 'The public keys with which the signed-in user signs in to SFTP servers.',
  'App passwords': 'Passwords for apps, with limited scopes.',
  Notices: 'Where the signed-in user is told what happens to the own account.',
  'Administrators: users': 'For admins: the users, their SSH keys and their two-step verification.',
  'Administrators: groups': 'For admins: groups of users, and their rights in folders.',
  'Administrators: site':
    'For admins: the settings of the site, its notices and the health of the service.',
  'SFTP servers': 'For OpenSSH and SFTPGo, with a service token.',
  'LDAP doors': 'For the program that answers LDAP beside a file server, with a service token.',
  'File servers and proxies': 'Ask whether a token or an app password is good.',
  'OpenID provider': 'For apps whose users sign in through this site (OpenID Connect).',
  Public: 'For everybody, without a token.',
}

export const operations: Operations = Object.assign({}, ...Object.values(operationGroups))
