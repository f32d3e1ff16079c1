import { CheapSite } from './cheap-site.ts'
import { rememberSecret } from './log.ts'
import { ADMIN_PASSWORD } from './site.ts'

export const SITE_ADDRESS = 'https://files.example.org'
const MAIL_FROM = 'latchkey@files.example.org'
export const NEW_PASSWORD = 'new-Passw0rd'

/** A mail as the site has sent it. */
export interface SentMail {
  to: string
  from: string
  subject: string
  text: string
  html?: string
  headers: Record<string, string>
}

/** Returns the lines of a mail that say when and where something happened. */
export function happenedIn(mail: Pick<SentMail, 'text'> | undefined): string[] {
  return (mail?.text ?? '').split('\n').filter((line) => /^(?:Time: |时间：)/.test(line))
}

/** A site that sends mail, and an admin who is signed in. */
export class JoiningSite extends CheapSite {
  readonly mails: SentMail[] = []
  /** Set to let the mail server refuse. */
  isMailDown = false
  admin = ''

  constructor(faults: ConstructorParameters<typeof CheapSite>[0] = {}) {
    const sent: SentMail[] = []
    const state = { isDown: () => false }
    super({
      siteAddress: () => SITE_ADDRESS,
      mailFrom: () => MAIL_FROM,
      sendEmail: async (message) => {
        if (state.isDown()) throw new Error('421 try later')
        sent.push(message)
      },
      ...faults,
    })
    state.isDown = () => this.isMailDown
    this.mails = sent
  }

  async begin(): Promise<this> {
    await this.addFirstUsers()
    this.admin = await this.token('admin', ADMIN_PASSWORD)
    return this
  }

  /** Calls an endpoint as the admin. */
  asAdmin(path: string, body?: unknown) {
    return this.post(path, body, { token: this.admin })
  }

  /** Makes an invitation. @returns The 43 characters. */
  async invite(fields: Record<string, unknown> = {}): Promise<string> {
    const { data, message } = await this.asAdmin('/api/admin/invitation/create', fields)
    if (data === null) throw new Error(message)
    return secretOf(data.link)
  }

  async set(values: Record<string, string>): Promise<void> {
    const items = Object.entries(values).map(([key, value]) => ({ key, value }))
    const { code, message } = await this.asAdmin('/api/admin/setting/save', items)
    if (code !== 200) throw new Error(message)
  }

  register(fields: Record<string, unknown>, network = '198.51.100.7') {
    const headers = { 'CF-Connecting-IP': network }
    return this.post('/api/auth/register', { password: NEW_PASSWORD, ...fields }, { headers })
  }

  /** Waits until every mail is sent. */
  async mail(): Promise<SentMail[]> {
    for (let before = -1; before !== this.deferred.length;) {
      before = this.deferred.length
      await this.settle()
    }
    return this.mails
  }
}

/** Returns the 43 characters at the end of a link. */
export function secretOf(link: string): string {
  const [, secret = ''] = /\/account\/link\/([\w-]{43})$/m.exec(link) ?? []
  rememberSecret(secret)
  return secret
}
