import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FilesSite } from '../real/files-site.ts'
import { OPENLIST_PASSWORD } from '../real/openlist-server.ts'
import { execute, stop } from '../real/programs.ts'
import { freePort } from '../support/free-port.ts'
import { residentMebibytes } from './load.ts'
import { type Figure, figureOf } from './statistics.ts'

const MEBIBYTE = 1024 * 1024
const SAMPLE_MILLISECONDS = 100
const NAME = 'large.bin'

/** The programs that it needs. */
interface StreamPrograms {
  openlist: string
  nginx: string
  curl: string
}

/** One way to OpenList: an address, and a token that is good there. */
interface Way {
  name: string
  url: string
  token: string
}

/** How fast a large file passes one way, beside nginx before the same OpenList. */
interface StreamFigure {
  name: string
  mebibytesPerSecond: Figure
  /** Of the rate over that of nginx in the same round; `undefined` for nginx itself. */
  ratio: Figure | undefined
}

/** The figures, and what `npm start` and its children held in memory, in MiB. */
interface StreamResults {
  figures: StreamFigure[]
  memory: { before: number; most: number }
}

/**
 * Sends a file up and down through `npm start` and through nginx, before the same OpenList, in
 * turns.
 *
 * @throws When other bytes arrive.
 */
export async function measureStreams(
  { openlist, nginx, curl }: StreamPrograms,
  { rounds, mebibytes }: { rounds: number; mebibytes: number },
): Promise<StreamResults> {
  const site = await FilesSite.start(openlist)
  const proxy = await startNginx(nginx, site.clone.folder, site.openlist.client.url)
  const memory = new Memory(site.pid)
  try {
    const source = join(site.clone.folder, NAME)
    const hash = writeRandom(source, mebibytes)
    const token = await site.addUser('alice')
    const there = (await site.openlist.client.signIn('admin', OPENLIST_PASSWORD)).data.token
    const ways: Way[] = [
      { name: 'nginx', url: proxy.url, token: there },
      { name: 'npm start', url: site.client.url, token },
    ]
    const rates = new Map<string, number[]>()
    const note = (name: string, seconds: number) =>
      rates.set(name, [...(rates.get(name) ?? []), mebibytes / seconds])
    for (let round = 0; round < rounds; round++)
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        note(`${way.name}, up`, await sendFile(curl, way, source))
        if ((await hashOf(join(site.folder, NAME))) !== hash) throw new Error('other bytes arrived')
        note(`${way.name}, down`, await readFile(curl, way, '/dev/null'))
      }
    for (const way of ways) {
      const copy = join(site.clone.folder, 'copy.bin')
      await readFile(curl, way, copy)
      if ((await hashOf(copy)) !== hash) throw new Error('other bytes came back')
    }
    return { figures: figuresOf(rates), memory: await memory.stop() }
  } finally {
    await memory.stop()
    await stop(proxy.child)
    await site.remove()
  }
}

function figuresOf(rates: ReadonlyMap<string, number[]>): StreamFigure[] {
  return Array.from(rates, ([name, own]) => {
    const plain = rates.get(name.replace('npm start', 'nginx')) ?? []
    const ratios = own.map((rate, round) => rate / (plain[round] ?? NaN))
    return {
      name,
      mebibytesPerSecond: figureOf(own),
      ratio: name.startsWith('nginx') ? undefined : figureOf(ratios),
    }
  })
}

/** @returns The SHA-256. */
function writeRandom(path: string, mebibytes: number): string {
  const hash = createHash('sha256')
  const file = openSync(path, 'w')
  for (let i = 0; i < mebibytes; i++) {
    const bytes = randomBytes(MEBIBYTE)
    hash.update(bytes)
    writeSync(file, bytes)
  }
  closeSync(file)
  return hash.digest('hex')
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(Buffer.from(chunk))
  return hash.digest('hex')
}

/** @returns Seconds. */
function sendFile(curl: string, { url, token }: Way, source: string): Promise<number> {
  const headers = ['-H', `Authorization: ${token}`, '-H', `File-Path: /${NAME}`]
  return timed(curl, ['-T', source, ...headers, '-H', 'Expect:', `${url}/api/fs/put`])
}

/** @returns Seconds. */
async function readFile(curl: string, { url, token }: Way, copy: string): Promise<number> {
  const answer = await fetch(`${url}/api/fs/get`, {
    method: 'POST',
    headers: { Authorization: token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ path: `/${NAME}` }),
  })
  const text = await answer.text()
  const [, path = ''] = /"raw_url":"https?:\/\/[^/]+([^"]+)"/.exec(text) ?? []
  if (path === '') throw new Error(text)
  return timed(curl, ['-o', copy, `${url}${path}`])
}

/** Runs curl, whose answer must be good. */
async function timed(curl: string, args: string[]): Promise<number> {
  const quiet = ['-sS', '--fail', '-w', '\n%{time_total}']
  const { status, printed } = await execute(curl, [...quiet, ...args])
  const [, seconds = ''] = /(?:^|\n)([\d.]+)$/.exec(printed) ?? []
  if (status !== 0 || /"code":(?!200\b)/.test(printed)) throw new Error(printed)
  return Number(seconds)
}

/** Samples the memory of a process and its children. */
class Memory {
  readonly #pid: number
  readonly #ended = new AbortController()
  readonly #sampling: Promise<void>
  readonly #before: number
  #most: number

  constructor(pid: number) {
    this.#pid = pid
    this.#before = this.#now()
    this.#most = this.#before
    this.#sampling = this.#sample()
  }

  async stop(): Promise<{ before: number; most: number }> {
    this.#ended.abort()
    await this.#sampling
    return { before: this.#before, most: this.#most }
  }

  async #sample(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      this.#most = Math.max(this.#most, this.#now())
      await pause(SAMPLE_MILLISECONDS)
    }
  }

  #now(): number {
    return treeOf(this.#pid).reduce((sum, pid) => sum + (residentMebibytes(pid) ?? 0), 0)
  }
}

function treeOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const children = text.split(' ').filter((word) => word.trim() !== '')
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))]
}

/** Starts nginx as a plain proxy that stores nothing. */
async function startNginx(
  nginx: string,
  folder: string,
  origin: string,
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log /dev/null; worker_processes 1;
events {}
http {
  access_log off; client_max_body_size 0; client_body_temp_path ${folder}/nginx;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${origin}; proxy_http_version 1.1; proxy_set_header Host $http_host;
      proxy_request_buffering off; proxy_buffering off;
    }
  }
}`,
  )
  const child = spawn(nginx, ['-p', folder, '-c', file], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/ping`).catch(() => undefined))) await pause(SAMPLE_MILLISECONDS)
  return { url, child }
}

export function toStreamTable({ figures, memory: { before, most } }: StreamResults): string {
  return [
    '| | MiB/s | beside nginx |',
    '|---|---|---|',
    ...figures.map(
      ({ name, mebibytesPerSecond, ratio }) =>
        `| ${name} | ${cell(mebibytesPerSecond, 0)} | ${ratio ? cell(ratio, 2) : ''} |`,
    ),
    '',
    `Memory of npm start and its children: ${before.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB.`,
  ].join('\n')
}

function cell({ median, least, most }: Figure, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}
