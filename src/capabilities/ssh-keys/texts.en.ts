import { counted } from '../../web/kit/texts/counted.ts'

export const sshKeysEn = {
  keys: {
    title: 'SSH keys',
    lead: 'With these keys, file transfer apps reach your files over SFTP, without a password.',
    leadWithoutAccess:
      'With a key, file transfer apps reach your files over SFTP, without a password.',
    noAccess: 'Your account may not use SFTP, so keys do not work yet',
    noAccessHint: 'Ask an administrator of this site for the permission.',
    connect: 'Sign in with this command',
    none: 'No keys yet',
    noneHint: 'Add a public key to sign in over SFTP without a password.',
    added: (when: string) => `Added ${when}`,
    lastUsed: (when: string) => `Last used ${when}`,
    usedFrom: (network: string) => `from ${network}`,
    fingerprint: 'Fingerprint',
    neverUsed: 'Never used',
    older: counted('1 older key', '# older keys'),
    bits: (bits: number) => `${bits} bits`,
    delete: 'Delete',
    deleteQuestion: (title: string) => `Delete “${title}”? It can no longer be used to sign in.`,
    deleteSubmit: 'Delete key',
    deleteAll: 'Delete all keys',
    deleteAllQuestion: 'None of your keys can be used to sign in any more.',
    add: 'Add key',
    addTitle: 'Add a key',
    addLead:
      'A key has two files. The public one, whose name ends in .pub, belongs here. The private one stays on your device.',
    keyTitle: 'Title',
    keyTitleHint:
      'Such as “laptop” or “work”. Without one, the comment at the end of the key is the title.',
    key: 'Public key',
    keyHint: 'The whole content of a .pub file, such as ~/.ssh/id_ed25519.pub.',
    chooseFile: 'Choose a file',
    fileIsPrivate:
      'This is a private key. It was not read. Choose the file whose name ends in .pub.',
    noKeyYet: 'No key yet?',
    noKeyYetAbout: 'Make one in a minute',
    makeKey:
      'Run this command in a terminal (on Windows in PowerShell), and press Enter at each question. A passphrase protects the key if the device is stolen.',
    makeKeyFile:
      'The public key is now in the folder .ssh of your home folder, in the file id_ed25519.pub. Open it in an editor and paste its only line above.',
    submit: 'Add key',
  },
}

type Own = typeof sshKeysEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
