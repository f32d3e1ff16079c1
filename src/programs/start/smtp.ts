import { timingSafeEqual } from 'node:crypto'
import type { SendMailOptions } from 'nodemailer'
import * as v from 'valibot'
import { CommandError } from '../kit/command-error.ts'
import type { SmtpService } from '../site/local-site.ts'
import { loadMiniflare } from '../site/platform-tools.ts'

/** Times for the SMTP server, within those of the Worker that waits. */
const CONNECTION_MILLISECONDS = 10_000
const SILENCE_MILLISECONDS = 15_000

const NO_SMTP_URL =
  'SMTP_URL must be the address of an SMTP server, such as smtps://USER:PASSWORD@smtp.example.org'

const messageSchema = v.object({
  to: v.string(),
  from: v.string(),
  subject: v.string(),
  text: v.string(),
  html: v.optional(v.string()),
  headers: v.record(v.string(), v.string()),
})
type Message = v.InferOutput<typeof messageSchema>

/**
 * Opens the way to the SMTP server of the operator. Nothing is connected before the first message.
 *
 * The library is loaded here only, in the process of `npm start`: the Worker has no part of it.
 *
 * @param url `SMTP_URL`. It holds a password, and the Worker never gets it.
 * @param secret The Worker shows it: any local user can connect to the port on which it asks.
 * @throws {CommandError} When the address is not usable.
 */
export async function openSmtp(url: string, secret: string): Promise<SmtpService> {
  const send = await senderOf(readSmtpUrl(url))
  const { Response: Answer } = loadMiniflare()
  return async (request) => {
    if (!isSecret(request.headers.get('Authorization') ?? '', `Bearer ${secret}`))
      return new Answer('Forbidden\n', { status: 403 })
    try {
      await send(v.parse(messageSchema, await request.json()))
      return new Answer(null, { status: 204 })
    } catch (error) {
      return new Answer(codeOfFailure(error), { status: 502 })
    }
  }
}

/**
 * Reads `SMTP_URL`. Without TLS, the message and the password of the server could be read on the
 * way, so only a server on this computer may lack it, unless the operator says `?ignoreTLS=true`.
 *
 * @throws {CommandError} When it is no such address. The text is not repeated: it holds a password.
 */
export function readSmtpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new CommandError(`${NO_SMTP_URL}.`)
  const isSettled = url.protocol === 'smtps:' || isLocal(url.hostname)
  if (!isSettled && url.searchParams.get('ignoreTLS') !== 'true')
    url.searchParams.set('requireTLS', 'true')
  return url
}

function isLocal(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
}

async function senderOf(url: URL): Promise<(message: Message) => Promise<unknown>> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: url.href,
    connectionTimeout: CONNECTION_MILLISECONDS,
    greetingTimeout: CONNECTION_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    // A message is text: no part of it may make this process read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return ({ to, from, subject, text, html, headers }) => {
    const mail: SendMailOptions = { from, to, subject, text, headers }
    // Also where the text has no other character: some servers count 8-bit text as spam.
    mail.textEncoding = 'quoted-printable'
    if (html !== undefined) mail.html = html
    return transport.sendMail(mail)
  }
}

/** The codes of Cloudflare's binding, which the Worker knows (`mail/send-email.ts`). */
function codeOfFailure(error: unknown): string {
  const { code, command, responseCode } = v.parse(failureSchema, error)
  const isFinal = (responseCode ?? 0) >= 500
  if (code === 'EENVELOPE' && isFinal)
    return command === 'MAIL FROM' ? 'E_SENDER_NOT_VERIFIED' : 'E_RECIPIENT_NOT_ALLOWED'
  if (code === 'EAUTH') return 'E_SENDER_NOT_VERIFIED'
  return 'E_DELIVERY_FAILED'
}

const failureSchema = v.fallback(
  v.object({
    code: v.optional(v.string()),
    command: v.optional(v.string()),
    responseCode: v.optional(v.number()),
  }),
  {},
)

function isSecret(shown: string, secret: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
