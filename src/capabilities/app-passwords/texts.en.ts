export const appPasswordsEn = {
  appPasswords: {
    title: 'App passwords',
    lead: 'Passwords for apps that cannot ask you for a code, such as WebDAV and SFTP clients.',
    none: 'No app passwords',
    noneOf: 'No app passwords.',
    noneHint: 'Create one for each app. Then you can delete it without changing the others.',
    created: (when: string) => `Created ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    lastUsedFrom: (when: string, network: string) => `Last used ${when} from ${network}`,
    neverUsed: 'Never used',
    expires: (when: string) => `Expires ${when}`,
    expired: (when: string) => `Expired ${when}`,
    neverExpires: 'Never expires',
    delete: 'Delete',
    deleteQuestion: (name: string) => `Delete “${name}”? Apps that use it are refused at once.`,
    deleteSubmit: 'Delete app password',
    add: 'New app password',
    addTitle: 'Create an app password',
    addLead:
      'Create one for each app and device. Then you can delete one, and the others keep working.',
    name: 'Name',
    nameHint: 'The app and the device, such as “rclone on my laptop”.',
    use: 'What it is for',
    useHint: 'An app password never has more rights than your account.',
    uses: {
      read: {
        title: 'Read files',
        hint: 'Lists folders and downloads, over WebDAV and SFTP. It cannot change anything.',
      },
      write: {
        title: 'Read and write files',
        hint: 'Also uploads, renames and deletes, as far as your account may.',
      },
      look: {
        title: 'Read my account',
        hint: 'For tools that show your keys, sessions and activity. No files.',
      },
      manage: {
        title: 'Manage my account',
        hint: 'Also adds and deletes SSH keys, and ends sessions. No files.',
      },
      admin: {
        title: 'Administer the site',
        hint: 'Everything that you may do as an administrator. Give it only to tools that you run yourself.',
      },
    },
    scopes: {
      'files:read': 'Reads files',
      'files:write': 'Reads and writes files',
      'account:read': 'Reads the account',
      'account:write': 'Changes SSH keys and sessions',
      admin: 'Administers the site',
    },
    lifetime: 'Valid for',
    lifetimes: { month: '30 days', quarter: '90 days', year: '1 year', never: 'Until I delete it' },
    submit: 'Create',
    staysValid: 'App passwords stay valid when you change your password.',
    endAll: 'End them all',
    createdTitle: 'Your app password',
    createdLead: 'Copy it into the app now. It is not shown again.',
    createdDone: 'I have copied it',
    howTo: 'How to use it',
    webdavHow: 'Add a WebDAV server to the app, and fill in:',
    address: 'Address',
    addressOf: 'The WebDAV address of your file server. Ask an administrator for it.',
    passwordOf: 'The app password above',
    inTerminal: 'In a terminal',
    placeholder: (host: string) => `Replace ${host} by your file server.`,
    sftpHow: 'Paste the app password as the password. OpenSSH servers take SSH keys only.',
    rcloneHow: 'Run this, paste the app password, press Enter, then Ctrl+D.',
    readHow: 'Run this in bash or zsh, paste the app password, press Enter:',
    curlHow: 'Then send it in the header Authorization:',
    tools: 'Tools for OpenList and AList',
    toolsHow: 'Paste it where the tool asks for a token.',
  },
}

type Own = typeof appPasswordsEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
