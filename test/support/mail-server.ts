import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** A mail that arrived, with its envelope. */
export interface Arrived {
  from: string
  to: string[]
  user: string | undefined
  raw: string
  mail: ParsedMail
}

type Incoming = Parameters<typeof buffer>[0]

/** A real SMTP server on this computer, which keeps what it gets. */
export class MailServer {
  readonly got: Arrived[] = []
  /** Recipients that are refused, with the answer. */
  readonly refused = new Map<string, number>()
  /** The next messages that are refused for now. */
  failing = 0
  readonly #server: SMTPServer
  readonly #onMail = new Set<() => void>()

  private constructor(password: string | undefined) {
    this.#server = new SMTPServer({
      authOptional: password === undefined,
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth: ({ username, password: shown }, _session, callback) =>
        shown === password
          ? callback(null, { user: username })
          : callback(new Error('wrong password')),
      onRcptTo: ({ address }, _session, callback) => {
        const code = this.refused.get(address)
        callback(code === undefined ? null : refusal('no such mailbox', code))
      },
      onData: callbackify((stream: Incoming, { envelope, user }: SMTPServerSession) =>
        this.#take(stream, envelope, user),
      ),
    })
    // A client that goes away is no fault of a test.
    this.#server.on('error', () => undefined)
  }

  async #take(
    stream: Incoming,
    { mailFrom, rcptTo }: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
    user: string | undefined,
  ): Promise<void> {
    const bytes = await buffer(stream)
    if (this.failing > 0) {
      this.failing--
      throw refusal('try again later', 451)
    }
    this.got.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      user,
      raw: bytes.toString('latin1'),
      mail: await simpleParser(bytes),
    })
    for (const look of this.#onMail) look()
  }

  /** @param password What a client must sign in with; without it, none need. */
  static async open(password?: string): Promise<MailServer> {
    const server = new MailServer(password)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server.server, 'listening')
    return server
  }

  get port(): number {
    const address = this.#server.server.address()
    if (address === null || typeof address === 'string') throw new Error('the server is closed')
    return address.port
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** Resolves when it has got so many mails. */
  until(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.got.length < count) return
        this.#onMail.delete(look)
        resolve()
      }
      this.#onMail.add(look)
      look()
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}

function refusal(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode })
}
