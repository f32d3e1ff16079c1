import type { EmailText } from '../../src/core/deps.ts'
import { CheapSite } from './cheap-site.ts'
import { rememberSecret } from './log.ts'

const MAIL_FROM = 'accounts@example.org'
const SITE_ADDRESS = 'https://account.example.org'

/** A site that sends mail, and keeps what it sent. */
export class MailSite extends CheapSite {
  readonly sent: EmailText[]
  /** The next mails are refused with these codes. */
  readonly failures: string[]

  constructor(bindings: Partial<Env> = {}) {
    const sent: EmailText[] = []
    const failures: string[] = []
    const sendEmail = async (message: EmailText) => {
      const code = failures.shift()
      if (code !== undefined) throw Object.assign(new Error(`no: ${message.to}`), { code })
      sent.push(message)
      for (const secret of secretsIn(message)) rememberSecret(secret)
    }
    super(
      {
        mailFrom: () => MAIL_FROM,
        siteAddress: () => SITE_ADDRESS,
        sendEmail,
        // The clock stays: mails wait for a random time.
        wait: () => Promise.resolve(),
      },
      bindings,
    )
    this.sent = sent
    this.failures = failures
  }

  /** The secrets of the links that were mailed to an address, the latest last. */
  async linksTo(address: string): Promise<string[]> {
    await this.settle()
    return this.sent.filter(({ to }) => to === address).flatMap(secretsIn)
  }

  /** The subjects of the mails to an address. */
  async subjectsTo(address: string): Promise<string[]> {
    await this.settle()
    return this.sent.filter(({ to }) => to === address).map(({ subject }) => subject)
  }
}

function secretsIn({ text }: EmailText): string[] {
  return Array.from(text.matchAll(/^https:\/\/account\.example\.org\/account\/link\/(.+)$/gm)).map(
    ([, secret = '']) => secret,
  )
}
