import type { Preset } from './presets.ts'
import type { Scope } from './scopes.ts'

/** The words for each scope. `profile` adds nothing that `openid` has not said. */
const scopes: Partial<Record<Scope, string>> = {
  openid: 'See your user name, and when and how you signed in',
  email: 'See your e-mail address, if you have confirmed it',
  groups: 'See the names of your groups, and whether you are an administrator',
  offline_access: 'Stay signed in after you sign out here',
}

/** What an app with each scope sees. */
const seen: Partial<Record<Scope, string>> = {
  openid: 'user name',
  email: 'e-mail address',
  groups: 'groups',
}

const presets: Record<Preset | 'other', string> = {
  openlist: 'OpenList',
  sftpgo: 'SFTPGo',
  grafana: 'Grafana',
  'cloudflare-access': 'Cloudflare Access',
  other: 'Another app',
}

const presetHints: Record<Preset, string> = {
  openlist: 'File lists. The address of its site is enough.',
  sftpgo: 'A server for SFTP and WebDAV. The address of its site is enough.',
  grafana: 'Charts and alerts. The address of its site is enough.',
  'cloudflare-access': 'Protects other sites. The address of your team is enough.',
}

/** How the settings of an app are used. */
const notes: Record<Preset, string> = {
  openlist:
    'With sso_auto_register: true, every user of this site gets an account there at the first sign-in. For another Latchkey, enter it only if that is what you want.',
  sftpgo: 'It is a member of httpd.bindings[] in sftpgo.json.',
  grafana:
    'The lines are for a shell, systemd or Docker Compose. docker run --env-file takes no quotes: remove them.',
  'cloudflare-access': '',
}

export const openidEn = {
  /** The pages on which an app asks for a sign-in. */
  authorize: {
    asks: (program: string, host: string) => `${program} (${host}) asks you to sign in.`,
    consentTitle: (program: string) => `Allow ${program}?`,
    consentLead: (host: string) => `The app at ${host} will be able to:`,
    scopes,
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    notYou: 'Not you? Use another account',
    allow: 'Allow',
    deny: 'Deny',
    confirmTitle: 'Confirm that it is you',
    confirmLead: (program: string) => `${program} asks you to prove again who you are.`,
    confirmSubmit: 'Continue',
    cannotConfirm: (name: string) =>
      `Your account ${name} has neither a password nor a passkey here. Sign in again at your provider.`,
    signInAgain: 'Sign in again',
    /** Before a link to the page Security. */
    cannotConfirmHint:
      'If this page comes back, the provider did not ask you to sign in. Then first add a passkey:',
    untrustedTitle: 'This request cannot be answered',
    untrusted:
      'The app that sent you here, or the address for its answer, is not registered on this site. Nothing was sent to it. Tell the administrator of that app.',
    endTitle: 'Sign out?',
    endLead:
      'An app asks you to sign out. Other apps that you use with this sign-in lose their access, too.',
    endSubmit: 'Sign out',
    endStay: 'Stay signed in',
    endedTitle: 'You are signed out',
    endedLead: 'You can close this page.',
  },
  /** The apps of a user. */
  programs: {
    title: 'Connected apps',
    lead: 'Sites and apps where you sign in with this account.',
    none: 'No apps',
    noneHint: 'An app appears here once you have signed in to it with this account.',
    used: (when: string) => `Last sign-in ${when}`,
    neverUsed: 'Not used yet',
    given: (when: string) => `Allowed ${when}`,
    seen,
    sees: (what: string) => `Sees your ${what}`,
    staysSignedIn: 'Stays signed in',
    remove: 'Remove',
    removeQuestion: (name: string) =>
      `Remove “${name}”? It loses its access at once and must ask again.`,
    removeSubmit: 'Remove access',
  },
  /** The registered apps, for administrators. */
  adminPrograms: {
    title: 'Apps that sign in here',
    lead: 'Apps that let users sign in with their account of this site (OpenID Connect).',
    none: 'No apps',
    noneHint: 'Register one, then copy its settings into the app.',
    add: 'Register an app',
    name: 'Name',
    presetHints,
    otherHint: 'Any app that can use OpenID Connect.',
    more: 'More',
    seldom: 'Seldom needed',
    presets,
    site: 'Address of the app',
    siteHint: 'Such as https://files.example.org.',
    teamHint: 'Such as https://TEAM.cloudflareaccess.com.',
    redirects: 'Redirect URIs',
    redirectsHint: 'One per line, exactly as the app sends them.',
    postLogout: 'Addresses after the sign-out',
    postLogoutHint: 'Where the app sends users who have signed out. One per line.',
    logout: 'Back-channel logout address',
    logoutHint: 'This site tells the app there that a user has signed out.',
    clientId: 'Client ID',
    flagsTitle: 'Options',
    flags: {
      first_party: {
        title: 'It belongs to this site',
        hint: 'Users are not asked whether it may know who they are.',
      },
      admins_only: {
        title: 'Administrators only',
        hint: 'It refuses everybody else.',
      },
      is_public: {
        title: 'Public app (browser or phone)',
        hint: 'It can’t keep a secret, so it gets none.',
      },
      email_in_id_token: {
        title: 'It reads the e-mail address in the ID token',
        hint: 'Most apps ask userinfo. Choose this if the app says that it gets no address.',
      },
    },
    adminsOnly: 'Administrators only',
    isFirstParty: 'Belongs to this site: no consent asked',
    isPublicShort: 'Without a secret',
    hasEmailInIdToken: 'E-mail address in the ID token',
    edit: 'Edit',
    editTitle: (name: string) => `Edit ${name}`,
    editLead:
      'The client ID and the secret stay. Users sign in again if you remove the address by which the app got them, or if they are to be asked for consent from now on.',
    editLeadPublic:
      'The client ID stays, and so does the app without a secret: for one with a secret, register it anew. Users sign in again if you remove the address by which the app got them, or if they are to be asked for consent from now on.',
    save: 'Save changes',
    submit: 'Register app',
    createdTitle: 'Settings of the app',
    createdLead: 'Copy them into the app now. The secret is not shown again.',
    createdLeadPublic: 'Copy them into the app.',
    notes,
    copyAll: 'Copy all',
    createdDone: 'I have copied them',
    secret: 'New secret',
    secretQuestion:
      'The old secret ends at once. Nobody can sign in to the app until it has the new one.',
    secretSubmit: 'Create a new secret',
    delete: 'Delete',
    deleteQuestion: (name: string) =>
      `Delete “${name}”? Its users can no longer sign in to it, and its tokens end at once.`,
    deleteSubmit: 'Delete the app',
    namesTitle: 'Reserved names',
    namesLead:
      'Apps know users by their names. Nobody else gets the name of a deleted or renamed account until you release it.',
    release: 'Release',
    releaseQuestion: (name: string) => `Release ${name}? Any account can get this name then.`,
  },
}

type Own = typeof openidEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
