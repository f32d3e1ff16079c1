import { createServer } from 'node:http'

/** The list that it answers with: 60 files, as long as OpenList writes it. */
const LISTED = JSON.stringify({
  code: 200,
  message: 'success',
  data: {
    content: Array.from({ length: 60 }, (_, i) => ({
      name: `film ${i}.mkv`,
      size: 4_000_000_000 + i,
      is_dir: false,
      modified: '2026-11-24T13:00:22.481478732Z',
      created: '2026-11-24T13:00:22.481478732Z',
      sign: 'DEkxTtWjqgkI3E_PQgrFb9FMiPWthLWaqDD4wJXztrI=:0',
      thumb: '',
      type: 2,
    })),
    total: 60,
    write: true,
    provider: 'Local',
  },
})
const users: Record<string, unknown>[] = [{ id: 1, username: 'admin', role: 2 }]

/** A file server that costs next to nothing: what it answers to, a user is known to it at once. */
const server = createServer((asked, answer) => {
  const chunks: Buffer[] = []
  asked.on('data', (chunk: Buffer) => chunks.push(chunk))
  asked.on('end', () => {
    const text = answerTo(asked.url ?? '', Buffer.concat(chunks).toString())
    answer.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    })
    answer.end(text)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))

function answerTo(path: string, body: string): string {
  if (path === '/api/fs/list') return LISTED
  if (path === '/api/auth/login/hash') return ok({ token: 'a token' })
  if (path === '/api/me') return ok(users.at(-1))
  if (path === '/api/admin/user/create') users.push(JSON.parse(body))
  if (path.startsWith('/api/admin/user/get')) return ok(users.at(-1))
  return ok(null)
}

function ok(data: unknown): string {
  return JSON.stringify({ code: 200, message: 'success', data })
}
